package job

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/audit"
	"github.com/lethe-deid/lethe/deid/engine"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/internal/wholefile"
)

// treatments returns what an engine does with the values of each type that it finds.
func treatments(e *engine.Engine) map[string]audit.Treatment {
	all := map[string]audit.Treatment{}
	for _, t := range e.FoundTypes() {
		action := e.Deidentifier().Replacer.Planned(t.Name)
		if action == replace.Surrogate && t.Sort == data.Other { // values that can be anything have no surrogates: see package surrogate
			action = replace.Tag
		}
		all[t.Name] = audit.Treatment{Sort: t.Sort, Clinician: t.Clinician, Action: action}
	}
	return all
}

// reported returns the settings that are not empty, without those that name inputs, for the summary. It has no digests of files, because some are
// lists of names, and the summary may travel further than the record.
func (s settings) reported() map[string]string {
	all := map[string]string{}
	for name, value := range s.Options {
		all[name] = digested.ReplaceAllString(value, "file")
	}
	maps.DeleteFunc(all, func(name, value string) bool {
		return slices.Contains([]string{"model", "version", "input", "include", "exclude"}, name) || slices.Contains([]string{"", "[]", "false", "0"}, value)
	})
	return all
}

// digested matches the result of slowDigest.
var digested = regexp.MustCompile(`\b[0-9a-f]{32}\b`)

// openSummary opens the hidden file of the summary, so that a place which cannot be written to is found before the work
// starts. It returns nil if no summary is asked for.
func (c *checked) openSummary() (*wholefile.Pending, error) {
	if c.Summary == "" {
		return nil, nil
	}
	if err := os.MkdirAll(filepath.Dir(c.Summary), 0o777); err != nil {
		return nil, unwritable(c.Summary, err)
	}
	if c.Resume {
		if err := wholefile.RemoveHidden(c.Summary); err != nil {
			return nil, err
		}
	}
	file, err := wholefile.Create(c.Summary, 0o666)
	return file, unwritable(c.Summary, err)
}

// writeSummary writes the summary as JSON. A run that resumes another replaces its summary.
func (r *run) writeSummary(file *wholefile.Pending, files *fileSet, took time.Duration) error {
	s := r.summary.Report()
	s.Version, s.Model, s.Config, s.PolicyDigest = r.config.Version, r.modelDigest, r.configDigest, r.config.setup.Policy.Digest
	s.Types, s.Options = r.types, r.options
	s.Files, s.Bytes, s.Seconds = len(files.all), r.meter.done, took.Seconds()
	for _, left := range files.leftOut {
		s.FilesLeftOut += left.count()
	}
	encoded, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	_, err = file.Write(append(encoded, '\n'))
	if err := errors.Join(err, file.Close()); err != nil {
		return unwritable(r.config.Summary, err)
	}
	if r.config.Resume {
		return unwritable(r.config.Summary, file.Replace())
	}
	err = file.Publish()
	if errors.Is(err, fs.ErrExist) {
		err = errors.New("another program has created it in the meantime, so it was not overwritten")
	}
	return unwritable(r.config.Summary, err)
}
