package review

import (
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/internal/lockfile"
	"github.com/lethe-deid/lethe/internal/paths"
)

// By says how the notes of a sample are drawn.
type By string

// The ways to draw a sample.
const (
	// ByNote draws notes at random, each with the same probability and without replacement.
	ByNote By = "random"
	// ByPatient draws patients at random, and takes all of their notes. A note without a patient is drawn by itself.
	ByPatient By = "patient"
	// ByDoubt takes the notes in which the model is least sure: those with the largest number of tokens that are expected to be
	// wrong. From such a sample the model learns most (Settles and Craven 2008, "An analysis of active learning strategies for
	// sequence labeling tasks", call the measure total uncertainty), but it allows no statement about the other notes.
	ByDoubt By = "doubt"
)

// Random reports whether the sample allows statements about the notes that it was drawn from.
func (b By) Random() bool { return b == ByNote || b == ByPatient }

// LeastDoubt is the probability of being PHI from which a token that the model left is one of the doubts of a note.
const LeastDoubt = 0.01

// Draw says what to draw.
type Draw struct {
	By      By       // required
	Notes   int      // number of notes or, if By is ByPatient, of patients; at least 1
	Seed    uint64   // of a random sample: the same seed and the same notes, in the same order, give the same sample
	Readers []string // one or two; names of lower-case letters, digits and -
	Unaided bool     // do not show the readers what the model found
	Name    string   // of the review; default the name of the folder
	Version string   // version of the program
}

// Model is the model whose work is reviewed.
type Model struct {
	Name, Digest string
	Types        *data.TypeSet
	TypeNames    []string // the types that readers can choose, all of which Types has
	Finds        string   // options that decide what the model finds, for people
	// Find returns everything that would be replaced in the notes, or an error for each note that cannot be examined.
	Find func(ctx context.Context, notes []deid.Note) ([][]data.Span, []error)
	// Doubts has as its spans the tokens that the model leaves with a probability of at least LeastDoubt: see models.Model.Doubts.
	// Nil: the model reports none.
	Doubts data.Tagger
}

// Failed receives the errors of notes that could not be read or examined. It may be nil.
type Failed func(error)

func (f Failed) tell(err error) {
	if f != nil {
		f(err)
	}
}

// Sample draws a sample of notes, and makes a review of it in a folder, which must be new or empty. It reads the notes once,
// and holds only the drawn ones in memory. A note that cannot be read, or that is drawn and cannot be examined, is left out and
// counted in the manifest. If Sample is interrupted, it can be called again.
func Sample(ctx context.Context, dir string, notes iter.Seq2[deid.Note, error], model Model, draw Draw, failed Failed) (*Manifest, error) {
	if err := draw.check(model); err != nil {
		return nil, err
	}
	release, err := claim(dir)
	if err != nil {
		return nil, err
	}
	defer release()
	m := &Manifest{
		Layout: layout, Version: draw.Version, Name: draw.Name, Model: model.Name, Digest: model.Digest, Types: model.Types.Config(), TypeNames: model.TypeNames, Finds: model.Finds,
		By: draw.By, Seed: draw.Seed, Unaided: draw.Unaided, Readers: draw.Readers,
	}
	if m.Name == "" {
		m.Name = filepath.Base(dir)
	}
	if !draw.By.Random() {
		m.Seed = 0
	}
	s := &sampler{model: model, draw: draw, manifest: m, failed: failed, drawn: units{byKey: map[string]*unit{}}}
	if err := s.read(ctx, notes); err != nil {
		return nil, err
	}
	if err := s.write(ctx, dir); err != nil {
		return nil, err
	}
	_, err = write(filepath.Join(dir, manifestFile), m)
	return m, err
}

func (d Draw) check(model Model) error {
	switch {
	case d.By != ByNote && d.By != ByPatient && d.By != ByDoubt:
		return fmt.Errorf("a sample is drawn by %s, %s or %s, not by %q", ByNote, ByPatient, ByDoubt, d.By)
	case d.Notes < 1:
		return fmt.Errorf("the size of the sample is %d, and must be positive", d.Notes)
	case d.By == ByDoubt && model.Doubts == nil:
		return errors.New("a sample by doubt requires a model that reports doubts, such as a network")
	}
	return checkReaders(d.Readers)
}

// claim creates and locks the folder of a new review. It removes the notes of a sample that was interrupted.
func claim(dir string) (release func(), err error) {
	err = paths.MustBeNew(dir)
	if errors.Is(err, paths.ErrNotEmpty) && interrupted(dir) {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := lockfile.Open(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if !interrupted(dir) { // another process has been faster
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, paths.ErrNotEmpty), f.Close())
	}
	return func() { _ = f.Close() }, os.RemoveAll(filepath.Join(dir, notesFolder))
}

// interrupted reports whether a folder contains nothing but what an interrupted sample leaves.
func interrupted(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() != lockFile && e.Name() != notesFolder && !hidden(e.Name())
	})
}

// hidden reports whether a file is one that wholefile left when it was killed while it wrote the manifest.
func hidden(name string) bool {
	return len(name) > len(manifestFile)+1 && name[:len(manifestFile)+1] == "."+manifestFile
}

// sampler draws notes while it reads them.
type sampler struct {
	model    Model
	draw     Draw
	manifest *Manifest
	failed   Failed
	drawn    units
}

// unit is what is drawn: a note, or all notes of a patient.
type unit struct {
	key   string
	rank  []byte // units with the lowest ranks are drawn
	notes []drawn
}

// drawn is a note of the sample. found is nil if the note is not examined yet.
type drawn struct {
	deid.Note
	unit          int // number of its unit in the sample
	found, doubts []data.Span
}

// read reads all notes and keeps those that are drawn.
func (s *sampler) read(ctx context.Context, notes iter.Seq2[deid.Note, error]) error {
	good := func(yield func(deid.Note) bool) {
		for n, err := range notes {
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				s.failed.tell(err)
				s.manifest.Population.Failed++
				continue
			}
			if !yield(n) {
				return
			}
		}
	}
	size := func(n deid.Note) data.BatchSize {
		return data.BatchSize{First: n.Group, Last: n.Group, Notes: 1, Bytes: len(n.Text)}
	}
	patients := map[string]bool{}
	named := false // some note names its patient
	for batch := range data.Batches(good, size) {
		some := make([]drawn, len(batch))
		for i, n := range batch {
			some[i].Note = n
			s.manifest.Population.Tokens += count(n.Text)
		}
		if s.draw.By == ByDoubt {
			some = s.examine(ctx, some)
		}
		for _, n := range some {
			s.manifest.Population.Notes++
			key := strconv.Itoa(s.manifest.Population.Notes)
			if s.draw.By == ByPatient {
				key = n.Group
				patients[key] = true
				named = named || n.Patient != ""
			}
			s.drawn.offer(key, n, s.rank(key, n), s.draw.Notes)
		}
	}
	s.manifest.Population.Units = s.manifest.Population.Notes
	if s.draw.By == ByPatient {
		s.manifest.Population.Units = len(patients)
	}
	if ctx.Err() == nil && s.manifest.Population.Notes == 0 {
		return errors.New("there are no notes to draw from")
	}
	if ctx.Err() == nil && s.draw.By == ByPatient && !named {
		return errors.New("patients cannot be drawn, because no note names its patient: say where the patient is (as for lethe deidentify, with --patient NAME or --patient-folders), or draw notes")
	}
	return ctx.Err()
}

// count returns the number of tokens of a text.
func count(text string) int {
	n := 0
	for range evaluation.Tokens(text) {
		n++
	}
	return n
}

// rank returns the rank of a unit. For a random sample it is a hash of the seed and the unit, so that all sets of units of the
// same size are equally probable, whatever the number of units turns out to be.
func (s *sampler) rank(key string, n drawn) []byte {
	if s.draw.By == ByDoubt {
		wrong := 0.0
		for _, f := range n.found {
			wrong += 1 - f.Score
		}
		for _, d := range n.doubts {
			wrong += d.Score
		}
		return binary.BigEndian.AppendUint64(nil, ^uint64(wrong*(1<<32))) // more is drawn first
	}
	sum := sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, s.draw.Seed), key...))
	return sum[:]
}

// examine sets what the model found in the notes and its doubts, and returns the notes that it could examine.
func (s *sampler) examine(ctx context.Context, notes []drawn) []drawn {
	all := make([]deid.Note, len(notes))
	docs := make([]*data.Document, len(notes))
	for i, n := range notes {
		docs[i] = &data.Document{ID: n.ID, Patient: n.Patient, Text: n.Text}
		all[i] = n.Note
		if s.draw.By == ByNote {
			docs[i].Patient = ""
			all[i].Document, all[i].Group = docs[i], strconv.Itoa(i+1)
		}
	}
	found, errs := s.model.Find(ctx, all)
	doubts := make([][]data.Span, len(notes))
	if s.model.Doubts != nil {
		var failed []error
		doubts, failed = data.TagEach(ctx, s.model.Doubts, docs)
		for i, err := range failed {
			errs[i] = cmp.Or(errs[i], err)
		}
	}
	var good []drawn
	for i, n := range notes {
		if errs[i] != nil {
			if ctx.Err() == nil {
				s.failed.tell(errs[i])
				s.manifest.Failed++
			}
			continue
		}
		n.found = data.Merge(found[i])
		for _, d := range doubts[i] {
			if !data.Covered(d, n.found) {
				n.doubts = append(n.doubts, d)
			}
		}
		good = append(good, n)
	}
	return good
}

// write writes the notes of the sample in the order of their ranks. So the first notes of a random sample are a random sample,
// too.
func (s *sampler) write(ctx context.Context, dir string) error {
	number := 0
	for some := range s.sets() {
		var notes []drawn
		for _, u := range some {
			number++
			for _, n := range u.notes {
				n.unit = number
				notes = append(notes, n)
			}
		}
		if s.draw.By != ByDoubt {
			notes = s.examine(ctx, notes)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, n := range notes {
			if err := s.add(dir, n); err != nil {
				return err
			}
		}
	}
	if len(s.manifest.Notes) == 0 {
		return errors.New("none of the drawn notes could be examined")
	}
	return nil
}

// together is the number of notes that are examined together if they are drawn one by one.
const together = 64

// sets yields the units that are examined together. Notes that are drawn one by one are also examined as if each had a patient
// of its own: what the model finds in one must not depend on which others are drawn.
func (s *sampler) sets() iter.Seq[[]*unit] {
	all := s.drawn.sorted()
	if s.draw.By == ByPatient {
		return slices.Chunk(all, 1)
	}
	return slices.Chunk(all, together)
}

// add writes a note, and adds it to the manifest.
func (s *sampler) add(dir string, n drawn) error {
	note := Note{Number: len(s.manifest.Notes) + 1, ID: n.ID, Patient: n.Patient, Text: n.Text, Spans: toJSON(n.found), Doubts: toJSON(n.doubts)}
	entry := Entry{ID: n.ID, Unit: n.unit, Bytes: len(n.Text), Tokens: count(n.Text), Spans: len(n.found), Doubtful: 1}
	for _, f := range n.found {
		entry.Doubtful = min(entry.Doubtful, f.Score)
	}
	for _, d := range n.doubts {
		entry.Doubtful = min(entry.Doubtful, 1-d.Score)
	}
	var err error
	entry.SHA256, err = write(filepath.Join(dir, notesFolder, fileName(note.Number)), note)
	s.manifest.Notes = append(s.manifest.Notes, entry)
	return err
}

// units are the units with the lowest ranks so far, as a heap with the highest rank on top.
type units struct {
	heap  []*unit
	byKey map[string]*unit
}

// offer adds a note if its unit is among the most units with the lowest ranks.
func (u *units) offer(key string, n drawn, rank []byte, most int) {
	if old := u.byKey[key]; old != nil {
		old.notes = append(old.notes, n)
		return
	}
	if len(u.heap) == most && bytes.Compare(rank, u.heap[0].rank) >= 0 {
		return
	}
	fresh := &unit{key, rank, []drawn{n}}
	u.byKey[key] = fresh
	heap.Push(u, fresh)
	if len(u.heap) > most {
		delete(u.byKey, heap.Pop(u).(*unit).key)
	}
}

// sorted returns the units by rising rank.
func (u *units) sorted() []*unit {
	all := slices.Clone(u.heap)
	slices.SortStableFunc(all, func(a, b *unit) int { return bytes.Compare(a.rank, b.rank) })
	return all
}

var _ heap.Interface = (*units)(nil)

func (u *units) Len() int           { return len(u.heap) }
func (u *units) Less(i, j int) bool { return bytes.Compare(u.heap[i].rank, u.heap[j].rank) > 0 }
func (u *units) Swap(i, j int)      { u.heap[i], u.heap[j] = u.heap[j], u.heap[i] }
func (u *units) Push(x any)         { u.heap = append(u.heap, x.(*unit)) }
func (u *units) Pop() any {
	last := u.heap[len(u.heap)-1]
	u.heap = u.heap[:len(u.heap)-1]
	return last
}
