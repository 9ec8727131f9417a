// Package mapping keeps what stands for what, if somebody asks for it: a file
// encrypted with age (age-encryption.org), which those whose public keys, or
// whose passphrase, it was made for can read.
//
// Replacement needs no such file, for the same key gives the same values again;
// and whoever has this file has the PHI. Inside it is JSON lines:
//
//	{"group":"110","type":"PATIENT","original":"Oda Lund","replacement":"Ida Vega"}
package mapping

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"filippo.io/age"
	"github.com/google/renameio/v2"
)

// Entry says what stands for a value in the notes of one patient.
type Entry struct {
	Group       string `json:"group"` // data.Document.Group
	Type        string `json:"type"`
	Original    string `json:"original"`
	Replacement string `json:"replacement"`
}

// Recipient returns who can read the file from a public key, age1....
func Recipient(publicKey string) (age.Recipient, error) {
	r, err := age.ParseX25519Recipient(publicKey)
	if err != nil {
		return nil, errors.New("not a public key of age (age1...)")
	}
	return r, nil
}

// Passphrase returns a recipient, and the identity that reads for it.
func Passphrase(passphrase string) (age.Recipient, age.Identity, error) {
	r, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return nil, nil, err
	}
	i, err := age.NewScryptIdentity(passphrase)
	return r, i, err
}

// Writer writes a file that nobody sees under its name before it is whole. It
// serves one goroutine.
type Writer struct {
	file  *renameio.PendingFile
	crypt io.WriteCloser
	last  string // group of the entries in seen
	seen  map[Entry]bool
	err   error
}

// Create begins a file for the recipients, of whom there is at least one.
func Create(path string, to ...age.Recipient) (*Writer, error) {
	if len(to) == 0 {
		return nil, errors.New("a map of what stands for what is written only encrypted: name a recipient")
	}
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithPermissions(0o600))
	if err != nil {
		return nil, err
	}
	crypt, err := age.Encrypt(f, to...)
	if err != nil {
		_ = f.Cleanup()
		return nil, err
	}
	return &Writer{file: f, crypt: crypt, seen: map[Entry]bool{}}, nil
}

// Add writes an entry, once among those of its group, which come together.
func (w *Writer) Add(e Entry) error {
	if e.Group != w.last {
		w.last = e.Group
		clear(w.seen)
	}
	if w.err != nil || w.seen[e] {
		return w.err
	}
	w.seen[e] = true
	w.err = json.NewEncoder(w.crypt).Encode(e)
	return w.err
}

// Close puts the file under its name. After an error of Add there is none.
func (w *Writer) Close() error {
	if w.err != nil {
		_ = w.file.Cleanup()
		return w.err
	}
	if err := w.crypt.Close(); err != nil {
		_ = w.file.Cleanup()
		return err
	}
	return w.file.CloseAtomicallyReplace()
}

// Discard leaves nothing behind. It does nothing after Close.
func (w *Writer) Discard() error { return w.file.Cleanup() }

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
