package experiments

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/jsonl"
	"github.com/lethe-deid/lethe/deid/augment"
	"github.com/lethe-deid/lethe/internal/wholefile"
	"github.com/lethe-deid/lethe/models"
)

// SilverFile is the file of a run folder that contains the silver notes of a distillation.
const SilverFile = "silver.jsonl"

// A Silver source makes silver notes: notes that a teacher has labelled, for a system to learn from
// (Hinton et al. 2015). A silver note has the fields and signature of a training note, with its own
// invented and exchanged values (Copies of the corpus), and its narrative is text without
// annotations. The fields keep their gold spans; the teacher finds the spans of the narrative.
type Silver struct {
	Teacher  data.Tagger
	Text     data.Documents // lines of the narratives; an empty line ends a narrative
	Notes    int            // how many silver notes to make at most; 0: until the text ends
	PerEpoch int            // how many of them each epoch uses; 0: all
	MinScore float64        // spans with a lower score are left out
	Sampled  bool           // in each epoch, a span is kept with its score as probability
}

// doubtsFrom is the probability from which a token outside of the teacher's spans counts as a
// possible span, if spans are sampled.
const doubtsFrom = 0.05

// silverBatch is the number of notes that the teacher labels at once.
const silverBatch = 256

// notes returns the silver notes of a run, which it makes unless the run folder already has them.
func (s *Silver) notes(ctx context.Context, run *Run, train []*data.Document, progress models.Progress) ([]*data.Document, error) {
	path := filepath.Join(run.Dir, SilverFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := s.write(ctx, path, run.Config, train, progress); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, err
	}
	var docs []*data.Document
	for d, err := range jsonl.Read(path, run.Config.Corpus.TypeSet()) {
		if err != nil {
			return nil, err
		}
		docs = append(docs, d)
	}
	return docs, nil
}

func (s *Silver) write(ctx context.Context, path string, c *Config, train []*data.Document, progress models.Progress) (err error) {
	file, err := wholefile.Create(path, 0o666)
	if err != nil {
		return err
	}
	defer func() { _ = file.Discard() }() // does nothing after Replace
	grafts, err := s.grafts(c, train)
	if err != nil {
		return err
	}
	done := 0
	for batch := range slices.Chunk(grafts, silverBatch) {
		docs := make([]*data.Document, len(batch))
		for i, g := range batch {
			docs[i] = &data.Document{ID: g.ID, Text: g.Text}
		}
		found, err := s.find(ctx, docs)
		if err != nil {
			return fmt.Errorf("the teacher: %w", err)
		}
		for i, g := range batch {
			docs[i].Spans = g.Label(found[i])
			line, err := jsonl.Encode(docs[i])
			if err == nil {
				_, err = file.Write(line)
			}
			if err != nil {
				return err
			}
		}
		done += len(batch)
		progress.Tell("labelling silver notes", done, len(grafts))
	}
	return file.Replace()
}

// find returns the teacher's spans and, if spans are sampled, its doubts.
func (s *Silver) find(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	prober, ok := s.Teacher.(data.Prober)
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

// grafts joins training notes and text.
func (s *Silver) grafts(c *Config, train []*data.Document) ([]augment.Grafted, error) {
	augmenter, err := augment.New(train, c.Corpus.TypeSet(), c.Corpus.Copies.augment())
	if err != nil {
		return nil, err
	}
	var all []augment.Grafted
	var notes []*data.Document
	for text, err := range s.Text {
		if err != nil {
			return nil, err
		}
		for body := range strings.SplitSeq(text.Text, "\n\n") {
			var lines []string
			for line := range strings.Lines(body) {
				if line = strings.TrimSpace(line); line != "" {
					lines = append(lines, line)
				}
			}
			if len(lines) == 0 {
				continue
			}
			if len(notes) == 0 {
				if notes, err = augmenter.Copy(train, c.Seed+uint64(1+len(all)/len(train))<<40); err != nil {
					return nil, err
				}
				notes = slices.Clone(notes)
				rng := rand.New(rand.NewPCG(c.Seed, uint64(len(all))))
				rng.Shuffle(len(notes), func(i, k int) { notes[i], notes[k] = notes[k], notes[i] })
			}
			g, _ := augment.Graft(notes[0], lines)
			notes = notes[1:]
			g.ID = fmt.Sprintf("silver-%06d", len(all)+1)
			all = append(all, g)
			if s.Notes > 0 && len(all) == s.Notes {
				return all, nil
			}
		}
	}
	return all, nil
}

// epoch returns the silver notes of an epoch, with changes like those of the copies of training notes.
func (s *Silver) epoch(docs []*data.Document, augmenter *augment.Augmenter, seed uint64, epoch int) ([]*data.Document, error) {
	n := len(docs)
	if s.PerEpoch > 0 {
		n = min(n, s.PerEpoch)
	}
	all := make([]*data.Document, n)
	for i := range all {
		number := ((epoch-1)*n + i) % len(docs)
		d := *docs[number]
		rng := rand.New(rand.NewPCG(seed^uint64(epoch)<<32, uint64(number)))
		d.Spans = slices.DeleteFunc(slices.Clone(d.Spans), func(x data.Span) bool {
			return x.Score < s.MinScore || s.Sampled && rng.Float64() >= x.Score
		})
		all[i] = &d
	}
	return augmenter.Copy(all, seed^uint64(epoch)<<32)
}
