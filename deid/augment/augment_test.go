package augment

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
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

// copies returns a copy of each note, whose type set is that of MEDDOCAN.
func copies(t interface {
	Helper()
	Fatal(...any)
}, docs []*data.Document, opt Options, seed uint64) []*data.Document {
	t.Helper()
	a, err := New(docs, data.MEDDOCAN, opt)
	if err != nil {
		t.Fatal(err)
	}
	all, err := a.Copy(docs, seed)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		if err := d.Check(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func TestDropLabels(t *testing.T) {
	d := note("Name: «NAME|Ana Åkerlund»\nDate of birth:\t«DATE|3/4/1971»\nPlan:\nSeen at 10:30: well.\n«NAME|Ana»: agrees\nNote: seen by «NAME|Dr: Falk»\nAge 40: no")
	want := note("«NAME|Ana Åkerlund»\n«DATE|3/4/1971»\nPlan:\nSeen at 10:30: well.\n«NAME|Ana»: agrees\nseen by «NAME|Dr: Falk»\nAge 40: no")
	got := copies(t, []*data.Document{d}, Options{DropLabels: 1}, 1)[0]
	if got.Text != want.Text || !slices.Equal(got.Spans, want.Spans) || got.ID != d.ID {
		t.Errorf("%q %v\nwant %q %v", got.Text, got.Spans, want.Text, want.Spans)
	}
	same := copies(t, []*data.Document{d}, Options{}, 1)[0]
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
		for i, c := range copies(t, docs, Options{SwapValues: 1}, 7) {
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
	docs := []*data.Document{
		note("A: «NOMBRE_SUJETO_ASISTENCIA|Xosé» bien\nC: «HOSPITAL|Hospital Yebra»\nD: e\n«NOMBRE_SUJETO_ASISTENCIA|Zoe Falk»"), note("E: «NOMBRE_SUJETO_ASISTENCIA|Wim»"),
	}
	opt := Options{DropLabels: 0.5, SwapValues: 0.3, InventValues: 0.7, Capitals: 0.2, LowerCase: 0.2, Unaccented: 0.2, Typos: 0.1, Vary: true}
	texts := func(seed uint64) string {
		var all []string
		for _, c := range copies(t, docs, opt, seed) {
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

// checkSpans compares the spans of a copy with those of its note, and returns their texts.
func checkSpans(t *rapid.T, d, c *data.Document) (was, is []string) {
	t.Helper()
	if len(c.Spans) != len(d.Spans) {
		t.Fatalf("%d spans, want %d", len(c.Spans), len(d.Spans))
	}
	for i, s := range d.Spans {
		if c.Spans[i].Type != s.Type {
			t.Fatalf("span %d has the type %s, want %s", i, c.Spans[i].Type, s.Type)
		}
		was, is = append(was, d.Text[s.Start:s.End]), append(is, c.Text[c.Spans[i].Start:c.Spans[i].End])
	}
	return was, is
}

// outside returns the text between spans.
func outside(d *data.Document) []string {
	var all []string
	at := 0
	for _, s := range d.Spans {
		all = append(all, d.Text[at:s.Start])
		at = s.End
	}
	return append(all, d.Text[at:])
}

// spanish draws a note with values of several types.
func spanish(t *rapid.T) *data.Document {
	value := map[string]*rapid.Generator[string]{
		"NOMBRE_SUJETO_ASISTENCIA":  rapid.SampledFrom([]string{"Ana", "Ana Åkerlund", "ANA FALK", "José Luís Peña-Ruiz", "Jose\u0301 Falk", "\u0301x"}),
		"NOMBRE_PERSONAL_SANITARIO": rapid.SampledFrom([]string{"Dr. Falk", "María del Mar Peña", "J. Falk"}),
		"CORREO_ELECTRONICO":        rapid.SampledFrom([]string{"ana.falk@example.org", "xyz"}),
		"ID_SUJETO_ASISTENCIA":      rapid.SampledFrom([]string{"48392", "AB-12 / 7"}),
		"HOSPITAL":                  rapid.SampledFrom([]string{"Hospital General de Åland", "HOSPITAL 12 de Octubre", "Clínica"}),
		"TERRITORIO":                rapid.SampledFrom([]string{"Teruel", "28013", "A"}),
		"CALLE":                     rapid.SampledFrom([]string{"C/ Mayor 12, 3º B", "Avda. de la Paz, s/n"}),
		"FECHAS":                    rapid.SampledFrom([]string{"3/4/1971", "mayo de 2003"}),
		"PROFESION":                 rapid.SampledFrom([]string{"albañil"}),
	}
	types := slices.Sorted(maps.Keys(value))
	text := rapid.StringMatching(`[A-Za-zÑéñß0-9:, \r\n\x{301}가が]{0,12}`)
	var b strings.Builder
	for range rapid.IntRange(0, 8).Draw(t, "spans") {
		typ := rapid.SampledFrom(types).Draw(t, "type")
		b.WriteString(text.Draw(t, "text") + "«" + typ + "|" + value[typ].Draw(t, "value") + "»")
	}
	return note(b.String() + text.Draw(t, "text"))
}

// Invented values are in the place of their originals: nothing else changes, a value has one
// replacement within a note, and dates and professions, which are not invented, stay.
func TestInventValues(t *testing.T) {
	changed := 0
	rapid.Check(t, func(t *rapid.T) {
		d := spanish(t)
		c := copies(t, []*data.Document{d}, Options{InventValues: rapid.SampledFrom([]float64{0.5, 1}).Draw(t, "rate")}, rapid.Uint64().Draw(t, "seed"))[0]
		was, is := checkSpans(t, d, c)
		if !slices.Equal(outside(c), outside(d)) {
			t.Fatal("text outside of spans has changed")
		}
		replacement := map[string]string{}
		for i, v := range was {
			key := d.Spans[i].Type + "|" + v
			if r, ok := replacement[key]; ok && r != is[i] {
				t.Fatal("a value has two replacements")
			}
			replacement[key] = is[i]
			if v != is[i] {
				changed++
				if typ := d.Spans[i].Type; typ == "FECHAS" || typ == "PROFESION" {
					t.Fatalf("a value of type %s was invented", typ)
				}
			}
		}
	})
	if changed == 0 {
		t.Error("no value was ever invented")
	}
}

// Numbers keep their form, names in capitals stay in capitals, and a mail address that is built
// of a name follows the invented name.
func TestInventedValuesKeepTheForm(t *testing.T) {
	d := note("Nombre: «NOMBRE_SUJETO_ASISTENCIA|Bruno Falkenberg»\nCIPA: «ID_SUJETO_ASISTENCIA|AB-4839/2»\nE-mail: «CORREO_ELECTRONICO|bruno.falkenberg@example.org»\nFirma: «NOMBRE_PERSONAL_SANITARIO|ELSA OTTERDAHL»")
	form := func(s string) string {
		return strings.Map(func(r rune) rune {
			switch {
			case r >= '0' && r <= '9':
				return '9'
			case unicode.IsUpper(r):
				return 'A'
			case unicode.IsLower(r):
				return 'a'
			}
			return r
		}, s)
	}
	follows := 0
	for seed := range uint64(20) {
		c := copies(t, []*data.Document{d}, Options{InventValues: 1}, seed)[0]
		values := make([]string, len(c.Spans))
		for i, s := range c.Spans {
			values[i] = c.Text[s.Start:s.End]
		}
		if form(values[1]) != "AA-9999/9" || values[1] == "AB-4839/2" {
			t.Errorf("seed %d: the number became %q", seed, values[1])
		}
		if values[3] != strings.ToUpper(values[3]) || values[3] == "ELSA OTTERDAHL" {
			t.Errorf("seed %d: a name in capitals became %q", seed, values[3])
		}
		first, _, _ := strings.Cut(fold.Fold(values[0]), " ")
		if strings.HasPrefix(values[2], first+".") && strings.Contains(values[2], "@") {
			follows++
		}
	}
	if follows < 15 { // not if the name is of several words or has other characters
		t.Errorf("%d of 20 mail addresses follow the name", follows)
	}
}

// Changes of the spelling keep spans aligned, and no typing error changes a digit.
func TestSpelling(t *testing.T) {
	digits := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return r
			}
			return -1
		}, s)
	}
	for name, c := range map[string]struct {
		opt   Options
		check func(was, is string) bool
	}{
		"capitals":   {Options{Capitals: 1}, func(was, is string) bool { return is == strings.ToUpper(was) }},
		"lower case": {Options{LowerCase: 1}, func(was, is string) bool { return is == strings.ToLower(was) }},
		"typos": {Options{Typos: 1}, func(was, is string) bool {
			return digits(was) == digits(is) && strings.Count(was, " ") == strings.Count(is, " ")
		}},
		"unaccented": {Options{Unaccented: 1}, func(was, is string) bool {
			want := unaccentedText(was)
			return is == want || is == strings.TrimPrefix(want, "\u0301") // outside of spans
		}},
		"all": {Options{Typos: 0.5, Unaccented: 1, Capitals: 0.5, LowerCase: 1}, func(was, is string) bool { return digits(was) == digits(is) }},
	} {
		t.Run(name, func(t *testing.T) {
			changed := 0
			rapid.Check(t, func(t *rapid.T) {
				d := spanish(t)
				c2 := copies(t, []*data.Document{d}, c.opt, rapid.Uint64().Draw(t, "seed"))[0]
				was, is := checkSpans(t, d, c2)
				was, is = append(was, outside(d)...), append(is, outside(c2)...)
				for i := range was {
					if !c.check(was[i], is[i]) {
						t.Fatalf("%q became %q", was[i], is[i])
					}
					if was[i] != is[i] {
						changed++
					}
				}
			})
			if changed == 0 {
				t.Error("nothing was ever changed")
			}
		})
	}
}

// unaccentedText is what people who type no accents write.
func unaccentedText(s string) string {
	from := []rune("ÑéñáíóúÁÅåÉÍÓÚ")
	to := []rune("NenaiouAAaEIOU")
	first := true
	return strings.Map(func(r rune) rune {
		defer func() { first = false }()
		if i := slices.Index(from, r); i >= 0 {
			return to[i]
		}
		if r == '\u0301' && !first { // the first character of a span stays
			return -1
		}
		return r
	}, s)
}

// Hangul and kana lost parts of their letters, which are no accents, and an accent that is a
// character of its own stayed.
func TestUnaccentedLeavesOtherScripts(t *testing.T) {
	d := note("한국 が «NOMBRE_SUJETO_ASISTENCIA|Jose\u0301» й Ø")
	if got := copies(t, []*data.Document{d}, Options{Unaccented: 1}, 1)[0]; got.Text != "한국 が Jose й Ø" || got.Spans[0].End-got.Spans[0].Start != 4 {
		t.Errorf("%q %v", got.Text, got.Spans)
	}
}

// Notes in a language that package surrogate does not know keep their values: it is an error to
// ask for invented ones. A type set without a language gets English ones.
func TestLanguages(t *testing.T) {
	d := note("Seen by «DOCTOR|Elsa Otterdahl».")
	english := *data.I2B2
	for language, want := range map[string]string{"": "", "en": "", "eu": "inventing values: no surrogates in the language \"eu\""} {
		english.Language = language
		a, err := New([]*data.Document{d}, &english, Options{InventValues: 1})
		if want != "" {
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("language %q: error %v", language, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		all, err := a.Copy([]*data.Document{d}, 1)
		if err != nil || strings.Contains(all[0].Text, "Elsa Otterdahl") {
			t.Errorf("language %q: %q, error %v", language, all[0].Text, err)
		}
		if _, err := New([]*data.Document{d}, &english, Options{SwapValues: 1}); err != nil {
			t.Errorf("language %q, values swapped: %v", language, err)
		}
	}
}

// With Vary, the rates of a copy are spread around those given: at 0.5 over all of [0, 1].
func TestVary(t *testing.T) {
	d := note(strings.Repeat("Nombre: x\n", 100))
	least, most := 100, 0
	total := 0
	const seeds = 200
	for seed := range uint64(seeds) {
		left := strings.Count(copies(t, []*data.Document{d}, Options{DropLabels: 0.5, Vary: true}, seed)[0].Text, "Nombre")
		least, most, total = min(least, left), max(most, left), total+left
	}
	if least > 10 || most < 90 || total < 45*seeds || total > 55*seeds {
		t.Errorf("between %d and %d labels are left, %d of %d in all", least, most, total, 100*seeds)
	}
}

// Notes without text, without spans and without letters are copied.
func TestCopiesOfEmptyNotes(t *testing.T) {
	all := Options{DropLabels: 1, SwapValues: 0.5, InventValues: 1, Capitals: 1, Unaccented: 1, Typos: 1, Vary: true}
	for _, text := range []string{"", "\n", "\r\n", "12", "\xff"} {
		d := &data.Document{ID: "n", Patient: "p", Text: text}
		a, err := New([]*data.Document{d}, data.MEDDOCAN, all)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := a.Copy([]*data.Document{d}, 1); err != nil || got[0].Text != text || got[0].ID != "n" || got[0].Patient != "p" {
			t.Errorf("%q became %+v, error %v", text, got, err)
		}
	}
}

// The letters that stood for names were also replaced inside of words: San Juan became
// Garcíaan Juan.
func TestFormsKeepTheirWords(t *testing.T) {
	for language, words := range map[string]map[string]string{
		"meddocan":  {"city": "San Santa Villa Los", "street": "Doctor San", "hospital": "Virgen San Santa Infanta", "organization": "S.A. Grupo Laboratorios"},
		"i2b2-2014": {"city": "Saint Mount Heights", "street": "Saint North", "hospital": "Saint Our", "organization": "Inc. Foods Brothers"},
	} {
		types, err := data.LookupTypeSet(language)
		if err != nil {
			t.Fatal(err)
		}
		v, err := newInventor(types)
		if err != nil {
			t.Fatal(err)
		}
		composers := v.composers(rand.New(rand.NewPCG(1, 2)))
		for kind, words := range words {
			drawn := map[string]bool{}
			for range 2000 {
				for word := range strings.FieldsSeq(composers[kind]()) {
					drawn[word] = true
				}
			}
			for word := range strings.FieldsSeq(words) {
				if !drawn[word] {
					t.Errorf("%s, %s: no name contains %s", language, kind, word)
				}
			}
		}
	}
}

// Values of columns move with their text, and those of replaced phrases are not guessed.
func TestCopiesKeepColumns(t *testing.T) {
	d := &data.Document{ID: "1", Text: "Patient: Ada Lind, seen", Spans: []data.Span{{Start: 9, End: 17, Type: "PATIENT", Score: 1}},
		Columns: map[string][]data.Label{"section": {{Start: 0, End: 8, Value: "field"}, {Start: 9, End: 17, Value: "name"}, {Start: 0, End: 23, Value: "all"}, {Start: 19, End: 23, Value: "text"}}, "none": {}}}
	got, err := apply(d, d.Spans, []edit{{0, 9, ""}, {9, 17, "Zoe"}})
	if err != nil {
		t.Fatal(err)
	}
	want := &data.Document{ID: "1", Text: "Zoe, seen", Spans: []data.Span{{Start: 0, End: 3, Type: "PATIENT", Score: 1}},
		Columns: map[string][]data.Label{"section": {{Start: 0, End: 3, Value: "name"}, {Start: 0, End: 9, Value: "all"}, {Start: 5, End: 9, Value: "text"}}, "none": {}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	d.Columns["pos"] = []data.Label{{Start: 9, End: 12, Value: "NNP"}, {Start: 13, End: 17, Value: "NNP"}}
	if _, err := apply(d, d.Spans, []edit{{9, 17, "Zoe"}}); err == nil || !strings.HasPrefix(err.Error(), "document 1: the column pos has a value for a part of a text that is replaced") {
		t.Error(err)
	}
	if _, err := apply(d, d.Spans, []edit{{10, 11, "D"}}); err != nil {
		t.Error(err)
	}
}
