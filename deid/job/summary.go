package job

import (
	"encoding/json"
	"errors"
	"io/fs"
	"time"

	"github.com/lethe-deid/lethe/internal/wholefile"
)

// writeSummary writes the summary as JSON. A run that resumes another replaces its summary.
func (r *run) writeSummary(files *fileSet, took time.Duration) error {
	s := r.summary.Report()
	s.Version, s.Model, s.Config, s.PolicyDigest = r.config.Version, r.modelDigest, r.configDigest, r.config.policy.Digest
	s.Files, s.Bytes, s.Seconds = len(files.all), r.meter.done, took.Seconds()
	for _, left := range files.leftOut {
		s.FilesLeftOut += left.count()
	}
	encoded, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	file, err := wholefile.Create(r.config.Summary, 0o666)
	if err != nil {
		return unwritable(r.config.Summary, err)
	}
	defer func() { _ = file.Discard() }() // after it was published, this does nothing
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
