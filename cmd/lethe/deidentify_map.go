package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"filippo.io/age"

	"github.com/lethe-deid/lethe/deid/mapping"
)

// checkMap says who may read the map: nobody if there is to be none.
func (o *deidentifyOptions) checkMap() ([]age.Recipient, error) {
	switch {
	case o.mapFile == "" && len(o.mapRecipients) == 0:
		return nil, nil
	case o.mapFile == "":
		return nil, errors.New("--map-recipient wants a --map")
	case len(o.mapRecipients) == 0:
		return nil, errors.New("--map is written only encrypted: say with --map-recipient who may read it")
	case o.resume:
		return nil, errors.New("--map cannot go with --resume: what an earlier run has replaced would not be in it")
	}
	if info, err := os.Stat(o.mapFile); err == nil && info.IsDir() {
		return nil, fmt.Errorf("--map %s is a folder", o.mapFile)
	}
	if err := mustBeNew(o.mapFile); err != nil {
		return nil, err
	}
	if o.output != "" && o.output != stdio {
		file, err := resolved(o.mapFile)
		if err != nil {
			return nil, err
		}
		output, err := resolved(o.output)
		if err != nil {
			return nil, err
		}
		if file == output || strings.HasPrefix(file, output+string(filepath.Separator)) {
			return nil, fmt.Errorf("--map %s would go where the notes go: who gets them must not get it", o.mapFile)
		}
	}
	var all []age.Recipient
	for i, r := range o.mapRecipients {
		some, err := mapping.Recipients(r)
		if err != nil {
			return nil, fmt.Errorf("--map-recipient %d: %w", i+1, err)
		}
		all = append(all, some...)
	}
	return all, nil
}

// closeMap gives the map its name if the run is done, and else says that there is none.
func (o *deidentifyOptions) closeMap(m *mapping.Writer, done bool, err error) error {
	if !done {
		return errors.Join(err, fmt.Errorf("%s: not written, since the run has failed", o.mapFile))
	}
	closing := m.Close()
	if errors.Is(closing, fs.ErrExist) {
		closing = errors.New("has been created by another program meanwhile, and is not overwritten")
	}
	if failed := unwritable(o.mapFile, closing); failed != nil {
		if err != nil {
			complain(err) // without a map it is a failure, whatever else it is
		}
		return failed
	}
	return err
}

// remember adds to the map what was replaced in a note.
func (d *deidentification) remember(r *result) error {
	if d.mapping == nil {
		return nil
	}
	entry := mapping.Entry{Patient: r.doc.Patient}
	if entry.Patient == "" {
		entry.File, entry.ID = r.line.File, r.line.ID
	}
	for _, e := range r.edits {
		entry.Type, entry.Original, entry.Replacement = e.Type, r.doc.Text[e.Start:e.End], e.New
		if err := d.mapping.Add(entry); err != nil {
			return fmt.Errorf("the map cannot be written: %w", err)
		}
	}
	return nil
}
