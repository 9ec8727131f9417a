package experiments

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/jsonl"
	"github.com/lethe-deid/lethe/deid/augment"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/strictyaml"
	"github.com/lethe-deid/lethe/internal/wholefile"
	"github.com/lethe-deid/lethe/models"
)

// Files of a run folder that only a distillation has.
const (
	SilverFile  = "silver.jsonl" // the silver notes
	distillFile = "distill.yaml" // the teacher and the settings
)

// A Silver source makes silver notes: notes that a teacher has labelled, for a system to learn from
// (Hinton et al. 2015). A silver note has the fields and the signature of a training note, with its own
// invented and exchanged values (Copies of the corpus), and its narrative is text without
// annotations. The fields keep their gold spans; the teacher finds the spans of the narrative.
type Silver struct {
	Teacher  *models.Model
	Text     data.Documents // lines of the narratives; an empty line ends a narrative
	Notes    int            // how many silver notes to make at most; 0: until the text ends
	PerEpoch int            // how many of them each epoch uses; 0: all
	Sampled  bool           // in each epoch, a span is kept with its score as probability
}

// doubtsFrom is the probability from which a token outside of the teacher's spans counts as a
// possible span, if spans are sampled.
const doubtsFrom = 0.05

// silverBatch is the number of notes that the teacher labels at once.
const silverBatch = 256

// check returns an error if the teacher cannot label notes of the corpus.
func (s *Silver) check(c *Corpus) error {
	if differs := s.Teacher.Types.Difference(c.TypeSet()); differs != "" {
		return fmt.Errorf("the teacher %s has another type set than the corpus: %s", s.Teacher.Dir, differs)
	}
	return nil
}

// settings is what decides the bits of a distillation besides the configuration and the text.
type settings struct {
	Teacher  string `yaml:"teacher"` // model folder
	Digest   string `yaml:"digest"`  // of the teacher
	Notes    int    `yaml:"notes"`
	PerEpoch int    `yaml:"per_epoch"`
	Sampled  bool   `yaml:"sampled"`
}

// begin writes the settings of a distillation into the run folder. If the run is resumed, begin
// checks instead that it had the same settings; the teacher's folder may have moved. s is nil if the
// run is not a distillation.
func (s *Silver) begin(run *Run, resume bool) error {
	path := filepath.Join(run.Dir, distillFile)
	raw, err := bounded.ReadFile(path, bounded.MaxConfig)
	began := err == nil
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case s == nil && began:
		return fmt.Errorf("%s: the run is a distillation: resume it with lethe distill", run.Dir)
	case s == nil:
		return nil
	case resume && !began:
		return fmt.Errorf("%s: contains no %s, so the run is not a distillation: resume it with lethe train", run.Dir, distillFile)
	}
	is := settings{Teacher: s.Teacher.Dir, Notes: s.Notes, PerEpoch: s.PerEpoch, Sampled: s.Sampled}
	if is.Digest, err = s.Teacher.Digest(); err != nil {
		return err
	}
	if !resume {
		encoded, err := yaml.Marshal(is)
		if err != nil {
			return err
		}
		return wholefile.WriteFile(path, encoded, 0o666)
	}
	var was settings
	if err := strictyaml.Decode(path, raw, &was); err != nil {
		return err
	}
	if was.Digest != is.Digest {
		return fmt.Errorf("%s: the teacher was %s (%s) when the run began, and is %s (%s) now: it cannot be resumed",
			run.Dir, was.Teacher, was.Digest, is.Teacher, is.Digest)
	}
	was.Teacher = is.Teacher
	if key, from, to := strictyaml.Difference(&was, &is); key != "" {
		return fmt.Errorf("%s: %s was %v when the run began, and is %v now: it cannot be resumed", run.Dir, key, from, to)
	}
	return nil
}

// notes returns the silver notes of a run, which it makes unless the run folder already has them.
func (s *Silver) notes(ctx context.Context, run *Run, train []*data.Document, progress models.Progress) ([]*data.Document, error) {
	path := filepath.Join(run.Dir, SilverFile)
	if !bounded.Exists(path) {
		if err := s.write(ctx, path, run.Config, train, progress); err != nil {
			return nil, err
		}
	}
	docs, err := data.Collect(jsonl.Read(path, data.ReadOptions{Types: run.Config.Corpus.TypeSet()}))
	if err == nil && len(docs) == 0 {
		err = fmt.Errorf("%s: contains no notes", path)
	}
	return docs, err
}

// write makes the silver notes. It keeps only one batch of them in memory.
func (s *Silver) write(ctx context.Context, path string, c *Config, train []*data.Document, progress models.Progress) (err error) {
	if err := wholefile.RemoveHidden(path); err != nil { // what a killed run left
		return err
	}
	file, err := wholefile.Create(path, 0o666)
	if err != nil {
		return err
	}
	defer func() { _ = file.Discard() }() // does nothing after Replace
	used := c.Corpus.TypeSet().Used(train)
	made := 0
	label := func(batch []augment.Grafted) error {
		docs := make([]*data.Document, len(batch))
		for i, g := range batch {
			docs[i] = &data.Document{ID: g.ID, Text: g.Text, Columns: g.Columns}
		}
		found, err := s.find(ctx, docs)
		if err != nil {
			return fmt.Errorf("the teacher %s: %w", s.Teacher.Dir, err)
		}
		for i, g := range batch {
			docs[i].Patient = g.Patient // only now, because the teacher may read the notes of a patient together
			docs[i].Spans = slices.DeleteFunc(g.Label(found[i]), func(x data.Span) bool { return !slices.Contains(used, x.Type) })
			line, err := jsonl.Encode(docs[i])
			if err == nil {
				_, err = file.Write(line)
			}
			if err != nil {
				return err
			}
		}
		made += len(batch)
		progress.Tell("labelling silver notes", made, s.Notes)
		return nil
	}
	var batch []augment.Grafted
	for g, err := range s.grafts(c, train) {
		if err != nil {
			return err
		}
		if batch = append(batch, g); len(batch) == silverBatch {
			if err := label(batch); err != nil {
				return err
			}
			batch = nil
		}
	}
	if len(batch) > 0 {
		if err := label(batch); err != nil {
			return err
		}
	}
	if made == 0 {
		return errors.New("the texts contain no narratives, that is no lines with words, so there are no silver notes to learn from")
	}
	return file.Replace()
}

// find returns the teacher's spans and, if spans are sampled, its doubts.
func (s *Silver) find(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	prober, ok := s.Teacher.Tagger.(data.Prober)
	if !ok || !s.Sampled {
		return s.Teacher.Tag(ctx, docs)
	}
	found, doubts, err := prober.Probe(ctx, docs, doubtsFrom)
	for i := range found {
		for _, d := range doubts[i] {
			if a, b := data.Overlapping(found[i], d); a == b {
				found[i] = append(found[i], d)
				data.SortSpans(found[i])
			}
		}
	}
	return found, err
}

// grafts joins training notes and narratives, until one of Notes or the text ends.
func (s *Silver) grafts(c *Config, train []*data.Document) iter.Seq2[augment.Grafted, error] {
	return func(yield func(augment.Grafted, error) bool) {
		augmenter, err := c.Corpus.augmenter(train)
		if err == nil && len(train) == 0 {
			err = errors.New("train has no notes, so there are none to graft narratives onto")
		}
		if err != nil {
			yield(augment.Grafted{}, err)
			return
		}
		var notes []*data.Document // copies of the training notes that are not used yet
		made := 0
		for lines, err := range narratives(s.unscored(&c.Corpus)) {
			if err != nil {
				yield(augment.Grafted{}, err)
				return
			}
			for len(lines) > 0 { // a long narrative is divided among several notes
				if len(notes) == 0 {
					if notes, err = shuffledCopies(augmenter, train, c.Seed, made); err != nil {
						yield(augment.Grafted{}, err)
						return
					}
				}
				var g augment.Grafted
				g, lines = augment.Graft(notes[0], lines)
				notes = notes[1:]
				made++
				g.ID, g.Patient = fmt.Sprintf("silver-%06d", made), g.Group()
				if !yield(g, nil) || made == s.Notes {
					return
				}
			}
		}
	}
}

// unscored yields the texts, and an error in place of one that is a note of a split that can be scored.
func (s *Silver) unscored(c *Corpus) data.Documents {
	splits := map[string]string{} // by text
	for _, name := range c.SplitNames() {
		if name == TrainSplit || c.AllowOverlap {
			continue
		}
		docs, _ := c.Load(name, nil) // a split that cannot be read is a warning of the training
		for _, d := range docs {
			splits[strings.TrimSpace(d.Text)] = name
		}
	}
	return func(yield func(*data.Document, error) bool) {
		for text, err := range s.Text {
			if err == nil {
				if split := splits[strings.TrimSpace(text.Text)]; split != "" {
					text, err = nil, fmt.Errorf("%s: is also a note of split %s, whose scores would mean nothing: leave it out of the texts", text.ID, split)
				}
			}
			if !yield(text, err) {
				return
			}
		}
	}
}

// shuffledCopies returns a changed copy of each of the training notes, in random order, once there
// are made silver notes.
func shuffledCopies(augmenter *augment.Augmenter, train []*data.Document, seed uint64, made int) ([]*data.Document, error) {
	notes, err := augmenter.Copy(train, seed+uint64(1+made/len(train))<<40)
	rng := rand.New(rand.NewPCG(seed, uint64(made)))
	rng.Shuffle(len(notes), func(i, k int) { notes[i], notes[k] = notes[k], notes[i] })
	return notes, err
}

// narratives yields the lines of each narrative of the texts, without empty lines.
func narratives(texts data.Documents) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		for text, err := range texts {
			if err != nil {
				yield(nil, err)
				return
			}
			var lines []string
			for line := range strings.Lines(text.Text) {
				if line = strings.TrimSpace(line); line != "" {
					lines = append(lines, line)
				} else if len(lines) > 0 {
					if !yield(lines, nil) {
						return
					}
					lines = nil
				}
			}
			if len(lines) > 0 && !yield(lines, nil) {
				return
			}
		}
	}
}

// epoch returns the silver notes of an epoch, with changes like those of the copies of training notes.
func (s *Silver) epoch(docs []*data.Document, augmenter *augment.Augmenter, seed uint64, epoch int) ([]*data.Document, error) {
	n := len(docs)
	if s.PerEpoch > 0 {
		n = min(n, s.PerEpoch)
	}
	all := make([]*data.Document, n)
	seed = silverSeed(seed, epoch)
	for i := range all {
		number := ((epoch-1)*n + i) % len(docs)
		d := *docs[number]
		rng := rand.New(rand.NewPCG(seed, sampleStream|uint64(number)))
		d.Spans = slices.DeleteFunc(slices.Clone(d.Spans), func(x data.Span) bool {
			return s.Sampled && rng.Float64() >= x.Score
		})
		all[i] = &d
	}
	changed, err := augmenter.Copy(all, seed)
	if err != nil {
		return nil, fmt.Errorf("silver notes: corpus.copies: %w", err)
	}
	return changed, nil
}

// silverSeed returns the seed of the silver notes of an epoch.
func silverSeed(seed uint64, epoch int) uint64 { return seed ^ uint64(epoch)<<32 }

// sampleStream separates the random numbers that decide which spans are kept from those that change
// the notes.
const sampleStream = 1 << 62
