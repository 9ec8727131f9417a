package secondpass

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data"
)

// marks is a first tagger with predetermined spans for each note, by its ID.
type marks map[string][]data.Span

func (m marks) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	var all [][]data.Span
	for _, d := range docs {
		all = append(all, m[d.ID])
	}
	return all, nil
}

var mark = regexp.MustCompile(`\[(\w+)(?: (0\.\d+))? ([^\]]*)\]`)

// parse reads "PATIENT: Seen by [DOCTOR Amundsen]. [NAME 0.3 Po] left." as a patient's
// note and the spans of the first tagger.
func parse(number int, note string) (*data.Document, []data.Span) {
	patient, rest, _ := strings.Cut(note, ": ")
	d := &data.Document{ID: fmt.Sprint(number), Patient: patient}
	var spans []data.Span
	for rest != "" {
		at := mark.FindStringSubmatchIndex(rest)
		if at == nil {
			d.Text += rest
			break
		}
		s := data.Span{Type: rest[at[2]:at[3]], Score: 0.9}
		if at[4] >= 0 {
			fmt.Sscan(rest[at[4]:at[5]], &s.Score)
		}
		d.Text += rest[:at[0]]
		s.Start = len(d.Text)
		d.Text += rest[at[6]:at[7]]
		s.End = len(d.Text)
		spans = append(spans, s)
		rest = rest[at[1]:]
	}
	return d, spans
}

// format is the reverse of parse, without patients and scores.
func format(text string, spans []data.Span) string {
	var b strings.Builder
	at := 0
	for _, s := range spans {
		fmt.Fprintf(&b, "%s[%s %s]", text[at:s.Start], s.Type, text[s.Start:s.End])
		at = s.End
	}
	return b.String() + text[at:]
}

func TestSecondPass(t *testing.T) {
	for name, c := range map[string]struct {
		set         func(*Config)
		notes, want []string
	}{
		"all notes of a patient, and of no other": {
			notes: []string{"1: By Dr. [DOCTOR Amundsen].", "2: Amundsen Street", "1: Amundsen agrees. AMUNDSEN, again"},
			want:  []string{"By Dr. [DOCTOR Amundsen].", "Amundsen Street", "[DOCTOR Amundsen] agrees. [DOCTOR AMUNDSEN], again"},
		},
		"a note of nobody is for itself": {
			notes: []string{": By Dr. [DOCTOR Amundsen].", ": Amundsen agrees"},
			want:  []string{"By Dr. [DOCTOR Amundsen].", "Amundsen agrees"},
		},
		"by document": {
			set:   func(c *Config) { c.By = data.ByDocument },
			notes: []string{"1: By Dr. [DOCTOR Amundsen]. Amundsen left", "1: Amundsen agrees"},
			want:  []string{"By Dr. [DOCTOR Amundsen]. [DOCTOR Amundsen] left", "Amundsen agrees"},
		},
		"the longest match, whatever stands between the words": {
			notes: []string{"1: [PATIENT Mary Ann Po] and [CITY Mary]; Mary-Ann, Po came, Mary left"},
			want:  []string{"[PATIENT Mary Ann Po] and [CITY Mary]; [PATIENT Mary-Ann, Po] came, [CITY Mary] left"},
		},
		"but not a line end, nor much": {
			notes: []string{"1: [PATIENT Mary Po]. Mary\nPo, Mary    Po, Mary of Po"},
			want:  []string{"[PATIENT Mary Po]. Mary\nPo, Mary    Po, Mary of Po"},
		},
		"whole words alone": {
			notes: []string{"1: [CITY Salem] Salems Sa lem SALEM2"},
			want:  []string{"[CITY Salem] Salems Sa lem [CITY SALEM]2"},
		},
		"lower case is none, neither to look for nor to find": {
			notes: []string{"1: [DOCTOR Rosen], rosen, [CITY water], Water"},
			want:  []string{"[DOCTOR Rosen], rosen, [CITY water], Water"},
		},
		"letters and digits": {
			notes: []string{"1: MRN [MEDICALRECORD 12-345], 12345, 12 345, éa, [PATIENT Éalín], ÉALÍN"},
			want:  []string{"MRN [MEDICALRECORD 12-345], 12345, [MEDICALRECORD 12 345], éa, [PATIENT Éalín], [PATIENT ÉALÍN]"},
		},
		"short ones do not enter": {
			notes: []string{"1: [PATIENT Po Ng]; [PATIENT Abc], Po Ng, Abc"},
			want:  []string{"[PATIENT Po Ng]; [PATIENT Abc], [PATIENT Po Ng], Abc"},
			set:   func(c *Config) { c.MinLength = 4 },
		},
		"nor do unsure ones": {
			notes: []string{"1: [PATIENT 0.4 Amundsen], Amundsen"},
			want:  []string{"[PATIENT Amundsen], Amundsen"},
		},
		"nor other types": {
			set:   func(c *Config) { c.Types = []string{"PATIENT"} },
			notes: []string{"1: [PATIENT Amundsen], [CITY Salem], Amundsen, Salem"},
			want:  []string{"[PATIENT Amundsen], [CITY Salem], [PATIENT Amundsen], Salem"},
		},
		"nor what is excepted, here or in a list": {
			set:   func(c *Config) { c.Except, c.Filters = []string{"parkinson"}, []string{"en-months"} },
			notes: []string{"1: [DOCTOR Parkinson], Parkinson; [PATIENT August], August; [PATIENT August Po], August Po"},
			want:  []string{"[DOCTOR Parkinson], Parkinson; [PATIENT August], August; [PATIENT August Po], [PATIENT August Po]"},
		},
		"parts of names": {
			set:   func(c *Config) { c.Parts = []string{"PATIENT"} },
			notes: []string{"1: [PATIENT Mary van Amund], [CITY Salem Bay]: Mary, Amund, van, Salem"},
			want:  []string{"[PATIENT Mary van Amund], [CITY Salem Bay]: [PATIENT Mary], [PATIENT Amund], van, Salem"},
		},
		"the type that has most": {
			notes: []string{"1: [PATIENT Amundsen] [DOCTOR Amundsen] [DOCTOR Amundsen]", "1: Amundsen"},
			want:  []string{"[PATIENT Amundsen] [DOCTOR Amundsen] [DOCTOR Amundsen]", "[DOCTOR Amundsen]"},
		},
		"what the first found stays, and a match takes only what is beside it": {
			set:   func(c *Config) { c.Parts = []string{"PATIENT"} },
			notes: []string{"1: [PATIENT Mary Amund] [CITY Mary] Amund, [CITY Amund Bay]"},
			want:  []string{"[PATIENT Mary Amund] [CITY Mary] [PATIENT Amund], [CITY Amund Bay]"},
		},
		"what the first mostly passed over is left out": {
			set:   func(c *Config) { c.MinShare = 0.5 },
			notes: []string{"1: [CITY Salem] Salem salem; [PATIENT Amundsen] [PATIENT Amundsen] Amundsen"},
			want:  []string{"[CITY Salem] Salem salem; [PATIENT Amundsen] [PATIENT Amundsen] [PATIENT Amundsen]"},
		},
		"standardized: the same phrase is of one type": {
			set:   func(c *Config) { c.Standardize = true },
			notes: []string{"1: [PATIENT Amundsen] [DOCTOR Amundsen] [DOCTOR Amundsen] Amundsen"},
			want:  []string{"[DOCTOR Amundsen] [DOCTOR Amundsen] [DOCTOR Amundsen] [DOCTOR Amundsen]"},
		},
		"standardized: what was found in parts is made whole": {
			set:   func(c *Config) { c.Standardize = true },
			notes: []string{"1: [PATIENT Mary Ann Po]; [CITY Mary] Ann [DOCTOR Po]; Mary [PATIENT Ann] Po"},
			want:  []string{"[PATIENT Mary Ann Po]; [PATIENT Mary Ann Po]; [PATIENT Mary Ann Po]"},
		},
		"standardized: what goes on beyond the phrase stays": {
			set:   func(c *Config) { c.Standardize, c.Types = true, []string{"PATIENT"} },
			notes: []string{"1: [PATIENT Mary Po]; [CITY Mary Po Bay] [STREET New Mary] Po"},
			want:  []string{"[PATIENT Mary Po]; [CITY Mary Po Bay] [STREET New Mary] Po"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			config := DefaultConfig()
			if c.set != nil {
				c.set(&config)
			}
			if err := config.Validate(); err != nil {
				t.Fatal(err)
			}
			first := marks{}
			var docs []*data.Document
			for i, note := range c.notes {
				d, spans := parse(i, note)
				docs = append(docs, d)
				first[d.ID] = spans
			}
			before := fmt.Sprint(first)
			found, err := New(config, first).Tag(t.Context(), docs)
			if err != nil {
				t.Fatal(err)
			}
			for i, spans := range found {
				if got := format(docs[i].Text, spans); got != c.want[i] {
					t.Errorf("got  %s\nwant %s", got, c.want[i])
				}
			}
			if fmt.Sprint(first) != before {
				t.Error("the first tagger's own spans were changed")
			}
		})
	}
}

// An added span has the highest score of the spans that its phrase comes from.
func TestScores(t *testing.T) {
	d, spans := parse(1, "1: [DOCTOR 0.6 Amundsen] [DOCTOR 0.75 Amundsen] Amundsen")
	found, err := New(DefaultConfig(), marks{"1": spans}).Tag(t.Context(), []*data.Document{d})
	if err != nil || len(found[0]) != 3 || found[0][0].Score != 0.6 || found[0][2].Score != 0.75 {
		t.Errorf("%v, error %v", found, err)
	}
}

// The result is sorted and disjoint, and contains the spans of the first tagger
// unchanged or, with Standardize, at least every character of them.
func TestNeverDisplacesTheFirst(t *testing.T) {
	words := []string{"Mary", "Ann", "Po", "mary", "van"}
	rapid.Check(t, func(t *rapid.T) {
		var docs []*data.Document
		first := marks{}
		for i := range rapid.IntRange(1, 3).Draw(t, "notes") {
			d := &data.Document{ID: fmt.Sprint(i), Patient: "1"}
			var starts, ends []int
			for range rapid.IntRange(0, 8).Draw(t, "words") {
				d.Text += rapid.SampledFrom([]string{" ", ", ", "\n"}).Draw(t, "gap")
				starts = append(starts, len(d.Text))
				d.Text += rapid.SampledFrom(words).Draw(t, "word")
				ends = append(ends, len(d.Text))
			}
			for w := 0; w < len(starts); {
				n := rapid.IntRange(1, min(3, len(starts)-w)).Draw(t, "length")
				if rapid.Bool().Draw(t, "marked") {
					first[d.ID] = append(first[d.ID], data.Span{Start: starts[w], End: ends[w+n-1],
						Type: rapid.SampledFrom([]string{"A", "B"}).Draw(t, "type"), Score: 0.9})
				}
				w += n
			}
			docs = append(docs, d)
		}
		config := DefaultConfig()
		config.MinLength = 2
		config.Parts = rapid.SampledFrom([][]string{nil, {"A"}}).Draw(t, "parts")
		config.Standardize = rapid.Bool().Draw(t, "standardize")
		config.MinShare = rapid.SampledFrom([]float64{0, 0.4}).Draw(t, "share")
		found, err := New(config, first).Tag(context.Background(), docs)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range docs {
			end := 0
			for _, s := range found[i] {
				if s.Start < end || s.End <= s.Start {
					t.Fatalf("%v are not sorted and disjoint", found[i])
				}
				end = s.End
			}
			for _, s := range first[d.ID] {
				kept := slices.Contains(found[i], s)
				if config.Standardize {
					kept = slices.ContainsFunc(found[i], func(f data.Span) bool { return f.Start <= s.Start && s.End <= f.End })
				}
				if !kept {
					t.Fatalf("%v is not in %v", s, found[i])
				}
			}
		}
	})
}

type broken struct{}

func (broken) Tag(context.Context, []*data.Document) ([][]data.Span, error) {
	return nil, errors.New("no")
}

func TestAFirstTaggerThatFails(t *testing.T) {
	if _, err := New(DefaultConfig(), broken{}).Tag(t.Context(), []*data.Document{{Text: "x"}}); err == nil || err.Error() != "no" {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(DefaultConfig(), marks{}).Tag(ctx, []*data.Document{{Text: "x"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: error %v", err)
	}
	if found, err := New(DefaultConfig(), marks{}).Tag(t.Context(), nil); len(found) != 0 || err != nil {
		t.Errorf("no notes: %v, %v", found, err)
	}
}

func TestValidate(t *testing.T) {
	for want, set := range map[string]func(*Config){
		`by: "ward" is not document or patient`:   func(c *Config) { c.By = "ward" },
		"min_score: 1.5 is not in [0, 1]":         func(c *Config) { c.MinScore = 1.5 },
		"min_length: 0 is not positive":           func(c *Config) { c.MinLength = 0 },
		"min_share: 1 is not in [0, 1)":           func(c *Config) { c.MinShare = 1 },
		"parts: A is not listed in types":         func(c *Config) { c.Parts, c.Types = []string{"A"}, []string{"B"} },
		`filters[0]: no built-in list "x" (have `: func(c *Config) { c.Filters = []string{"x"} },
	} {
		c := DefaultConfig()
		set(&c)
		if err := c.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
