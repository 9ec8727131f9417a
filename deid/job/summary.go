package job

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/lethe-deid/lethe/internal/wholefile"
)

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
