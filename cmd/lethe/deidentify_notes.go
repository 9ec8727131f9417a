package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/brat"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/audit"
	"github.com/lethe-deid/lethe/deid/mapping"
	"github.com/lethe-deid/lethe/deid/notefile"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/deid/safetynet"
	"github.com/lethe-deid/lethe/models"
)

// What is read before it is tagged, and so held in memory: so many notes, so many records with or
// without notes, or so many bytes of files. Notes of one patient that follow each other are held
// together up to so many times as much.
const (
	batchNotes   = 256
	batchRecords = 16 * batchNotes
	batchBytes   = 8 << 20
	batchStretch = 4
)

// deidentification is one run of the command.
type deidentification struct {
	tagger         data.Tagger
	format         *notefile.Format
	options        notefile.Options
	patientFolders bool
	engine         *deid.Deidentifier
	known          *safetynet.Values
	knew           bool // something of a note
	workers        int

	mapping                   *mapping.Writer // nil: none
	audit                     *audit.File     // nil: none
	record                    *runRecord      // nil: none
	modelDigest, configDigest string
	summary, earlier          audit.Summary // of this run, and of the one that it goes on with
	progress                  *progress

	batch     []item
	notes     int // in the batch
	bytes     int
	out       *sink          // of the file that is being written; nil before its first record
	annotated *data.Document // the note of that file as written, where its spans are wanted
	failed    bool           // a record of that file could not be examined
	before    audit.Summary  // as it was when that file began
	written   []*sink        // files that are written, but have no name yet
	lines     []*audit.Line  // of notes written, but not yet in the audit
	ended     int            // of lines, those of files that have ended
	settled   int64          // how much of the audit is about files that have ended
	ofFile    int            // lines of the file that is being written
	recorded  []recordLine   // of files that are written, but have no name yet
	patients  patients
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
	group string // whose note it is
	doc   *data.Document
	known []safetynet.Value
	edits []notefile.Edit
	line  *audit.Line
	err   error
}

// run does the files, one after another.
func (d *deidentification) run(ctx context.Context, files *fileSet) (err error) {
	defer func() {
		for _, s := range append(d.written, d.out) {
			s.abort()
		}
	}()
	d.summary.Skipped, d.summary.Lost = files.whole, d.earlier.Failed
	d.before, d.settled = d.summary.Clone(), d.audit.Size()
	if d.audit == nil {
		d.earlier.Notes = files.whole // at least
	}
	var single error // of a file that is all there is
	for _, file := range files.all {
		if !files.todo() {
			break
		}
		broken, err := d.read(ctx, file)
		if err != nil {
			return err
		}
		if !file.folder {
			single = broken
		}
	}
	if err := d.flush(ctx); err != nil {
		return err
	}
	d.summary.Restarted = len(d.patients.restarted)
	switch {
	case single != nil:
		return single
	case d.summary.Failed+d.earlier.Failed > 0:
		return &models.Unexamined{Failed: d.summary.Failed + d.earlier.Failed, Notes: d.summary.Notes + d.earlier.Notes}
	}
	return nil
}

// read reads a file into the batch. Broken is why the rest of the file cannot be
// read, err why nothing can go on.
func (d *deidentification) read(ctx context.Context, file noteFile) (broken, err error) {
	stamp := d.stamp(file)
	in, zipped, err := openNotes(ctx, file.in)
	if err != nil {
		broken = err
		d.batch = append(d.batch, item{file: file, err: err, last: !file.folder}, item{file: file, end: true, broken: true})
		return broken, nil
	}
	defer in.Close()
	name := file.in
	if name == stdio {
		name = "stdin"
	}
	for record, err := range d.format.Read(in, name, d.options) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if b, ok := errors.AsType[*notefile.Broken](err); ok {
			broken = b.Err
			err = b.Err
		}
		next := item{file: file, record: record, err: err, last: broken != nil && !file.folder, zipped: zipped}
		if err == nil {
			for _, n := range record.Notes {
				next.notes = append(next.notes, d.result(file, n))
			}
		}
		if d.full(1) && !d.sameGroup(next) || d.full(batchStretch) {
			if err := d.flush(ctx); err != nil {
				return broken, err
			}
		}
		d.batch = append(d.batch, next)
		d.notes += len(next.notes)
		if record != nil {
			d.bytes += len(record.Raw)
		}
	}
	d.batch = append(d.batch, item{file: file, end: true, broken: broken != nil, zipped: zipped, input: stamp})
	return broken, nil
}

// stamp says what the output of a file is made from, if a record holds it.
func (d *deidentification) stamp(file noteFile) string {
	if d.record == nil || file.in == stdio {
		return ""
	}
	return inputStamp(file.in)
}

// full says whether the batch is, or is so many times.
func (d *deidentification) full(times int) bool {
	return d.notes >= times*batchNotes || len(d.batch) >= times*batchRecords || d.bytes >= times*batchBytes
}

// result begins that of a note.
func (d *deidentification) result(file noteFile, n *notefile.Note) *result {
	doc := &data.Document{ID: n.ID, Patient: n.Patient, Text: n.Text}
	if doc.Patient == "" && (d.format.Name == "text" || d.format.Name == "brat") && file.in != stdio {
		doc.Patient = notefile.PatientOf(doc.ID)
	}
	if dir := filepath.ToSlash(filepath.Dir(file.name)); d.patientFolders && dir != "." {
		doc.Patient = dir
	}
	group := doc.Patient
	if group == "" { // IDs need not differ between files
		group = file.name + "\x00" + doc.ID
	}
	known := d.known.Of(doc)
	d.knew = d.knew || len(known) > 0
	return &result{group: group, doc: doc, known: slices.Concat(n.Known, known), line: d.line(file, n.Line, n.ID)}
}

func (d *deidentification) line(file noteFile, line int, id string) *audit.Line {
	return &audit.Line{File: file.auditName(), Line: line, ID: id, Model: d.modelDigest, Config: d.configDigest}
}

// sameGroup says whether the item goes on with the patient of the last in the batch.
func (d *deidentification) sameGroup(next item) bool {
	if len(next.notes) == 0 {
		return false
	}
	for i := len(d.batch) - 1; i >= 0; i-- {
		if notes := d.batch[i].notes; len(notes) > 0 {
			return notes[len(notes)-1].group == next.notes[0].group
		}
	}
	return false
}

// flush tags the notes of the batch, replaces their PHI, and writes them. What an earlier
// run has written is replaced again where it may belong to the patients of other notes, so
// that these come out as they would have, but is not written.
func (d *deidentification) flush(ctx context.Context) error {
	d.patients.come(d.batch)
	if !slices.ContainsFunc(d.batch, func(it item) bool { return !it.file.done }) {
		d.batch, d.notes, d.bytes = d.batch[:0], 0, 0
		return nil
	}
	var all []*result
	var docs []*data.Document
	for _, it := range d.batch {
		for _, r := range it.notes {
			all, docs = append(all, r), append(docs, r.doc)
		}
	}
	if len(docs) > 0 {
		found, errs := data.TagEach(ctx, d.tagger, docs)
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, r := range all {
			r.doc.Spans, r.err = found[i], errs[i]
		}
		d.replaceAll(all)
	}
	for _, it := range d.batch {
		if err := d.write(it); err != nil {
			return err
		}
	}
	d.batch, d.notes, d.bytes = d.batch[:0], 0, 0
	if d.out != nil {
		if err := d.out.flush(); err != nil {
			return err
		}
	}
	return d.settle()
}

// replaceAll replaces the PHI of the notes, patients in parallel.
func (d *deidentification) replaceAll(all []*result) {
	var groups [][]*result
	where := map[string]int{}
	for _, r := range all {
		g, ok := where[r.group]
		if !ok {
			g = len(groups)
			where[r.group] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], r)
	}
	inParallel(d.workers, len(groups), func(g int) { d.replaceGroup(groups[g]) })
}

// inParallel calls a function with 0 to n-1, with so many calls at a time.
func inParallel(workers, n int, do func(i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(workers, n) {
		all.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				do(i)
			}
		})
	}
	all.Wait()
}

// replaceGroup works out the edits of the notes of one patient.
func (d *deidentification) replaceGroup(group []*result) {
	var notes []deid.Note
	var whose []*result
	for _, r := range group {
		if r.err == nil {
			notes, whose = append(notes, deid.Note{Document: r.doc, Known: r.known}), append(whose, r)
		}
	}
	for i, done := range d.engine.Patient(group[0].group, notes) {
		whose[i].conclude(done)
	}
}

// conclude makes edits of what was replaced, and counts it.
func (r *result) conclude(done deid.Result) {
	if r.err = done.Err; r.err != nil {
		return
	}
	l := r.line
	l.Replaced, l.Kept, l.Lowest = map[string]int{}, map[string]int{}, map[string]float64{}
	if len(done.Found) > 0 {
		l.Net = done.Found
	}
	for _, s := range r.doc.Spans {
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
		r.edits = append(r.edits, notefile.Edit{
			Start: c.Old.Start, End: c.Old.End, New: done.Clean.Text[c.New.Start:c.New.End], Type: c.Old.Type, Score: c.Old.Score,
		})
	}
}

// write writes an item of the batch, and ends a file.
func (d *deidentification) write(it item) error {
	if it.file.done {
		return nil
	}
	if it.end {
		return d.finish(it)
	}
	if it.err != nil {
		line := 0
		if e, ok := errors.AsType[*data.Error](it.err); ok {
			line = e.Line
		}
		d.lose(d.line(it.file, line, ""), it.err)
		if !it.last {
			d.progress.failed(it.err)
		}
		return nil
	}
	edits := make([][]notefile.Edit, len(it.notes))
	for i, r := range it.notes {
		if r.err != nil {
			err := &data.Error{Path: it.file.in, Line: r.line.Line, Offset: -1, Reason: "a note cannot be examined", Err: r.err}
			d.lose(r.line, err)
			d.progress.failed(err)
			return nil
		}
		edits[i] = r.edits
	}
	raw, err := it.record.Encode(edits)
	if err != nil {
		err = &data.Error{Path: it.file.in, Line: it.record.Line, Offset: -1, Reason: "a note cannot be written", Err: err}
		for _, r := range it.notes {
			d.lose(r.line, err)
		}
		d.progress.failed(err)
		return nil
	}
	if err := d.open(it); err != nil {
		return err
	}
	if err := d.out.write(raw); err != nil {
		return err
	}
	for i, r := range it.notes {
		if err := d.remember(r); err != nil {
			return err
		}
		d.summary.Add(r.line)
		d.patients.count(&d.summary, r.doc.Patient)
		d.lines = append(d.lines, r.line)
		d.ofFile++
		d.progress.show("de-identifying", d.summary.Notes, 0)
		if d.format.Name == "brat" {
			d.annotated = it.record.Notes[i].Replaced(edits[i])
		}
	}
	return nil
}

// lose counts a note of the current file that is not written.
func (d *deidentification) lose(l *audit.Line, err error) {
	l.Error = err.Error()
	l.Replaced, l.Lowest, l.Net, l.Kept = nil, nil, nil, nil
	d.failed = true
	d.summary.Add(l)
	d.lines = append(d.lines, l)
	d.ofFile++
}

func (d *deidentification) open(it item) (err error) {
	if d.out == nil {
		d.out, err = openSink(it.file.out, it.zipped)
	}
	return err
}

// finish ends a file. One that breaks off, or of which nothing could be examined, is not
// written; of one that goes to stdout it is too late for that.
func (d *deidentification) finish(it item) error {
	failed := d.failed
	d.failed = false
	unwritten := failed && d.out == nil
	if it.broken && (it.file.out != stdio || d.out == nil) {
		d.out.abort()
		unwritten = true
		if err := d.takeBack(); err != nil {
			return err
		}
	}
	d.before, d.ended = d.summary.Clone(), len(d.lines)
	line := recordLine{File: it.file.auditName(), Lines: d.ofFile, Input: it.input}
	d.ofFile = 0
	if unwritten {
		d.out, d.annotated = nil, nil
		return nil
	}
	if err := d.open(it); err != nil { // of a file without a record
		return err
	}
	if d.annotated != nil { // gets its name first, so that a text is never without
		annotations, err := openSink(annotationPath(it.file.out), false)
		if err != nil {
			return err
		}
		annotations.over = true // a run that was killed may have left them, and no text
		d.written = append(d.written, annotations)
		if err := errors.Join(annotations.write(brat.Encode(d.annotated)), annotations.close()); err != nil {
			return err
		}
	}
	d.written = append(d.written, d.out)
	d.recorded = append(d.recorded, line)
	d.out, d.annotated = nil, nil
	if err := d.written[len(d.written)-1].close(); err != nil {
		return err
	}
	if len(d.written) >= maxWritten {
		return d.settle()
	}
	return nil
}

// takeBack has the summary and the audit say of the notes of a file that breaks off that
// they are not written. The last line is the reason.
func (d *deidentification) takeBack() error {
	reason := d.lines[len(d.lines)-1]
	reason.Lost = d.summary.Notes - d.before.Notes - 1
	d.lines = append(d.lines[:d.ended], reason)
	d.summary = d.before.Clone()
	d.summary.Add(reason)
	if d.audit.Size() == d.settled {
		return nil
	}
	return d.audit.Truncate(d.settled)
}

// maxWritten is how many files are on their way to disk at a time. A disk is as fast with
// many as with one, so this many take the time of one.
const maxWritten = 64

// settle gives the files that are written their names. They and their audit are on disk
// by then, whatever happens next: whoever finds a file finds all of it, and its audit.
func (d *deidentification) settle() error {
	for _, s := range d.written {
		if err := s.wait(); err != nil {
			return err
		}
	}
	if d.ended > 0 {
		if err := d.audit.Write(d.lines[:d.ended]); err != nil {
			return err
		}
		d.settled = d.audit.Size()
	}
	if err := d.audit.Write(d.lines[d.ended:]); err != nil {
		return err
	}
	d.lines, d.ended = d.lines[:0], 0
	if len(d.written) == 0 {
		return nil
	}
	if d.audit != nil {
		if err := d.audit.Sync(); err != nil {
			return err
		}
	}
	if err := d.record.add(d.recorded...); err != nil {
		return err
	}
	d.recorded = d.recorded[:0]
	folders := map[string]bool{}
	for len(d.written) > 0 {
		if err := d.written[0].commit(); err != nil {
			return err
		}
		if d.written[0].pending != nil {
			folders[filepath.Dir(d.written[0].path)] = true
		}
		d.written = d.written[1:]
	}
	syncFolders(folders)
	return nil
}
