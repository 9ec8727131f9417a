package job

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"iter"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/audit"
	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/mapping"
	"github.com/lethe-deid/lethe/deid/notefile"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/deid/safetynet"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/models"
)

// run is the state of Run while it processes the files.
type run struct {
	config *checked
	events Events
	engine *deid.Deidentifier
	model  *models.Model     // nil if the files mark their PHI
	known  *safetynet.Values // known values of the patients; nil if there are none
	knew   bool              // at least one note has known values
	short  bool              // at least one note has fields that are too short to search for in it
	rows   bool              // at least one row of a table or object of JSON was written
	texts  bool              // at least one text was examined as a note
	keys   keys              // which keys of options the records have

	mapping                   *mapping.Writer // nil if there is no map
	notesNLP                  *noteNLP        // nil if there is none
	audit                     *audit.File     // nil if there is no audit
	record                    *record         // nil if the output is stdout
	modelDigest, configDigest string
	types                     map[string]audit.Treatment // for the summary
	options                   map[string]string          // for the summary
	meter                     meter
	summary, earlier          audit.Summary // summaries of this run and of the one that it resumes
	patients                  patients

	single    error          // the error that stopped reading the only input file
	out       *sink          // the current file; nil before its first record
	annotated *data.Document // the note of the current file as written, if the format is brat
	failed    bool           // a record of the current file could not be examined
	good      bool           // a record of the current file, other than a frame or a blank line, was written
	wrote     bool           // a file with such a record was closed
	before    audit.Summary  // copy of summary from the start of the current file
	written   []*sink        // closed files that are not published yet
	lines     []*audit.Line  // lines that are not in the audit yet
	ended     int            // how many of those lines belong to closed files
	settled   int64          // number of bytes in the audit that belong to closed files
	ofFile    int            // number of lines of the current file
	recorded  []recordLine   // lines for the record, of closed files that are not published yet
}

// item is a record of a file, an error instead of one, or the end of the file.
type item struct {
	file   noteFile
	record *notefile.Record
	notes  []*result // one per note of the record
	err    error     // why the record could not be read
	last   bool      // err is the error that the run returns, so Events.Failed does not get it
	end    bool      // the file ends here
	broken bool      // at the end: reading stopped early, so the file cannot be written
	absent bool      // at the end: no record of the file belongs to the shard, so the file is not written
	rest   bool      // err concerns the rest of the file
	zipped bool
	at     int64  // number of bytes of the inputs that were read before the next record
	input  string // at the end: see noteFile.stamp
}

// result is a note with its edits.
type result struct {
	note  deid.Note
	field bool // the note is a field: it has no line in the audit
	edits []notefile.Edit
	line  *audit.Line // line of the audit
	err   error       // why the note could not be examined
}

// do processes the files, one after another.
func (r *run) do(ctx context.Context, files *fileSet) error {
	defer func() {
		for _, s := range append(r.written, r.out) {
			s.abort()
		}
	}()
	r.summary.Skipped, r.summary.Lost = files.whole, r.earlier.Failed
	r.before, r.settled = r.summary.Clone(), r.audit.Size()
	if r.audit == nil {
		r.earlier.Notes = files.whole // counts one note per file: without an audit, the number of notes is unknown
	}
	if files.todo() {
		r.meter.measure(files)
		r.tell(item{})
		if err := r.process(ctx, files); err != nil {
			return err
		}
	}
	r.summary.Restarted = len(r.patients.restarted)
	switch {
	case r.single != nil:
		return r.single
	case r.config.MaxUnlike != nil && r.unlike() > *r.config.MaxUnlike:
		return &TooManyUnlike{r.unlike(), *r.config.MaxUnlike}
	case r.summary.Failed+r.earlier.Failed > 0:
		return &models.Unexamined{Failed: r.summary.Failed + r.earlier.Failed, Notes: r.summary.Notes + r.earlier.Notes, Others: r.wrote}
	}
	return nil
}

// items reads the files. A record or file that cannot be read is an item with an error. It stops early only if ctx is
// cancelled.
func (r *run) items(ctx context.Context, files *fileSet) iter.Seq[item] {
	return func(yield func(item) bool) {
		for _, file := range files.all {
			if !r.read(ctx, file, yield) {
				return
			}
		}
	}
}

// read yields the items of a file. It reports whether to continue with the next file.
func (r *run) read(ctx context.Context, file noteFile, yield func(item) bool) bool {
	stamp := r.stamp(file)
	in, zipped, err := file.open(ctx)
	if err != nil {
		if !file.many {
			r.single = err
		}
		return yield(item{file: file, err: err, last: !file.many}) && yield(item{file: file, end: true, broken: true})
	}
	defer in.Close()
	at := r.meter.start(file, in)
	var broken error
	records, mine := 0, 0 // without frames
	for record, err := range file.format.Read(in, file.shown(), r.config.optionsFor(file.format)) {
		if ctx.Err() != nil {
			return false
		}
		if b, ok := errors.AsType[*notefile.Broken](err); ok {
			broken, err = b.Err, b.Err
			if !file.many {
				r.single = broken
			}
		}
		if err == nil && file.marks != "" {
			err = r.readMarks(file, record.Notes[0])
		}
		next := item{file: file, record: record, err: err, last: broken != nil && !file.many, zipped: zipped, at: at(), rest: broken != nil}
		if err == nil {
			next.notes = r.results(file, record)
			r.keys.see(record)
		}
		if record == nil || !record.Frame {
			records++
		}
		if !r.config.shard.takes(next) {
			continue
		}
		if record == nil || !record.Frame {
			mine++
		}
		if !yield(next) {
			return false
		}
	}
	absent := file.many && mine == 0 && (records > 0 || !r.config.shard.has(file.auditName()))
	return yield(item{file: file, end: true, broken: broken != nil, absent: absent, zipped: zipped, input: stamp, at: r.meter.end(file, at)})
}

// readMarks sets the spans of the only note of a file from the file with its marks.
func (r *run) readMarks(file noteFile, note *notefile.Note) error {
	raw, err := bounded.ReadFile(file.marks, bounded.MaxNote)
	if err != nil {
		return &data.Error{Path: file.in, Offset: -1, Reason: "the file with the marks of the note cannot be read", Err: err}
	}
	note.Spans, err = file.format.Sidecar.Decode(file.marks, raw, note.Text, r.config.options.Types)
	return err
}

// size returns what an item adds to the size of a batch.
func (it item) size() data.BatchSize {
	s := data.BatchSize{}
	for _, n := range it.notes {
		if !n.field {
			s.Notes++
		}
	}
	if it.record != nil {
		s.Bytes = len(it.record.Raw)
	}
	if n := len(it.notes); n > 0 {
		s.First, s.Last = it.notes[0].note.Group, it.notes[n-1].note.Group
	}
	return s
}

// stamp returns the stamp of an input file for the record, or "" if there is no record.
func (r *run) stamp(file noteFile) string {
	if r.record == nil || file.in == Stdio {
		return ""
	}
	return file.stamp()
}

// results returns the results of the notes of a record before they are examined. If a row of a table names no patient, its fields and
// notes are still those of one, so that its dates move by the same number of days.
func (r *run) results(file noteFile, record *notefile.Record) []*result {
	var out []*result
	fields := false
	for _, n := range record.Notes {
		out = append(out, r.result(file, n))
		fields = fields || n.Field != ""
	}
	if !fields || file.format != nil && !file.format.Columns { // requests of a worker have no format
		return out
	}
	for _, n := range out {
		if n.note.Patient == "" {
			n.note.Group = out[0].note.Group
		}
	}
	return out
}

// result returns the result of a note before it is examined, with the note's patient and known values.
func (r *run) result(file noteFile, n *notefile.Note) *result {
	doc := &data.Document{ID: n.ID, Patient: n.Patient, Text: n.Text, Spans: n.Spans}
	if dir := filepath.ToSlash(filepath.Dir(file.name)); r.config.PatientFolders && dir != "." {
		doc.Patient = dir
	}
	group := doc.Patient
	if group == "" { // includes the file's name, because notes in different files may have the same ID
		group = file.name + "\x00" + cmp.Or(n.Resource, doc.ID)
	}
	known := r.known.Of(doc)
	r.knew = r.knew || len(known) > 0
	r.short = r.short || safetynet.TooShort(n.Known) > 0
	note := deid.Note{Document: doc, Group: group, Known: slices.Concat(n.Known, known), Tags: n.Tags, Without: n.Without}
	switch n.Field {
	case "":
	case field.Known:
		note.Search = deid.Untagged
	case field.Shift:
		note.Search, note.As = deid.Marked, replace.Shift
	default:
		note.Search = deid.Marked
	}
	return &result{note: note, field: n.Field != "", line: r.line(file, n.Line, cmp.Or(n.Alias, n.ID))}
}

func (r *run) line(file noteFile, line int, id string) *audit.Line {
	return &audit.Line{
		File: file.auditName(), Line: line, ID: id, Policy: r.config.setup.Policy.Name, PolicyDigest: r.config.setup.Policy.Digest, Model: r.modelDigest, Config: r.configDigest, Shard: r.config.Shard,
	}
}

// process reads the files in batches, examines their notes and writes them, all three at the same time: while up to two batches are examined, the next one is read and
// the one before is written. Only the last step changes the run's summary, audit and output.
func (r *run) process(ctx context.Context, files *fileSet) error {
	ctx, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	read, examined := make(chan []item), make(chan (<-chan []item))
	var large sync.RWMutex // held by a large batch alone, because it takes much memory
	all.Go(func() {
		defer close(read)
		for batch := range data.Batches(r.items(ctx, files), item.size) {
			if !send(ctx, read, slices.Clone(batch)) {
				return
			}
		}
	})
	all.Go(func() {
		defer close(examined)
		for batch := range read {
			done := make(chan []item, 1)
			all.Go(func() {
				defer close(done)
				if bytesOf(batch) > largeBatch {
					large.Lock()
					defer large.Unlock()
				} else {
					large.RLock()
					defer large.RUnlock()
				}
				if r.examine(ctx, batch); ctx.Err() == nil {
					done <- batch
				}
			})
			if !send(ctx, examined, done) {
				return
			}
		}
	})
	held := heldBatches{run: r, all: everyKey}
	for batch := range examined {
		if err := held.write(<-batch); err != nil {
			return err
		}
	}
	return cmp.Or(ctx.Err(), held.end())
}

// largeBatch is the number of bytes above which a batch is examined alone. Batches of short notes have a tenth of it.
const largeBatch = 2 << 20

func bytesOf(batch []item) (n int) {
	for _, it := range batch {
		n += it.size().Bytes
	}
	return n
}

// send sends a batch unless ctx is cancelled, and reports whether it did.
func send[T any](ctx context.Context, to chan<- T, batch T) bool {
	if ctx.Err() != nil {
		return false
	}
	select {
	case to <- batch:
		return true
	case <-ctx.Done():
		return false
	}
}

// unwritten reports whether a batch has items that no earlier run has written.
func unwritten(batch []item) bool {
	return slices.ContainsFunc(batch, func(it item) bool { return !it.file.done })
}

// examine finds the PHI in the notes of a batch and how to replace it. Notes that an earlier run has written are examined again if the batch has other notes,
// because replacements depend on all notes of a patient.
func (r *run) examine(ctx context.Context, batch []item) {
	if !unwritten(batch) {
		return
	}
	var all []*result
	var notes []deid.Note
	for _, it := range batch {
		for _, n := range it.notes {
			all, notes = append(all, n), append(notes, n.note)
		}
	}
	r.conclude(all, r.engine.Notes(ctx, notes))
}

// writeAll writes the items of a batch, except those that an earlier run has written.
func (r *run) writeAll(batch []item) error {
	r.patients.come(batch)
	if !unwritten(batch) {
		return nil
	}
	for _, it := range batch {
		if err := r.write(it); err != nil {
			return err
		}
	}
	if r.out != nil {
		if err := r.out.flush(); err != nil {
			return err
		}
	}
	return r.settle()
}

// conclude concludes the notes of a batch, several at a time.
func (r *run) conclude(notes []*result, done []deid.Result) {
	workers := cmp.Or(r.config.Workers, runtime.NumCPU())
	var all sync.WaitGroup
	for w := range min(workers, len(notes)) {
		all.Go(func() {
			for i := w; i < len(notes); i += workers {
				n := notes[i]
				n.conclude(done[i], r.config.Marked)
				if r.model != nil && done[i].Err == nil && n.note.Search == deid.Fully {
					n.line.Languages, n.line.Unlike = done[i].Languages, r.model.Unlike(n.note.Text, done[i].Tagged)
				}
			}
		})
	}
	all.Wait()
}

// conclude turns the changes in a note into edits, and counts them in the line of the audit. If marked is true, a value that is
// kept is an edit, too, so that it is marked in the output as well.
func (n *result) conclude(done deid.Result, marked bool) {
	if n.err = done.Err; n.err != nil {
		return
	}
	l := n.line
	l.Replaced, l.Kept, l.Lowest = map[string]int{}, map[string]int{}, map[string]float64{}
	if len(done.Found) > 0 {
		l.Net = done.Found
	}
	for _, s := range done.Tagged {
		if lowest, ok := l.Lowest[s.Type]; !ok || s.Score < lowest {
			l.Lowest[s.Type] = s.Score
		}
	}
	for _, c := range done.Changes {
		made := done.Clean.Text[c.New.Start:c.New.End]
		if c.Kind == replace.Keep || c.Kind.Coarse() && made == n.note.Text[c.Old.Start:c.Old.End] {
			l.Kept[c.Old.Type]++
			if !marked {
				continue
			}
		} else {
			l.Replaced[c.Old.Type]++
		}
		n.edits = append(n.edits, notefile.Edit{Start: c.Old.Start, End: c.Old.End, New: made, Type: c.Old.Type, Score: c.Old.Score})
	}
}

// write writes an item. At the end of a file it finishes the file.
func (r *run) write(it item) error {
	if it.file.done {
		return nil
	}
	if it.end {
		return r.finish(it)
	}
	if it.err != nil {
		line := 0
		if e, ok := errors.AsType[*data.Error](it.err); ok {
			line = e.Line
		}
		r.lose(r.line(it.file, line, ""), it.err)
		if !it.last {
			r.events.failed(it.err)
		}
		return nil
	}
	edits := make([][]notefile.Edit, len(it.notes))
	for i, n := range it.notes {
		if n.err != nil {
			err := &data.Error{Path: it.file.shown(), Line: n.line.Line, Offset: -1, Reason: "a note cannot be examined", Err: n.err}
			r.lose(n.line, err)
			r.events.failed(err)
			return nil
		}
		edits[i] = n.edits
	}
	raw, err := it.record.Encode(edits)
	if err != nil {
		err = &data.Error{Path: it.file.shown(), Line: it.record.Line, Offset: -1, Reason: "a note cannot be written", Err: err}
		r.loseRecord(it, err)
		r.events.failed(err)
		return nil
	}
	if err := r.open(it); err != nil {
		return err
	}
	if err := r.out.record(it.record, raw); err != nil {
		return err
	}
	if !it.record.Frame && len(bytes.TrimSpace(it.record.Raw)) > 0 {
		r.good, r.rows = true, r.rows || it.file.format.Columns
	}
	fields, dropped := r.changedFields(it), it.record.Dropped
	for i, n := range it.notes {
		if err := cmp.Or(r.remember(n), r.notesNLP.add(it.record.Notes[i], n.edits)); err != nil {
			return err
		}
		if n.field {
			continue
		}
		r.texts = true
		n.line.Fields, n.line.Dropped, fields, dropped = fields, dropped, nil, 0
		r.count(n.line)
		if !it.record.Frame { // which is about no patient
			r.patients.count(&r.summary, n.note.Patient)
		}
		r.tell(it)
		if it.file.format.Sidecar != nil {
			r.annotated = it.record.Notes[i].Replaced(edits[i])
		}
	}
	if len(fields)+dropped > 0 { // a record without a text
		line := r.line(it.file, it.record.Line, it.record.ID)
		line.Fields, line.Dropped, line.NoText = fields, dropped, true
		r.count(line)
	}
	return nil
}

// count adds the line of a note to the summary and the audit.
func (r *run) count(l *audit.Line) {
	r.summary.Add(l)
	r.lines = append(r.lines, l)
	r.ofFile++
}

// changedFields returns the number of fields of a record that changed, by type or action, or nil if there is none.
func (r *run) changedFields(it item) map[string]int {
	changed := map[string]int{}
	for action, n := range it.record.Fields {
		changed[string(action)] += n
	}
	for _, n := range it.notes {
		for typ, k := range n.line.Replaced {
			if n.field {
				changed[typ] += k
			}
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return changed
}

// loseRecord counts all notes of a record that is not written because of err.
func (r *run) loseRecord(it item, err error) {
	lost := slices.DeleteFunc(slices.Clone(it.notes), func(n *result) bool { return n.field })
	if len(lost) == 0 {
		lost = it.notes[:min(1, len(it.notes))]
	}
	for _, n := range lost {
		r.lose(n.line, err)
	}
}

// lose counts a note of the current file that is not written because of err.
func (r *run) lose(l *audit.Line, err error) {
	l.Error = err.Error()
	l.Replaced, l.Lowest, l.Net, l.Kept = nil, nil, nil, nil
	r.failed = true
	r.count(l)
}

// open opens the current file unless it is open.
func (r *run) open(it item) (err error) {
	if r.out != nil {
		return nil
	}
	if r.out, err = openSink(it.file.out, it.zipped); err != nil {
		return err
	}
	options := r.config.optionsFor(it.file.format)
	options.Fields = options.Fields.Copy() // the goroutine that reads uses the other one
	return r.out.through(it.file.format, it.file.in, options)
}

// finish closes the current file. It writes no file if reading stopped early or no record could be examined; on stdout,
// records that are already written stay, and the end of the file is missing if it has one.
func (r *run) finish(it item) error {
	if it.absent {
		r.out.abort()
		r.out = nil
		return nil
	}
	unwritten := r.failed && !r.good && (it.file.out != Stdio || r.out == nil)
	good := r.good
	r.failed, r.good = false, false
	if unwritten {
		r.out.abort()
	}
	if it.broken && (it.file.out != Stdio || r.out == nil || r.out.records != nil) {
		r.out.abort()
		unwritten = true
		if err := cmp.Or(r.takeBack(), r.notesNLP.takeBack()); err != nil {
			return err
		}
	}
	r.notesNLP.finishFile()
	r.before, r.ended = r.summary.Clone(), len(r.lines)
	line := recordLine{File: it.file.auditName(), Lines: r.ofFile, Input: it.input}
	r.ofFile = 0
	if unwritten {
		r.out, r.annotated = nil, nil
		return nil
	}
	if err := r.open(it); err != nil { // a file without records is still written
		return err
	}
	r.wrote = r.wrote || good
	if r.annotated != nil { // annotations are published first, so that there is never a text without them
		annotations, err := openSink(it.file.format.Sidecar.Path(it.file.out), false)
		if err != nil {
			return err
		}
		annotations.over = true // a run that was killed may have left annotations without a text
		r.written = append(r.written, annotations)
		if err := errors.Join(annotations.write(it.file.format.Sidecar.Encode(r.annotated)), annotations.close()); err != nil {
			return err
		}
	}
	r.written = append(r.written, r.out)
	r.recorded = append(r.recorded, line)
	r.out, r.annotated = nil, nil
	if err := r.written[len(r.written)-1].close(); err != nil {
		return err
	}
	if len(r.written) >= maxWritten {
		return r.settle()
	}
	return nil
}

// takeBack removes the current file from the summary and the audit, because reading it stopped early and it is not
// written. What remains is its last line in the audit, which says why and how many notes are lost.
func (r *run) takeBack() error {
	reason := r.lines[len(r.lines)-1]
	reason.Lost = r.summary.Notes - r.before.Notes - 1
	r.lines = append(r.lines[:r.ended], reason)
	r.summary = r.before.Clone()
	r.summary.Add(reason)
	if r.audit.Size() == r.settled {
		return nil
	}
	return r.audit.Truncate(r.settled)
}

// maxWritten is the number of files that are synced to disk at a time. A disk syncs many files in about the time of one.
const maxWritten = 64

// settle publishes the closed files under their names. Before that, it waits until they and their lines of the audit and
// the record are on disk. So a file that exists is complete and has its lines, even after a crash.
func (r *run) settle() error {
	for _, s := range r.written {
		if err := s.wait(); err != nil {
			return err
		}
	}
	if r.ended > 0 {
		if err := r.audit.Write(r.lines[:r.ended]); err != nil {
			return err
		}
		r.settled = r.audit.Size()
	}
	if err := r.audit.Write(r.lines[r.ended:]); err != nil {
		return err
	}
	r.lines, r.ended = r.lines[:0], 0
	if len(r.written) == 0 {
		return nil
	}
	if r.audit != nil {
		if err := r.audit.Sync(); err != nil {
			return err
		}
	}
	if err := r.record.add(r.recorded...); err != nil {
		return err
	}
	r.recorded = r.recorded[:0]
	folders := map[string]bool{}
	for len(r.written) > 0 {
		if err := r.written[0].commit(); err != nil {
			return err
		}
		if r.written[0].pending != nil {
			folders[filepath.Dir(r.written[0].path)] = true
		}
		r.written = r.written[1:]
	}
	syncFolders(folders)
	return nil
}

// unlike returns the share of the notes, those of an earlier run included, that are unlike those that the model was calibrated on.
func (r *run) unlike() float64 {
	notes := r.summary.Notes - r.summary.Failed - r.summary.NoText + r.earlier.Notes - r.earlier.Failed - r.earlier.NoText
	return float64(r.summary.Unusual+r.earlier.Unusual) / float64(max(1, notes))
}
