package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/lethe-deid/lethe/data"
)

// runs returns the runs of three words of a text, as they are rather than as hashes.
func runs(text string) map[string]bool {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	set := map[string]bool{}
	n := min(3, len(words))
	for k := range len(words) - n + 1 {
		set[strings.Join(words[k:k+n], " ")] = true
	}
	return set
}

func similarity(a, b map[string]bool) float64 {
	both := 0
	for s := range a {
		if b[s] {
			both++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

func overlap(t *testing.T, splits ...[]*data.Document) []Overlap {
	t.Helper()
	c := New(Options{})
	for i, docs := range splits {
		s := c.Split(fmt.Sprint(i))
		for _, d := range docs {
			s.Add(d, nil)
		}
	}
	return c.Report().Overlaps
}

// The number of notes of dev_hard that are nearly the same as one of dev is that of all comparisons.
func TestNearOfMEDDOCAN(t *testing.T) {
	dev := corpus(t, "brat", "corpora", "meddocan", "dev", "brat")
	hard := corpus(t, "brat", "corpora", "meddocan", "dev_hard", "brat")
	want := 0
	for _, h := range hard {
		if slices.ContainsFunc(dev, func(d *data.Document) bool { return d.ID == h.ID && similarity(runs(d.Text), runs(h.Text)) >= Threshold }) {
			want++
		}
	}
	got := overlap(t, dev, hard)
	if len(got) != 1 || got[0].Near != want || got[0].Same != 0 || want == 0 {
		t.Errorf("%+v, want %d", got, want)
	}
}

// The articles of CoNLL-2003 that are nearly the same as an earlier one are those of all comparisons.
func TestNearOfCoNLL(t *testing.T) {
	docs := corpus(t, "conll", "corpora", "conll2003", "valid.txt")
	want := 0
	var earlier []map[string]bool
	for _, d := range docs {
		set := runs(d.Text)
		if slices.ContainsFunc(earlier, func(e map[string]bool) bool { return similarity(set, e) >= Threshold }) {
			want++
		}
		earlier = append(earlier, set)
	}
	got := overlap(t, docs)
	if len(got) != 1 || got[0].Same+got[0].Near != want || want == 0 {
		t.Errorf("%+v, want %d", got, want)
	}
}

func words(n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprint("w", i))
	}
	return all
}

func TestNear(t *testing.T) {
	replaced := func(at ...int) string {
		all := words(100)
		for _, i := range at {
			all[i] = "other"
		}
		return strings.Join(all, " ")
	}
	base := strings.Join(words(100), " ")
	for name, tc := range map[string]struct {
		a, b       string
		same, near int
	}{
		"equal":                      {base, base, 1, 0},
		"other white space":          {base, " " + strings.ReplaceAll(base, " ", "\r\n"), 1, 0},
		"other case and punctuation": {base, strings.ToUpper(strings.ReplaceAll(base, " ", ", ")), 0, 1},
		"a word replaced":            {base, replaced(50), 0, 1},
		"five words":                 {base, replaced(10, 30, 50, 70, 90), 0, 1},
		"every tenth word":           {base, replaced(5, 15, 25, 35, 45, 55, 65, 75, 85, 95), 0, 0},
		"a third longer":             {base, base + " " + strings.Join(words(150)[100:], " "), 0, 0},
		"a tenth longer":             {base, base + " " + strings.Join(words(110)[100:], " "), 0, 1},
		"another":                    {base, strings.Join(words(300)[150:], " "), 0, 0},
		"no word":                    {"...", "...", 0, 0},
		"nothing":                    {"", "", 0, 0},
		"one word":                   {"Ñandú!", "ñandú", 0, 1},
		"two words in another order": {"well done", "done well", 0, 0},
	} {
		same, near := 0, 0
		for _, o := range overlap(t, []*data.Document{{ID: "a", Text: tc.a}}, []*data.Document{{ID: "b", Text: tc.b}}) {
			same, near = same+o.Same, near+o.Near
		}
		if same != tc.same || near != tc.near {
			t.Errorf("%s: %d the same and %d nearly, want %d and %d; similarity %v", name, same, near, tc.same, tc.near, similarity(runs(tc.a), runs(tc.b)))
		}
	}
}

// Very many notes with one template are all found, although each is compared with few others.
func TestManyNotesAreAlike(t *testing.T) {
	var docs [2][]*data.Document
	for i := range 2000 {
		text := words(60)
		text[i%60], text[(i/60)%60] = fmt.Sprint("x", i), fmt.Sprint("y", i)
		docs[i%2] = append(docs[i%2], &data.Document{ID: fmt.Sprint(i), Text: strings.Join(text, " ")})
	}
	for _, o := range overlap(t, docs[0], docs[1]) {
		want := 1000
		if o.A == o.B {
			want = 999
		}
		if o.Near != want || o.Same != 0 || len(o.NearExamples) != maxExamples {
			t.Errorf("%+v, want %d", o, want)
		}
	}
}
