package job

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"filippo.io/age"

	"github.com/lethe-deid/lethe/deid/mapping"
	"github.com/lethe-deid/lethe/internal/paths"
)

// recipients returns the public keys for which the map is encrypted, and checks that the map can be written to its path.
func (c *checked) recipients() ([]age.Recipient, error) {
	if c.Map == "" {
		return nil, nil
	}
	if info, err := os.Stat(c.Map); err == nil && info.IsDir() {
		return nil, optionError(fmt.Errorf("--map %s is a folder", c.Map))
	}
	if err := paths.MustBeNew(c.Map); err != nil {
		return nil, optionError(err)
	}
	if c.Output != Stdio {
		file, err := paths.Resolve(c.Map)
		if err != nil {
			return nil, err
		}
		output, err := paths.Resolve(c.Output)
		if err != nil {
			return nil, err
		}
		if file == output || strings.HasPrefix(file, output+string(filepath.Separator)) {
			return nil, optionError(fmt.Errorf("--map %s is in the output: whoever gets the notes must not get the map", c.Map))
		}
	}
	var all []age.Recipient
	for i, r := range c.MapRecipients {
		some, err := mapping.Recipients(r)
		if err != nil {
			return nil, optionError(fmt.Errorf("--map-recipient %d: %w", i+1, err))
		}
		all = append(all, some...)
	}
	return all, nil
}

// closeMap publishes the map if the run is done, and otherwise returns an error that says that there is no map.
func (c *checked) closeMap(m *mapping.Writer, done bool, err error, events Events) error {
	if !done {
		return errors.Join(err, fmt.Errorf("%s: not written, because the run failed", c.Map))
	}
	closing := m.Close()
	if errors.Is(closing, fs.ErrExist) {
		closing = errors.New("another program has created it in the meantime, so it was not overwritten")
	}
	if failed := unwritable(c.Map, closing); failed != nil {
		if err != nil {
			events.warn(err) // a missing map is always a failure, so its error is the one to return
		}
		return failed
	}
	return err
}

// remember adds the replacements in a note to the map.
func (r *run) remember(n *result) error {
	if r.mapping == nil {
		return nil
	}
	entry := mapping.Entry{Patient: n.note.Patient}
	if entry.Patient == "" {
		entry.File, entry.ID = n.line.File, n.line.ID
	}
	for _, e := range n.edits {
		entry.Type, entry.Original, entry.Replacement = e.Type, n.note.Text[e.Start:e.End], e.New
		if err := r.mapping.Add(entry); err != nil {
			return fmt.Errorf("the map cannot be written: %w", err)
		}
	}
	return nil
}
