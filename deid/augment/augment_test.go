package augment

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data"
)

// note has its spans marked as «TYPE|text».
func note(marked string) *data.Document {
	d := &data.Document{ID: "n"}
	for {
		before, rest, ok := strings.Cut(marked, "«")
		d.Text += before
		if !ok {
			return d
		}
		inside, after, _ := strings.Cut(rest, "»")
		typ, value, _ := strings.Cut(inside, "|")
		d.Spans = append(d.Spans, data.Span{Start: len(d.Text), End: len(d.Text) + len(value), Type: typ, Score: 1})
		d.Text += value
		marked = after
	}
}

func TestDropLabels(t *testing.T) {
	d := note("Name: «NAME|Ana Åkerlund»\nDate of birth:\t«DATE|3/4/1971»\nPlan:\nSeen at 10:30: well.\n«NAME|Ana»: agrees\nNote: seen by «NAME|Dr: Falk»\nAge 40: no")
	want := note("«NAME|Ana Åkerlund»\n«DATE|3/4/1971»\nPlan:\nSeen at 10:30: well.\n«NAME|Ana»: agrees\nseen by «NAME|Dr: Falk»\nAge 40: no")
	got := Copy([]*data.Document{d}, Options{DropLabels: 1}, 1)[0]
	if got.Text != want.Text || !slices.Equal(got.Spans, want.Spans) || got.ID != d.ID {
		t.Errorf("%q %v\nwant %q %v", got.Text, got.Spans, want.Text, want.Spans)
	}
	same := Copy([]*data.Document{d}, Options{}, 1)[0]
	if same.Text != d.Text || !slices.Equal(same.Spans, d.Spans) {
		t.Error("a copy without changes differs")
	}
}

// After any change, each span has a value of its type, in the same order, and the
// text between spans is unchanged except for labels.
func TestSwapValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[A-Za-zÅé0-9 ]{1,8}`)
		var docs []*data.Document
		values := map[string]bool{}
		for range rapid.IntRange(1, 4).Draw(t, "notes") {
			var b strings.Builder
			for range rapid.IntRange(0, 6).Draw(t, "spans") {
				typ, value := rapid.SampledFrom([]string{"NAME", "DATE"}).Draw(t, "type"), word.Draw(t, "value")
				values[typ+value] = true
				b.WriteString(word.Draw(t, "text") + "\n«" + typ + "|" + value + "»")
			}
			docs = append(docs, note(b.String()))
		}
		for i, c := range Copy(docs, Options{SwapValues: 1}, 7) {
			d := docs[i]
			if err := c.Check(); err != nil {
				t.Fatal(err)
			}
			if len(c.Spans) != len(d.Spans) {
				t.Fatal("spans are lost")
			}
			at, was := 0, 0
			for k, s := range c.Spans {
				if s.Type != d.Spans[k].Type || !values[s.Type+c.Text[s.Start:s.End]] {
					t.Fatal("a span holds no value of its type")
				}
				if c.Text[at:s.Start] != d.Text[was:d.Spans[k].Start] {
					t.Fatal("text outside of spans has changed")
				}
				at, was = s.End, d.Spans[k].End
			}
			if c.Text[at:] != d.Text[was:] {
				t.Fatal("text after the last span has changed")
			}
		}
	})
}

func TestSameSeedSameCopies(t *testing.T) {
	docs := []*data.Document{note("A: «N|x» b\nC: «N|yy»\nD: e\n«N|zzz»"), note("E: «N|w»")}
	texts := func(seed uint64) string {
		var all []string
		for _, c := range Copy(docs, Options{DropLabels: 0.5, SwapValues: 0.5}, seed) {
			all = append(all, c.Text)
		}
		return strings.Join(all, "|")
	}
	first := texts(1)
	if texts(1) != first {
		t.Error("the same seed gives other copies")
	}
	differ := false
	for seed := range uint64(10) {
		differ = differ || texts(seed) != first
	}
	if !differ {
		t.Error("all seeds give the same copies")
	}
}
