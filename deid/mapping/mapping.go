// Package mapping keeps what stands for what, if somebody asks for it: a file
// encrypted with age (age-encryption.org), which those can read for whose public
// keys it was made.
//
// Replacement needs no such file, for the same key gives the same values again;
// and whoever has this file has the PHI. Inside it is JSON lines:
//
//	{"patient":"110","type":"PATIENT","original":"Oda Lund","replacement":"Ida Vega"}
//	{"file":"ward 7/a.txt","id":"a","type":"PHONE","original":"555-0199","replacement":"318-4402"}
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

// Entry says what stands for a value in the notes of one patient or, if it is
// not known whose a note is, in the note.
type Entry struct {
	Patient     string `json:"patient,omitempty"`
	File        string `json:"file,omitempty"` // of a note without patient
	ID          string `json:"id,omitempty"`   // likewise
	Type        string `json:"type"`
	Original    string `json:"original"`
	Replacement string `json:"replacement"`
}

// Recipients returns who can read the file, from a public key (age1...) or the
// path of a file with one a line, as age has them. Errors quote no key, since a secret one
// may have been given by mistake.
func Recipients(keyOrFile string) ([]age.Recipient, error) {
	keyOrFile = strings.TrimSpace(keyOrFile)
	if strings.Contains(strings.ToUpper(keyOrFile), "AGE-SECRET-KEY") {
		return nil, errors.New("is a secret key; give the public one, which begins with age1")
	}
	if strings.HasPrefix(keyOrFile, "age1") {
		to, err := age.ParseRecipients(strings.NewReader(keyOrFile))
		if err != nil {
			return nil, errors.New("is not a public key of age")
		}
		return to, nil
	}
	raw, err := bounded.ReadFile(keyOrFile, bounded.MaxConfig)
	if err != nil {
		return nil, err
	}
	to, err := age.ParseRecipients(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("%s: no public keys of age: %w", keyOrFile, err)
	}
	return to, nil
}

// Writer writes a file that nobody sees under its name before it is whole. It
// serves one goroutine.
type Writer struct {
	file  *wholefile.Pending
	crypt io.WriteCloser
	lines *json.Encoder
	last  Entry // whose entries are in seen
	seen  map[Entry]bool
	err   error
}

// Create begins a file for the recipients, of whom there is at least one.
func Create(path string, to ...age.Recipient) (*Writer, error) {
	if len(to) == 0 {
		return nil, errors.New("a map of what stands for what is written only encrypted: name a recipient")
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

// Add writes an entry, once among those of its patient or note that come together.
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

// Close puts the file under its name, if nothing has come there meanwhile. After an error there is none.
func (w *Writer) Close() error {
	defer func() { _ = w.file.Discard() }() // after Publish it does nothing
	if w.err != nil {
		return w.err
	}
	if err := w.crypt.Close(); err != nil {
		return err
	}
	return w.file.Publish()
}

// Discard leaves nothing behind. It does nothing after Close.
func (w *Writer) Discard() error { return w.file.Discard() }

// Read returns all entries of a file. Errors name the line, not what is in it.
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
	for line := 1; ; line++ {
		var e Entry
		switch err := decoder.Decode(&e); {
		case errors.Is(err, io.EOF):
			return entries, nil
		case err != nil:
			return nil, fmt.Errorf("%s: entry %d: damaged or cut off", path, line)
		}
		entries = append(entries, e)
	}
}
