package ensemble

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data"
)

// answers is a tagger that finds the same spans in every note.
type answers []data.Span

func (a answers) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	return slices.Repeat([][]data.Span{a}, len(docs)), nil
}

// parse reads spans: "NAME 0-4 .9" for a NAME of score 0.9 at [0, 4).
func parse(t testing.TB, lines ...string) answers {
	var all answers
	for _, line := range lines {
		s := data.Span{}
		if _, err := fmt.Sscanf(line, "%s %d-%d %f", &s.Type, &s.Start, &s.End, &s.Score); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, s)
	}
	return all
}

func format(spans []data.Span) []string {
	all := []string{}
	for _, s := range spans {
		all = append(all, fmt.Sprintf("%s %d-%d %.2g", s.Type, s.Start, s.End, s.Score))
	}
	return all
}

// text is the note; the spans refer to its words.
const text = "John, Smith MD of Salem."

func TestMethods(t *testing.T) {
	type lines = []string
	for name, c := range map[string]struct {
		config  Config
		members []Member // their names are filled in
		found   []lines  // of each member
		want    lines
	}{
		"union: what overlaps and is of one type becomes one": {
			found: []lines{{"NAME 0-4 0.5"}, {"NAME 0-11 0.75"}},
			want:  lines{"NAME 0-11 0.75"},
		},
		"union: a span joins two of the other's": {
			found: []lines{{"NAME 0-4 0.5", "NAME 6-11 0.6"}, {"NAME 2-8 0.4"}},
			want:  lines{"NAME 0-11 0.6"},
		},
		"union: what only touches stays apart": {
			found: []lines{{"NAME 0-4 0.5"}, {"NAME 4-11 0.4"}},
			want:  lines{"NAME 0-4 0.5", "NAME 4-11 0.4"},
		},
		"union: the earlier member's type stands, and what is left is trimmed": {
			found: []lines{{"NAME 0-4 0.5"}, {"CITY 0-11 0.9"}},
			want:  lines{"NAME 0-4 0.5", "CITY 6-11 0.9"},
		},
		"union: on both sides": {
			found: []lines{{"NAME 6-11 0.5"}, {"CITY 0-14 0.9"}},
			want:  lines{"CITY 0-4 0.9", "NAME 6-11 0.5", "CITY 12-14 0.9"},
		},
		"union: a comma between two of another type is nothing": {
			found: []lines{{"NAME 0-4 0.5", "NAME 6-11 0.5"}, {"CITY 0-11 0.9"}},
			want:  lines{"NAME 0-4 0.5", "NAME 6-11 0.5"},
		},
		"union: of one type on one side, of another on the other": {
			found: []lines{{"CITY 0-4 0.5", "NAME 12-14 0.5"}, {"CITY 2-14 0.9"}},
			want:  lines{"CITY 0-11 0.9", "NAME 12-14 0.5"},
		},
		"union: the same from both": {
			found: []lines{{"NAME 0-4 0.5"}, {"NAME 0-4 0.9"}},
			want:  lines{"NAME 0-4 0.9"},
		},
		"union: a whole span of punctuation stays": {
			found: []lines{{}, {"NAME 4-5 0.5"}},
			want:  lines{"NAME 4-5 0.5"},
		},
		"vote: two must agree on all": {
			config: Config{Method: Vote, Votes: 2, By: BySpan},
			found:  []lines{{"NAME 0-4 0.5", "CITY 18-23 0.9"}, {"NAME 0-4 0.6", "NAME 6-11 0.9"}, {"CITY 6-11 0.9"}},
			want:   lines{"NAME 0-4 0.6"},
		},
		"vote: the most votes stand, whatever the score": {
			config: Config{Method: Vote, Votes: 1, By: BySpan},
			found:  []lines{{"NAME 0-4 0.5"}, {"NAME 0-4 0.6"}, {"NAME 0-11 0.9"}},
			want:   lines{"NAME 0-4 0.6"},
		},
		"vote: of as many votes the surest": {
			config: Config{Method: Vote, Votes: 1, By: BySpan},
			found:  []lines{{"NAME 0-4 0.5"}, {"NAME 0-11 0.9"}},
			want:   lines{"NAME 0-11 0.9"},
		},
		"vote: types that do not count give no vote": {
			config:  Config{Method: Vote, Votes: 2, By: BySpan},
			members: []Member{{}, {Types: []string{"CITY"}}},
			found:   []lines{{"NAME 0-4 0.5", "CITY 18-23 0.5"}, {"NAME 0-4 0.6", "CITY 18-23 0.6"}},
			want:    lines{"CITY 18-23 0.6"},
		},
		"priority: the type decides, not score or length": {
			config: Config{Method: Priority, Priority: []string{"CITY", "NAME"}},
			found:  []lines{{"NAME 0-11 0.9"}, {"CITY 6-11 0.1"}},
			want:   lines{"CITY 6-11 0.1"},
		},
		"priority: types not named come last": {
			config: Config{Method: Priority, Priority: []string{"CITY"}},
			found:  []lines{{"AGE 0-11 0.9"}, {"CITY 6-11 0.1"}},
			want:   lines{"CITY 6-11 0.1"},
		},
		"priority: of one type the longer": {
			config: Config{Method: Priority, Priority: []string{"NAME"}},
			found:  []lines{{"NAME 6-11 0.9"}, {"NAME 0-11 0.1"}},
			want:   lines{"NAME 0-11 0.1"},
		},
		"priority: what was beaten does not beat": {
			config: Config{Method: Priority, Priority: []string{"CITY", "NAME", "AGE"}},
			found:  []lines{{"CITY 0-4 0.5"}, {"NAME 2-11 0.5"}, {"AGE 6-11 0.5"}},
			want:   lines{"CITY 0-4 0.5", "AGE 6-11 0.5"},
		},
		"surest: scores of members that agree add up": {
			config: Config{Method: Surest},
			found:  []lines{{"NAME 0-4 0.5"}, {"NAME 0-4 0.6"}, {"NAME 0-11 0.9"}},
			want:   lines{"NAME 0-4 0.6"},
		},
		"surest: of equal ones the earlier member's": {
			config: Config{Method: Surest},
			found:  []lines{{"NAME 0-11 0.5"}, {"CITY 0-4 0.5"}},
			want:   lines{"NAME 0-11 0.5"},
		},
		"vote by token: the part that two agree on": {
			config: Config{Method: Vote, Votes: 2, By: ByToken},
			found:  []lines{{"NAME 0-11 0.5"}, {"NAME 6-14 0.6"}, {"CITY 12-23 0.9"}},
			want:   lines{"NAME 6-11 0.6"},
		},
		"vote by token: a span of a member that votes for both tokens joins them": {
			config: Config{Method: Vote, Votes: 2, By: ByToken},
			found:  []lines{{"NAME 6-11 0.5", "NAME 12-14 0.6"}, {"NAME 6-14 0.4"}},
			want:   lines{"NAME 6-14 0.6"},
		},
		"vote by token: without such a span they stay apart": {
			config: Config{Method: Vote, Votes: 2, By: ByToken},
			found:  []lines{{"NAME 6-11 0.5", "NAME 12-14 0.6"}, {"NAME 6-11 0.4", "NAME 12-14 0.4"}, {"CITY 6-14 0.4"}},
			want:   lines{"NAME 6-11 0.5", "NAME 12-14 0.6"},
		},
		"vote by token: each token has its own majority": {
			config: Config{Method: Vote, Votes: 2, By: ByToken},
			found:  []lines{{"NAME 6-14 0.5"}, {"CITY 6-14 0.6"}, {"NAME 6-11 0.4", "CITY 12-14 0.4"}},
			want:   lines{"NAME 6-11 0.5", "CITY 12-14 0.6"},
		},
		"vote by token: a token between two others without a type separates them": {
			config: Config{Method: Vote, Votes: 2, By: ByToken},
			found:  []lines{{"NAME 0-11 0.5"}, {"NAME 0-4 0.4", "NAME 6-11 0.4"}},
			want:   lines{"NAME 0-4 0.5", "NAME 6-11 0.5"},
		},
		"vote by token: the most votes win, then the score, then the name": {
			config: Config{Method: Vote, Votes: 1, By: ByToken},
			found:  []lines{{"NAME 0-4 0.5", "NAME 6-11 0.5", "NAME 12-14 0.5"}, {"CITY 0-4 0.9", "CITY 6-11 0.6", "CITY 12-14 0.5"}, {"NAME 0-4 0.5"}},
			want:   lines{"NAME 0-4 0.5", "CITY 6-11 0.6", "CITY 12-14 0.5"},
		},
		"what a member is not sure of counts if another found the same": {
			members: []Member{{MinScore: 0.7}, {MinScore: 0.7}},
			found:   []lines{{"NAME 0-4 0.5", "NAME 6-11 0.6", "CITY 18-23 0.7"}, {"NAME 0-4 0.4"}},
			want:    lines{"NAME 0-4 0.5", "CITY 18-23 0.7"},
		},
		"types by member": {
			members: []Member{{Types: []string{"NAME"}}, {Types: []string{"CITY"}}},
			found:   []lines{{"NAME 0-4 0.5", "CITY 18-23 0.5"}, {"NAME 6-11 0.5", "CITY 18-23 0.4"}},
			want:    lines{"NAME 0-4 0.5", "CITY 18-23 0.4"},
		},
		"no types are all types": { // as they are in a model that is read again
			members: []Member{{Types: []string{}}, {Types: []string{"CITY"}}},
			found:   []lines{{"NAME 0-4 0.5"}, {"CITY 18-23 0.4"}},
			want:    lines{"NAME 0-4 0.5", "CITY 18-23 0.4"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if c.config.Method == "" {
				c.config = DefaultConfig()
			}
			var taggers []data.Tagger
			c.config.Members = append(c.members, make([]Member, len(c.found)-len(c.members))...)
			for i, found := range c.found {
				c.config.Members[i].Name = strconv.Itoa(i)
				taggers = append(taggers, parse(t, found...))
			}
			if err := c.config.Validate(); err != nil {
				t.Fatal(err)
			}
			got, err := New(c.config, taggers).Tag(t.Context(), []*data.Document{{Text: text}, {Text: text}})
			if err != nil {
				t.Fatal(err)
			}
			for _, spans := range got {
				if got := format(spans); !slices.Equal(got, c.want) {
					t.Errorf("got %q, want %q", got, c.want)
				}
			}
		})
	}
}

// For any spans of the members, the result is sorted and disjoint, and each of its
// spans is within a member's span of the same type or, in a union, within several
// consecutive ones. A union leaves out nothing but separators.
func TestProperties(t *testing.T) {
	types := []string{"A", "B", "C"}
	rapid.Check(t, func(t *rapid.T) {
		note := rapid.StringOfN(rapid.RuneFrom([]rune("ab, é\n")), 1, 30, -1).Draw(t, "text")
		var members []data.Tagger
		all := map[string][]bool{} // by type: which bytes any member has found
		for _, typ := range types {
			all[typ] = make([]bool, len(note))
		}
		found := map[string]bool{}
		for range rapid.IntRange(1, 4).Draw(t, "members") {
			var spans answers
			at := 0
			for i := range note {
				if i > at && rapid.IntRange(0, 2).Draw(t, "end") == 0 {
					s := data.Span{Start: at, End: i, Type: rapid.SampledFrom(types).Draw(t, "type"), Score: rapid.Float64Range(0, 1).Draw(t, "score")}
					at = i
					if rapid.Bool().Draw(t, "skip") {
						continue
					}
					spans = append(spans, s)
					found[fmt.Sprint(s.Start, s.End, s.Type)] = true
					for k := s.Start; k < s.End; k++ {
						all[s.Type][k] = true
					}
				}
			}
			members = append(members, spans)
		}
		for _, c := range []Config{{Method: Union}, {Method: Vote, Votes: 1, By: BySpan}, {Method: Priority, Priority: []string{"C", "A"}}, {Method: Surest}} {
			c.Members = make([]Member, len(members))
			tagger := New(c, members)
			got, err := tagger.Tag(context.Background(), []*data.Document{{Text: note}})
			if err != nil {
				t.Fatal(err)
			}
			each := make([][][]data.Span, len(members))
			for m := range members {
				each[m] = [][]data.Span{members[m].(answers)}
			}
			if want := tagger.settle(note, tagger.candidates(each, 0)); !slices.Equal(got[0], want) {
				t.Fatalf("%s: %v, and in one go %v", c.Method, got[0], want)
			}
			covered := make([]bool, len(note))
			end := 0
			for _, s := range got[0] {
				if s.Start < end || s.End <= s.Start {
					t.Fatalf("%s: %v are not sorted and disjoint", c.Method, got[0])
				}
				end = s.End
				if c.Method != Union && !found[fmt.Sprint(s.Start, s.End, s.Type)] {
					t.Fatalf("%s: %v is of no member", c.Method, s)
				}
				for k := s.Start; k < s.End; k++ {
					covered[k] = true
					if !all[s.Type][k] {
						t.Fatalf("%s: %v has what no member found", c.Method, s)
					}
				}
			}
			if c.Method == Union {
				for i, r := range note {
					if (all["A"][i] || all["B"][i] || all["C"][i]) && !covered[i] && !silent(r) {
						t.Fatalf("union: byte %d of %q was found, and is not in %v", i, note, got[0])
					}
				}
			}
		}
	})
}

// fails is a member that fails on the second note.
type fails struct{}

func (fails) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	for _, d := range docs {
		if d.ID == "2" {
			return nil, errors.New("no")
		}
	}
	return make([][]data.Span, len(docs)), nil
}

// short is a member that skips a note.
type short struct{}

func (short) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	return make([][]data.Span, len(docs)-1), nil
}

func TestAMemberThatFailsIsNamed(t *testing.T) {
	docs := []*data.Document{{ID: "1"}, {ID: "2"}}
	c := DefaultConfig()
	c.Members = []Member{{Name: "ann"}, {Name: "other"}}
	for want, last := range map[string]data.Tagger{
		"member other: no":                       fails{},
		"member other: results for 1 of 2 notes": short{},
	} {
		spans, err := New(c, []data.Tagger{answers{}, last}).Tag(t.Context(), docs)
		if err == nil || err.Error() != want || spans != nil {
			t.Errorf("spans %v, error %v, want %s", spans, err, want)
		}
	}
}

func TestValidate(t *testing.T) {
	for want, c := range map[string]struct {
		config  Config
		members int
	}{
		`method: "both" is not union, vote, priority, surest, mean or learned`: {Config{Method: "both"}, 2},
		"members: at least one is required":                                    {Config{Method: Union}, 0},
		"votes: 3 is not in [1, 2]":                                            {Config{Method: Vote, Votes: 3, By: BySpan}, 2},
		"votes: 0 is not in [1, 2]":                                            {Config{Method: Vote}, 2},
		`by: "byte" is not span or token`:                                      {Config{Method: Vote, Votes: 2, By: "byte"}, 2},
		"votes: not supported by method union":                                 {Config{Method: Union, Votes: 1}, 2},
		"folds: not supported by method vote":                                  {Config{Method: Vote, Votes: 2, By: BySpan, Folds: 3}, 2},
		"by: token is not supported by method union":                           {Config{Method: Union, By: ByToken}, 2},
		"folds: 1 is less than 2":                                              {Config{Method: Learned, Folds: 1}, 2},
		"priority: is required for method priority":                            {Config{Method: Priority}, 2},
		"priority: not supported by method union":                              {Config{Method: Union, Priority: []string{"A"}}, 2},
		"priority: duplicate A":                                                {Config{Method: Priority, Priority: []string{"A", "B", "A"}}, 2},
	} {
		for i := range c.members {
			c.config.Members = append(c.config.Members, Member{Name: strconv.Itoa(i)})
		}
		err := c.config.Validate()
		if err == nil {
			err = c.config.Effects()
		}
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func BenchmarkUnion(b *testing.B) {
	note := strings.Repeat("word ", 2000)
	var one, other answers
	for i := range 2000 {
		one = append(one, data.Span{Start: 5 * i, End: 5*i + 4, Type: "A", Score: 1})
		other = append(other, data.Span{Start: 5*i + 2, End: 5*i + 5, Type: "B", Score: 1})
	}
	c := DefaultConfig()
	c.Members = make([]Member, 2)
	t := New(c, []data.Tagger{one, other})
	for b.Loop() {
		if _, err := t.Tag(b.Context(), []*data.Document{{Text: note}}); err != nil {
			b.Fatal(err)
		}
	}
}
