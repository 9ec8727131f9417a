package augment

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data"
)

// long is a line of narrative.
var long = strings.Repeat("El paciente refiere dolor. ", 5)

// show marks the spans of a grafted note with «TYPE|text», and its unknown ranges with [text].
func show(g Grafted) string {
	marks := map[int]string{}
	for _, s := range g.Spans {
		marks[s.Start] += "«" + s.Type + "|"
		marks[s.End] += "»"
	}
	for _, u := range g.Unknown {
		marks[u.Start] += "["
		marks[u.End] = "]" + marks[u.End]
	}
	var b strings.Builder
	for i := range len(g.Text) + 1 {
		b.WriteString(marks[i])
		if i < len(g.Text) {
			b.WriteByte(g.Text[i])
		}
	}
	return b.String()
}

func TestGraft(t *testing.T) {
	for name, c := range map[string]struct {
		note  string
		lines []string
		want  string
		left  int
	}{
		"fields and signature stay": {
			"Nombre: «N|Ana»\n" + long + "\nFirma: «N|Eva»\n", []string{long + "Uno.", "Dos."},
			"Nombre: «N|Ana»\n[" + long + "Uno.]\nFirma: «N|Eva»\n", 1,
		},
		"several lines for one": {
			long + "\n«N|Ana»", []string{"Uno.", "Dos.", strings.Repeat("x", 200), "Tres."},
			"[Uno.\nDos.\n" + strings.Repeat("x", 200) + "]\n«N|Ana»", 1,
		},
		"labels stay": {
			"Evolución: " + long + "\n", []string{"Uno."},
			"Evolución: [Uno.]\n", 0,
		},
		"a span in the narrative goes with it": {
			long + "Lo ve «N|Eva».\nFirma: «N|Eva»", []string{"Uno."},
			"[Uno.]\nFirma: «N|Eva»", 0,
		},
		"a line that is mostly spans is no narrative": {
			"«C|" + strings.Repeat("x", 90) + "» en Teruel", []string{"Uno."},
			"«C|" + strings.Repeat("x", 90) + "» en Teruel\n[Uno.]", 0,
		},
		"no narrative": {
			"Nombre: «N|Ana»", []string{"Uno."},
			"Nombre: «N|Ana»\n[Uno.]", 0,
		},
		"no narrative and a line end": {
			"Nombre: «N|Ana»\n", []string{"Uno."},
			"Nombre: «N|Ana»\n[Uno.]", 0,
		},
		"an empty note": {"", []string{"Uno.", "Dos."}, "[Uno.\nDos.]", 0},
		"fewer lines than places": {
			long + "\nA: «N|Ana»\n" + long + "\nB: «N|Eva»", []string{strings.Repeat("x", 400)},
			"[" + strings.Repeat("x", 400) + "]\nA: «N|Ana»\n\nB: «N|Eva»", 0,
		},
		"no lines":                              {long + "\nA: «N|Ana»", nil, "\nA: «N|Ana»", 0},
		"no lines for a note without narrative": {"A: «N|Ana»", nil, "A: «N|Ana»", 0},
		"carriage returns stay": {
			"A: «N|Ana»\r\n" + long + "\r\nB: «N|Eva»\r\n", []string{"Uno."},
			"A: «N|Ana»\r\n[Uno.]\r\nB: «N|Eva»\r\n", 0,
		},
		"a span over the end of a line is not divided": {
			long + "«N|Ana\nFalk» firma", []string{"Uno."},
			long + "«N|Ana\nFalk» firma\n[Uno.]", 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g, left := Graft(note(c.note), c.lines)
			if got := show(g); got != c.want {
				t.Errorf("%q\nwant %q", got, c.want)
			}
			if len(left) != c.left || !slices.Equal(left, c.lines[len(c.lines)-len(left):]) {
				t.Errorf("%d lines are left, want the last %d", len(left), c.left)
			}
			if err := g.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// What a teacher finds counts only inside of the unknown ranges.
func TestLabel(t *testing.T) {
	g := Grafted{Document: &data.Document{Text: "Ana ve a Eva y a Mar.", Spans: []data.Span{{Start: 0, End: 3, Type: "N", Score: 1}}},
		Unknown: []data.Span{{Start: 4, End: 12}, {Start: 15, End: 21}}}
	found := []data.Span{{Start: 0, End: 3, Type: "X"}, {Start: 3, End: 6, Type: "X"}, {Start: 9, End: 12, Type: "N", Score: 0.5}, {Start: 11, End: 16, Type: "X"}, {Start: 17, End: 20, Type: "N", Score: 0.7}}
	want := []data.Span{{Start: 0, End: 3, Type: "N", Score: 1}, {Start: 9, End: 12, Type: "N", Score: 0.5}, {Start: 17, End: 20, Type: "N", Score: 0.7}}
	if got := g.Label(found); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if len(g.Spans) != 1 {
		t.Error("Label changes the note")
	}
}

// For any note, the spans that are kept have their text, nothing of them is unknown, and the
// unknown ranges contain the lines, one after another.
func TestGraftsAreAligned(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"\n", "\r\n", "A: ", "é ", long, "«N|Ana»", "«C|12\n3»", "«N|" + long + "»", ".", "\u0301"})
		d := note(strings.Join(rapid.SliceOfN(piece, 0, 20).Draw(t, "note"), ""))
		given := rapid.SliceOfN(rapid.SampledFrom([]string{"Uno.", long, "é"}), 0, 8).Draw(t, "lines")
		g, left := Graft(d, given)
		if err := g.Check(); err != nil {
			t.Fatal(err)
		}
		kept := 0
		for _, s := range d.Spans { // in order
			if kept < len(g.Spans) && g.Spans[kept].Type == s.Type && g.Text[g.Spans[kept].Start:g.Spans[kept].End] == d.Text[s.Start:s.End] {
				kept++
			}
		}
		if kept < len(g.Spans) {
			t.Fatal("a span has no text of the note")
		}
		var used []string
		for i, u := range g.Unknown {
			if u.Start >= u.End || u.End > len(g.Text) || i > 0 && u.Start < g.Unknown[i-1].End {
				t.Fatalf("range %d is empty or out of order", i)
			}
			if a, b := data.Overlapping(g.Spans, u); a < b {
				t.Fatal("a gold span is in an unknown range")
			}
			used = append(used, strings.Split(g.Text[u.Start:u.End], "\n")...)
		}
		if !slices.Equal(append(used, left...), given) {
			t.Fatal("the unknown ranges are not the lines")
		}
	})
}
