// Package mapping writes and reads files that map originals to their replacements. A file is JSON Lines, encrypted
// with age (age-encryption.org) for the owners of certain public keys:
//
//	{"patient":"110","type":"PATIENT","original":"Oda Lund","replacement":"Ida Vega"}
//	{"file":"ward 7/a.txt","id":"a","type":"PHONE","original":"555-0199","replacement":"318-4402"}
//
// Whoever can decrypt such a file has the PHI. Consistent replacement does not require it, because the same key always
// gives the same replacements.
package mapping

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"filippo.io/age"

	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/wholefile"
)

// Entry is the replacement of a value in the notes of a patient or, if the patient is unknown, in one note.
type Entry struct {
	Patient     string `json:"patient,omitempty"` // "" if unknown
	File        string `json:"file,omitempty"`    // file of the note, if the patient is unknown
	ID          string `json:"id,omitempty"`      // ID of the note, if the patient is unknown
	Type        string `json:"type"`
	Original    string `json:"original"`
	Replacement string `json:"replacement"`
}

// Recipients parses a public key (age1...), or reads a file of public keys with one per line, in the format of age.
// Errors quote no key, because it may be a secret key that was given by mistake.
func Recipients(keyOrFile string) ([]age.Recipient, error) {
	keyOrFile = strings.TrimSpace(keyOrFile)
	if strings.Contains(strings.ToUpper(keyOrFile), "AGE-SECRET-KEY") {
		return nil, errors.New("is a secret key; give the public one, which starts with age1")
	}
	if strings.HasPrefix(keyOrFile, "age1") {
		to, err := age.ParseRecipients(strings.NewReader(keyOrFile))
		if err != nil {
			return nil, errors.New("is not a public age key")
		}
		return to, nil
	}
	raw, err := bounded.ReadFile(keyOrFile, bounded.MaxConfig)
	if err != nil {
		return nil, err
	}
	if bytes.Contains(bytes.ToUpper(raw), []byte("AGE-SECRET-KEY")) {
		return nil, fmt.Errorf("%s: contains a secret key; give a file of public ones, which start with age1", keyOrFile)
	}
	to, err := age.ParseRecipients(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("%s: not a file of public age keys: %w", keyOrFile, err)
	}
	return to, nil
}

// Writer writes a file, which appears under its name on Close. It must not be used by several goroutines at a time.
type Writer struct {
	file  *wholefile.Pending
	crypt io.WriteCloser
	lines *json.Encoder
	last  Entry          // patient or note of the last entry
	seen  map[Entry]bool // entries of that patient or note
	err   error          // first error of Add
}

// Create returns a Writer of a new file that the recipients can decrypt. It requires at least one recipient. The file
// has mode 0600. Call Close or Discard when done.
func Create(path string, to ...age.Recipient) (*Writer, error) {
	if len(to) == 0 {
		return nil, errors.New("a map requires a recipient, because it is always encrypted")
	}
	f, err := wholefile.Create(path, 0o600)
	if err != nil {
		return nil, err
	}
	crypt, err := age.Encrypt(f, to...)
	if err != nil {
		_ = f.Discard()
		return nil, err
	}
	w := &Writer{file: f, crypt: crypt, lines: json.NewEncoder(crypt), seen: map[Entry]bool{}}
	w.lines.SetEscapeHTML(false)
	return w, nil
}

// Add writes an entry, unless an equal one was written since the patient or note last changed. After an error it
// writes nothing and returns the same error.
func (w *Writer) Add(e Entry) error {
	if whose := (Entry{Patient: e.Patient, File: e.File, ID: e.ID}); whose != w.last {
		w.last = whose
		clear(w.seen)
	}
	if w.err != nil || w.seen[e] {
		return w.err
	}
	w.seen[e] = true
	w.err = w.lines.Encode(e)
	return w.err
}

// Close completes the file and publishes it under its name. The error is fs.ErrExist if there is such a file by now. If
// Close or an earlier Add fails, no file is left.
func (w *Writer) Close() error {
	defer func() { _ = w.file.Discard() }() // after Publish this does nothing
	if w.err != nil {
		return w.err
	}
	if err := w.crypt.Close(); err != nil {
		return err
	}
	return w.file.Publish()
}

// Discard removes the unfinished file. After Close it does nothing.
func (w *Writer) Discard() error { return w.file.Discard() }

// Read decrypts a file with any of the identities and returns all entries. Errors name the number of the entry, and do
// not quote it.
func Read(path string, identities ...age.Identity) ([]Entry, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	plain, err := age.Decrypt(bufio.NewReader(f), identities...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var entries []Entry
	decoder := json.NewDecoder(plain)
	for number := 1; ; number++ {
		var e Entry
		switch err := decoder.Decode(&e); {
		case errors.Is(err, io.EOF):
			return entries, nil
		case err != nil:
			return nil, fmt.Errorf("%s: entry %d: damaged or cut off", path, number)
		}
		entries = append(entries, e)
	}
}
