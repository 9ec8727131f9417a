package job

import (
	"context"
	"errors"
	"iter"
	"path/filepath"
	"slices"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/audit"
	"github.com/lethe-deid/lethe/deid/mapping"
	"github.com/lethe-deid/lethe/deid/notefile"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/deid/safetynet"
	"github.com/lethe-deid/lethe/models"
)

// run is one run of a job.
type run struct {
	config *checked
	events Events
	engine *deid.Deidentifier
	known  *safetynet.Values // nil: nothing is known of the patients
	knew   bool              // something is known of a note

	mapping                   *mapping.Writer // nil: none
	audit                     *audit.File     // nil: none
	record                    *record         // nil: none
	modelDigest, configDigest string
	summary, earlier          audit.Summary // of this run, and of the one that it goes on with
	patients                  patients

	fatal     error          // why nothing can go on
	single    error          // why the only file breaks off
	out       *sink          // the file that is being written; nil before its first record
	annotated *data.Document // the note of that file as written, if its spans are needed
	failed    bool           // a record of that file could not be examined
	before    audit.Summary  // as it was when that file began
	written   []*sink        // files that are written, but have no name yet
	lines     []*audit.Line  // of notes written, but not yet in the audit
	ended     int            // how many of lines belong to files that have ended
	settled   int64          // how much of the audit belongs to files that have ended
	ofFile    int            // how many lines belong to the file that is being written
	recorded  []recordLine   // of files that are written, but have no name yet
}

// item is a record of a file, or what is there in the place of one.
type item struct {
	file   noteFile
	record *notefile.Record
	notes  []*result // of the record's notes
	err    error     // the record could not be read
	last   bool      // err is what the command ends with, and is told then
	end    bool      // of the file
	broken bool      // at the end: the file cannot be written
	zipped bool
	input  string // at the end: see inputStamp
}

// result is what becomes of a note.
type result struct {
	note  deid.Note
	edits []notefile.Edit
	line  *audit.Line
	err   error
}

// do does the files, one after another.
func (r *run) do(ctx context.Context, files *fileSet) error {
	defer func() {
		for _, s := range append(r.written, r.out) {
			s.abort()
		}
	}()
	r.summary.Skipped, r.summary.Lost = files.whole, r.earlier.Failed
	r.before, r.settled = r.summary.Clone(), r.audit.Size()
	if r.audit == nil {
		r.earlier.Notes = files.whole // at least
	}
	if files.todo() {
		for batch := range data.Batches(r.items(ctx, files), item.size) {
			if err := r.flush(ctx, batch); err != nil {
				r.fatal = err
				break
			}
		}
	}
	r.summary.Restarted = len(r.patients.restarted)
	switch {
	case r.fatal != nil:
		return r.fatal
	case r.single != nil:
		return r.single
	case r.summary.Failed+r.earlier.Failed > 0:
		return &models.Unexamined{Failed: r.summary.Failed + r.earlier.Failed, Notes: r.summary.Notes + r.earlier.Notes}
	}
	return nil
}

// items reads the files. What it cannot read is an item, too; only if ctx is cancelled does it stop.
func (r *run) items(ctx context.Context, files *fileSet) iter.Seq[item] {
	return func(yield func(item) bool) {
		for _, file := range files.all {
			if !r.read(ctx, file, yield) {
				return
			}
		}
	}
}

// read reads a file. It reports whether to go on.
func (r *run) read(ctx context.Context, file noteFile, yield func(item) bool) bool {
	stamp := r.stamp(file)
	in, zipped, err := openNotes(ctx, file.in)
	if err != nil {
		if !file.folder {
			r.single = err
		}
		return yield(item{file: file, err: err, last: !file.folder}) && yield(item{file: file, end: true, broken: true})
	}
	defer in.Close()
	name := file.in
	if name == Stdio {
		name = "stdin"
	}
	var broken error
	for record, err := range r.config.format.Read(in, name, r.config.options) {
		if r.fatal = ctx.Err(); r.fatal != nil {
			return false
		}
		if b, ok := errors.AsType[*notefile.Broken](err); ok {
			broken, err = b.Err, b.Err
			if !file.folder {
				r.single = broken
			}
		}
		next := item{file: file, record: record, err: err, last: broken != nil && !file.folder, zipped: zipped}
		if err == nil {
			for _, n := range record.Notes {
				next.notes = append(next.notes, r.result(file, n))
			}
		}
		if !yield(next) {
			return false
		}
	}
	return yield(item{file: file, end: true, broken: broken != nil, zipped: zipped, input: stamp})
}

// size says what an item adds to a batch.
func (it item) size() data.BatchSize {
	s := data.BatchSize{Notes: len(it.notes)}
	if it.record != nil {
		s.Bytes = len(it.record.Raw)
	}
	if n := len(it.notes); n > 0 {
		s.First, s.Last = it.notes[0].note.Group, it.notes[n-1].note.Group
	}
	return s
}

// stamp says what the output of a file is made from, if a record holds it.
func (r *run) stamp(file noteFile) string {
	if r.record == nil || file.in == Stdio {
		return ""
	}
	return inputStamp(file.in)
}

// result begins the result of a note.
func (r *run) result(file noteFile, n *notefile.Note) *result {
	doc := &data.Document{ID: n.ID, Patient: n.Patient, Text: n.Text}
	if dir := filepath.ToSlash(filepath.Dir(file.name)); r.config.PatientFolders && dir != "." {
		doc.Patient = dir
	}
	group := doc.Patient
	if group == "" { // notes of different files may have the same ID
		group = file.name + "\x00" + doc.ID
	}
	known := r.known.Of(doc)
	r.knew = r.knew || len(known) > 0
	return &result{note: deid.Note{Document: doc, Group: group, Known: slices.Concat(n.Known, known)}, line: r.line(file, n.Line, n.ID)}
}

func (r *run) line(file noteFile, line int, id string) *audit.Line {
	return &audit.Line{File: file.auditName(), Line: line, ID: id, Model: r.modelDigest, Config: r.configDigest}
}

// flush replaces the PHI in the notes of a batch, and writes them. What an earlier
// run has written is replaced again if it may belong to the patients of other notes, so
// that these come out as they would have, but it is not written.
func (r *run) flush(ctx context.Context, batch []item) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r.patients.come(batch)
	if !slices.ContainsFunc(batch, func(it item) bool { return !it.file.done }) {
		return nil
	}
	var all []*result
	var notes []deid.Note
	for _, it := range batch {
		for _, n := range it.notes {
			all, notes = append(all, n), append(notes, n.note)
		}
	}
	for i, done := range r.engine.Notes(ctx, notes) {
		all[i].conclude(done)
	}
	if err := ctx.Err(); err != nil {
		return err
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

// conclude makes edits of what was replaced, and counts it.
func (n *result) conclude(done deid.Result) {
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
		if c.Kind == replace.Keep {
			l.Kept[c.Old.Type]++
			continue
		}
		l.Replaced[c.Old.Type]++
		n.edits = append(n.edits, notefile.Edit{
			Start: c.Old.Start, End: c.Old.End, New: done.Clean.Text[c.New.Start:c.New.End], Type: c.Old.Type, Score: c.Old.Score,
		})
	}
}

// write writes an item of the batch, and ends a file.
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
			err := &data.Error{Path: it.file.in, Line: n.line.Line, Offset: -1, Reason: "a note cannot be examined", Err: n.err}
			r.lose(n.line, err)
			r.events.failed(err)
			return nil
		}
		edits[i] = n.edits
	}
	raw, err := it.record.Encode(edits)
	if err != nil {
		err = &data.Error{Path: it.file.in, Line: it.record.Line, Offset: -1, Reason: "a note cannot be written", Err: err}
		for _, n := range it.notes {
			r.lose(n.line, err)
		}
		r.events.failed(err)
		return nil
	}
	if err := r.open(it); err != nil {
		return err
	}
	if err := r.out.write(raw); err != nil {
		return err
	}
	for i, n := range it.notes {
		if err := r.remember(n); err != nil {
			return err
		}
		r.summary.Add(n.line)
		r.patients.count(&r.summary, n.note.Patient)
		r.lines = append(r.lines, n.line)
		r.ofFile++
		r.events.Progress.Tell("de-identifying", r.summary.Notes, 0)
		if r.config.format.Sidecar != nil {
			r.annotated = it.record.Notes[i].Replaced(edits[i])
		}
	}
	return nil
}

// lose counts a note of the current file that is not written.
func (r *run) lose(l *audit.Line, err error) {
	l.Error = err.Error()
	l.Replaced, l.Lowest, l.Net, l.Kept = nil, nil, nil, nil
	r.failed = true
	r.summary.Add(l)
	r.lines = append(r.lines, l)
	r.ofFile++
}

func (r *run) open(it item) (err error) {
	if r.out == nil {
		r.out, err = openSink(it.file.out, it.zipped)
	}
	return err
}

// finish ends a file. One that breaks off, or of which nothing could be examined, is not
// written; of one that goes to stdout it is too late for that.
func (r *run) finish(it item) error {
	failed := r.failed
	r.failed = false
	unwritten := failed && r.out == nil
	if it.broken && (it.file.out != Stdio || r.out == nil) {
		r.out.abort()
		unwritten = true
		if err := r.takeBack(); err != nil {
			return err
		}
	}
	r.before, r.ended = r.summary.Clone(), len(r.lines)
	line := recordLine{File: it.file.auditName(), Lines: r.ofFile, Input: it.input}
	r.ofFile = 0
	if unwritten {
		r.out, r.annotated = nil, nil
		return nil
	}
	if err := r.open(it); err != nil { // of a file without a record
		return err
	}
	if r.annotated != nil { // gets its name first, so that a text is never without
		annotations, err := openSink(r.config.format.Sidecar.Path(it.file.out), false)
		if err != nil {
			return err
		}
		annotations.over = true // a run that was killed may have left them, and no text
		r.written = append(r.written, annotations)
		if err := errors.Join(annotations.write(r.config.format.Sidecar.Encode(r.annotated)), annotations.close()); err != nil {
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

// takeBack has the summary and the audit say of the notes of a file that breaks off that
// they are not written. The last line is the reason.
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

// maxWritten is how many files are on their way to disk at a time. A disk is as fast with
// many as with one, so this many take the time of one.
const maxWritten = 64

// settle gives the files that are written their names. They and their audit are on disk
// by then, whatever happens next: whoever finds a file finds all of it, and its audit.
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
