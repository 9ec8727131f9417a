// Package job de-identifies files and folders of notes, as "lethe deidentify" does:
//
//	summary, err := job.Run(ctx, job.Config{Options: engine.Options{Model: "model/best"}, Inputs: []string{"notes"}, Output: "clean"}, job.Events{})
//
// A run processes consecutive notes of a patient together and publishes an output file only when it is complete. It can write
// an audit (package audit) and an encrypted map from originals to replacements (package mapping), and it can resume a
// run that was stopped. The package prints no messages: see [Events].
package job

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/audit"
	"github.com/lethe-deid/lethe/deid/engine"
	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/mapping"
	"github.com/lethe-deid/lethe/deid/notefile"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/internal/paths"
	"github.com/lethe-deid/lethe/models"
)

// Events are callbacks that Run calls while it works, all from the same goroutine. Each may be nil.
type Events struct {
	Progress func(Progress) // receives what is done so far
	Failed   func(error)    // receives the reason why a note or a file could not be examined; the run continues
	Warn     func(error)    // receives anything else that the user should know
}

func (e Events) failed(err error) {
	if e.Failed != nil {
		e.Failed(err)
	}
}

func (e Events) warn(err error) {
	if e.Warn != nil {
		e.Warn(err)
	}
}

// Progress is how far a run is. The first is that of its start.
type Progress struct {
	Notes int   // number of notes that are done
	Bytes int64 // number of bytes of the input files that are done, compressed if the files are
	Total int64 // number of bytes of all input files; 0 if it is unknown, as for stdin
}

// LeftOut is the error of a run that did not read all files of its input folder. Everything else was done.
type LeftOut struct {
	Dir   string // the input folder
	Files int    // number of files and folders that may contain notes but were not read
}

func (e *LeftOut) Error() string {
	return fmt.Sprintf("%s: not all files were read (left out: %d); if this is intended, give --skip-others", e.Dir, e.Files)
}

// Run de-identifies the notes that config names. The summary is nil if the run stopped early or
// nothing was done. The error may join several errors, among them:
//
//   - [*models.Unexamined] or [*LeftOut]: some notes were not examined, all others were done
//   - [*TooManyUnlike]: all notes were examined and written
//   - [*OptionError]: the options are invalid, and the run has not started
func Run(ctx context.Context, config Config, events Events) (_ *audit.Summary, err error) {
	began := time.Now()
	c, err := config.check()
	if err != nil {
		return nil, err
	}
	recipients, err := c.recipients()
	if err != nil {
		return nil, err
	}
	files, err := c.findFiles(ctx, events)
	if err != nil {
		return nil, err
	}
	if err := c.checkFormats(files); err != nil {
		return nil, optionError(err)
	}
	c.warnOfKey(events)
	if err := c.checkReports(files); err != nil {
		return nil, err
	}
	r, settings, err := c.begin(c.Audit != "" || c.Summary != "" || files.output != Stdio, events)
	if err != nil {
		return nil, err
	}
	r.summary.Unchanged = c.unchanged(files)
	defer files.release()
	if err := files.claim(c.Resume, settings); err != nil {
		return nil, err
	}
	r.record = files.record
	if err := c.openAudit(r, files); err != nil {
		return nil, err
	}
	if len(recipients) > 0 {
		if r.mapping, err = mapping.Create(c.Map, recipients...); err != nil {
			return nil, errors.Join(unwritable(c.Map, err), r.audit.Close())
		}
		defer func() { _ = r.mapping.Discard() }()
	}
	report, err := c.openSummary()
	if err != nil {
		return nil, errors.Join(err, r.audit.Close())
	}
	if report != nil {
		defer func() { _ = report.Discard() }() // after it was published, this does nothing
	}
	if r.notesNLP, err = c.createNoteNLP(); err != nil {
		return nil, errors.Join(err, r.audit.Close())
	}
	err = r.do(ctx, files)
	r.warnOfShort()
	if r.known != nil && !r.knew && r.summary.Notes > 0 {
		events.warn(fmt.Errorf("%s: matches none of the notes: does it use the same patients and ids?", strings.Join(c.Known, ", ")))
	}
	if r.rows && !r.texts && err == nil && len(c.Columns) == 0 {
		events.warn(errors.New("no text was examined as a note, because no --column was given: only the fields with rules have changed"))
	}
	if (r.summary.Notes > 0 || r.rows) && err == nil {
		for _, path := range c.unusedFields() {
			events.warn(fmt.Errorf("the rule for the field %q matches nothing in the records: is it the path of a field?", path))
		}
	}
	if !c.Marked {
		warnOfTypes(files.formats(), r.summary.Types(), events)
	}
	var summary *audit.Summary
	_, unlike := errors.AsType[*TooManyUnlike](err)
	if u, ok := errors.AsType[*models.Unexamined](err); err == nil || unlike || ok && u.Partly() {
		summary = &r.summary
	}
	err = errors.Join(err, r.notesNLP.close(summary != nil), r.audit.Close())
	if r.mapping != nil {
		err = c.closeMap(r.mapping, summary != nil, err, events)
	}
	if !c.SkipOthers {
		for _, left := range files.leftOut {
			err = errors.Join(err, left.err())
		}
	}
	if summary != nil && report != nil {
		err = errors.Join(err, r.writeSummary(report, files, time.Since(began)))
	}
	return summary, err
}

// TooManyUnlike is the error of a run in which the share of notes that are unlike those of the model's calibration exceeds
// Config.MaxUnlike. All notes were examined and written.
type TooManyUnlike struct {
	Share, Max float64
}

func (e *TooManyUnlike) Error() string {
	return fmt.Sprintf("%.3f of the notes are unlike those the model was calibrated on, more than %v", e.Share, e.Max)
}

// warnOfShort warns if fields of the records were not searched for in their notes, as begin does for the files of known values.
func (r *run) warnOfShort() {
	if r.short {
		r.events.warn(errors.New("some values of fields are too short to search for in the notes, such as a record number of fewer than five digits: only the fields have changed"))
	}
}

// begin opens everything that a run or a worker requires before it reads notes. It returns the run and its settings, which
// are empty unless recorded is true: computing them takes a while, and without an audit and a record nobody reads them.
func (c *checked) begin(recorded bool, events Events) (*run, settings, error) {
	var none settings
	e, err := c.setup.Open()
	if err != nil {
		return nil, none, err
	}
	c.options.Types = e.Types
	r := &run{
		config: c, events: events, engine: e.Deidentifier(), model: e.Model, known: e.Known, patients: newPatients(c.setup.Replaces(replace.Numbered)),
		summary: audit.Summary{Policy: e.Policy.Name, Expected: c.expected(e)},
	}
	c.options.StaysDate = func(typ string) bool {
		stays := []replace.Kind{replace.Keep, replace.Year, replace.Shift, replace.Surrogate}
		return r.engine.Replacer.SortOf(typ) == data.Date && slices.Contains(stays, r.engine.Replacer.Planned(typ))
	}
	with := e.Replacement()
	if err := c.openFields(with.Key); err != nil {
		return nil, none, err
	}
	r.summary.Unkeyed = with.Key == nil
	r.summary.NoNet = r.engine.Net == nil
	if r.known != nil && r.known.Short() > 0 {
		events.warn(fmt.Errorf("%s: %d values are too short to search for", strings.Join(c.Known, ", "), r.known.Short()))
	}
	if !recorded {
		return r, none, nil
	}
	if r.model != nil {
		if r.modelDigest, err = r.model.Digest(); err != nil {
			return nil, none, err
		}
	}
	s, err := c.settings(r.modelDigest, with)
	if err != nil {
		return nil, none, err
	}
	r.types, r.options = treatments(e), s.reported()
	r.configDigest, err = s.digest()
	return r, s, err
}

// expected says which part of the PHI is expected to be left, or returns "" if nothing is known about it.
func (c *checked) expected(e *engine.Engine) string {
	switch {
	case c.Marked:
		return "whatever the files do not mark"
	case e.Model.Builtin():
		return "unknown, because the models that come with lethe were not validated on real notes: check a sample"
	case e.Point != nil:
		return e.Point.Expected()
	case c.MinRecall == 0 && c.Bias == 0 && !c.Strict && calibrated(e.Model):
		return "unknown at the model's default threshold (--min-recall and --strict have measured ones): check a sample"
	case c.Bias > 0:
		return "unknown with --bias: check a sample"
	}
	return ""
}

// calibrated reports whether the model has operating points that belong to it.
func calibrated(model *models.Model) bool {
	_, err := models.OperatingPoints(model.Dir)
	return err == nil
}

// openFields passes the rules for fields to the reader. Without a key, pseudonyms follow from a random one, which nobody ever learns.
func (c *checked) openFields(key []byte) error {
	if len(c.fields) == 0 {
		return nil
	}
	for _, format := range slices.Sorted(maps.Keys(c.fields)) {
		if c.options.Types == nil {
			break
		}
		if err := c.fields[format].Check(c.options.Types); err != nil {
			return fmt.Errorf("--field or --policy: %w", err)
		}
	}
	if key == nil {
		key = []byte(rand.Text())
	}
	c.options.Pseudonym = field.Pseudonyms(key)
	return nil
}

// checkReports returns an error if the audit or the summary cannot be written to its path. It changes nothing.
func (c *checked) checkReports(files *fileSet) error {
	if c.Map != "" {
		if _, err := files.outside("map", c.Map); err != nil {
			return err
		}
	}
	if err := c.checkReport("audit", c.Audit, files); err != nil {
		return err
	}
	if err := c.checkReport("summary", c.Summary, files); err != nil || c.Audit == "" || c.Summary == "" {
		return err
	}
	audit, err := paths.Resolve(c.Audit)
	if err != nil {
		return err
	}
	if summary, err := paths.Resolve(c.Summary); err != nil || summary == audit {
		return cmp.Or(err, fmt.Errorf("%s: the audit and the summary must be different files", c.Audit))
	}
	return nil
}

// outside resolves the path of a file, which must not be in an input.
func (f *fileSet) outside(what, file string) (path string, err error) {
	if path, err = paths.Resolve(file); err != nil {
		return "", err
	}
	for _, input := range f.inputs {
		in, err := paths.Resolve(input)
		if err != nil {
			return "", err
		}
		if paths.Contains(in, path) {
			return "", fmt.Errorf("%s: the %s would be written into the input", file, what)
		}
	}
	return path, nil
}

// checkReport checks the path of the audit or the summary, which may be "".
func (c *checked) checkReport(what, file string, files *fileSet) error {
	if file == "" {
		return nil
	}
	if file == Stdio {
		return fmt.Errorf("--%s requires a file: stdout is for notes", what)
	}
	if !c.Resume {
		if _, err := os.Lstat(file); err == nil {
			if _, err := os.Lstat(recordPath(files.output, files.folder)); files.output != Stdio && err == nil {
				return fmt.Errorf("%s: already exists; if a run to %s was interrupted, resume it with --resume, or choose another", file, files.output)
			}
			return fmt.Errorf("%s: already exists", file)
		}
	}
	path, err := files.outside(what, file)
	if err != nil {
		return err
	}
	if c.Map != "" {
		if other, err := paths.Resolve(c.Map); err != nil || other == path {
			return cmp.Or(err, fmt.Errorf("%s: the %s and the map must be different files", file, what))
		}
	}
	out, err := paths.Resolve(files.output)
	if err != nil {
		return err
	}
	if path == recordPath(out, files.folder) {
		return fmt.Errorf("%s: the %s cannot have the path of the run's record", file, what)
	}
	for _, note := range files.all {
		place := out
		if files.folder {
			place = filepath.Join(out, note.name)
		}
		if path == place || path == note.format.Sidecar.Path(place) {
			return fmt.Errorf("%s: the %s cannot have the path of an output file", file, what)
		}
	}
	return nil
}

// openAudit creates the audit or, if the run resumes another, opens it and reads what that run has done.
func (c *checked) openAudit(r *run, files *fileSet) error {
	if c.Audit == "" {
		return nil
	}
	var err error
	if r.record == nil || !r.record.audited { // the earlier run may have stopped before it created its audit
		if r.audit, err = audit.Create(c.Audit); err != nil {
			return err
		}
		return r.record.audit()
	}
	lines := map[string]int{}
	for _, file := range files.all {
		if file.done {
			lines[file.auditName()] = r.record.lines[file.auditName()]
		}
	}
	left := leftovers{}
	left.add(c.Audit)
	if err := left.remove(); err != nil {
		return err
	}
	r.audit, r.earlier, err = audit.Resume(c.Audit, r.modelDigest, r.configDigest, files.redo(), lines)
	return err
}

// warnOfTypes warns of types of what was replaced that the type set of a format with marks lacks: the files have the types of the model.
func warnOfTypes(formats []*notefile.Format, types []string, events Events) {
	for _, set := range data.TypeSets() {
		if !slices.ContainsFunc(formats, func(f *notefile.Format) bool { return f.Marks && f.Name == set.Format }) {
			continue
		}
		if foreign := slices.DeleteFunc(slices.Clone(types), set.Has); len(foreign) > 0 {
			events.warn(fmt.Errorf("the %s files have types of the model that the type set %s lacks, so read them with --types any: %s", set.Format, set.Name, strings.Join(foreign, ", ")))
		}
	}
}
