package deid

import (
	"flag"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/internal/shared"
)

func maker(t testing.TB, key string, plan Plan) *Replacement {
	t.Helper()
	types, err := data.LookupTypeSet(synth.TypeSet)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReplacement(plan, Options{Key: []byte(key), Types: types})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// patients groups generated notes.
func patients(t testing.TB, n int, seed uint64) [][]*data.Document {
	t.Helper()
	var all [][]*data.Document
	for d, err := range synth.Notes(n, seed, synth.Train) {
		if err != nil {
			t.Fatal(err)
		}
		if k := len(all) - 1; k >= 0 && all[k][0].Group() == d.Group() {
			all[k] = append(all[k], d)
		} else {
			all = append(all, []*data.Document{d})
		}
	}
	return all
}

// outside is the text with each span cut down to one character that stands for it.
func outside(text string, spans []data.Span) string {
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.Start] + "\x00")
		at = s.End
	}
	return b.String() + text[at:]
}

// nameWords are the words of a value that can tell who is meant.
func nameWords(text string) []string {
	return slices.DeleteFunc(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }),
		func(w string) bool {
			return utf8.RuneCountInString(w) < 3 || w == "iii" || slices.Contains([]string{"van", "der", "del", "las"}, w)
		})
}

var notes = flag.Int("notes", 500, "notes for TestSurrogatesOfGeneratedNotes; 10000 take some minutes")

// TestSurrogatesOfGeneratedNotes replaces notes twice with one key and once with
// another, in two orders of a patient's notes.
func TestSurrogatesOfGeneratedNotes(t *testing.T) {
	plan := Plan{Default: KindSurrogate}
	one, again, another := maker(t, "a key of sixteen", plan), maker(t, "a key of sixteen", plan), maker(t, "another sixteen.", plan)
	spans, tags, sameDate, differ := 0, 0, 0, 0
	for _, docs := range patients(t, *notes, 7) {
		p, q, o := one.Patient(docs[0].Group(), docs), again.Patient(docs[0].Group(), docs), another.Patient(docs[0].Group(), docs)
		reversed := slices.Clone(docs)
		slices.Reverse(reversed)
		texts := map[string]string{}
		for _, d := range reversed {
			out, _, err := q.Replace(d, d.Spans)
			if err != nil {
				t.Fatal(err)
			}
			texts[d.ID] = out.Text
		}
		was := map[string]string{} // the surrogate of each name, number and place
		for _, d := range docs {
			out, changes, err := p.Replace(d, d.Spans)
			if err != nil {
				t.Fatal(err)
			}
			if out.Text != texts[d.ID] {
				t.Fatalf("note %s: another text with the same key", d.ID)
			}
			if err := out.Check(); err != nil {
				t.Fatal(err)
			}
			if len(out.Spans) != len(d.Spans) || len(changes) != len(d.Spans) {
				t.Fatalf("note %s: %d spans of %d, %d changes", d.ID, len(out.Spans), len(d.Spans), len(changes))
			}
			if outside(d.Text, d.Spans) != outside(out.Text, out.Spans) {
				t.Fatalf("note %s: text outside of spans has changed", d.ID)
			}
			if other, _, err := o.Replace(d, d.Spans); err != nil || len(d.Spans) > 0 && other.Text == out.Text {
				t.Fatalf("note %s: with another key the same text, or error %v", d.ID, err)
			}
			originals := map[string]bool{}
			for _, s := range d.Spans {
				switch s.Type {
				case "PATIENT", "DOCTOR":
					for _, w := range nameWords(d.Text[s.Start:s.End]) {
						originals[w] = true
					}
				case "AGE", "DATE", "OTHER":
				default:
					originals[strings.ToLower(d.Text[s.Start:s.End])] = true
				}
			}
			for i, c := range changes {
				before, after := d.Text[c.Old.Start:c.Old.End], out.Text[c.New.Start:c.New.End]
				spans++
				if out.Spans[i] != c.New || after == "" {
					t.Fatalf("note %s: change %d is not where the span is", d.ID, i)
				}
				if c.Old.Type != "OTHER" && strings.HasPrefix(after, "["+c.Old.Type) {
					tags++
					t.Errorf("note %s, %s: no surrogate for %q", d.ID, c.Old.Type, before)
					continue
				}
				switch c.Old.Type {
				case "OTHER":
				case "AGE":
					if after != before && after != "90+" && strings.ToLower(after) != "ninety or more" {
						t.Errorf("note %s: age %q became %q", d.ID, before, after)
					}
				case "DATE":
					if after != before {
						differ++
					} else if sameDate++; !mayStay.MatchString(before) {
						t.Errorf("note %s: the date %q stays", d.ID, before)
					}
					holiday := holidays.MatchString(before)
					if weekday := strings.HasSuffix(before, "day") && dateShape(before) == "Aa"; (!holiday || weekday) && !strings.EqualFold(before, "T/Th/Sat") && dateShape(before) != dateShape(after) {
						t.Errorf("note %s: date %q became %q", d.ID, before, after)
					}
				default:
					if originals[strings.ToLower(after)] && utf8.RuneCountInString(after) > 2 {
						t.Errorf("note %s: %s %q became %q, an original", d.ID, c.Old.Type, before, after)
					}
					for _, w := range nameWords(after) {
						if (c.Old.Type == "PATIENT" || c.Old.Type == "DOCTOR") && originals[w] {
							t.Errorf("note %s: name %q became %q", d.ID, before, after)
						}
					}
					key := c.Old.Type + strings.ToLower(before)
					if was[key] != "" && was[key] != strings.ToLower(after) {
						t.Errorf("note %s: %s %q became %q, and elsewhere %q", d.ID, c.Old.Type, before, after, was[key])
					}
					was[key] = strings.ToLower(after)
				}
			}
		}
	}
	t.Logf("%d spans, %d tags, %d of %d dates as they were (decades)", spans, tags, sameDate, sameDate+differ)
}

var (
	// A decade may be the same after some years, and so may the day of the month.
	mayStay  = regexp.MustCompile(`^(?i)([0-9]+0s|[0-9]+(st|nd|rd|th))$`)
	holidays = regexp.MustCompile(`^(?i:.*day|christmas|thanksgiving|.* eve|easter|halloween|passover|ramadan)$`)
)

// dateShape is the form of a date: its signs, how its words are written and how many digits its years have.
func dateShape(s string) string {
	var b strings.Builder
	for _, f := range pieces(s) {
		switch r, _ := utf8.DecodeRuneInString(f); {
		case unicode.IsDigit(r) && len(f) <= 2:
			b.WriteString("9") // 3 and 13 are written alike
		case unicode.IsDigit(r):
			b.WriteString(strings.Repeat("9", len(f)))
		case unicode.IsLetter(r):
			upper := f == strings.ToUpper(f)
			switch {
			case upper:
				b.WriteString("A")
			case unicode.IsUpper(r):
				b.WriteString("Aa")
			default:
				b.WriteString("a")
			}
		default:
			b.WriteString(f)
		}
	}
	return b.String()
}

func pieces(s string) []string {
	var all []string
	last := 0
	for _, r := range s {
		class := 3
		switch {
		case unicode.IsDigit(r):
			class = 1
		case unicode.IsLetter(r) || r == '\'' && last == 2:
			class = 2
		}
		if class == last {
			all[len(all)-1] += string(r)
		} else {
			all = append(all, string(r))
		}
		last = class
	}
	return all
}

// TestKindsOfGeneratedNotes: what the other kinds promise.
func TestKindsOfGeneratedNotes(t *testing.T) {
	for _, kind := range []Kind{KindTag, KindNumbered, KindMask, KindRedact, KindHash, KindKeep} {
		t.Run(string(kind), func(t *testing.T) {
			r := maker(t, "a key of sixteen", Plan{Default: kind})
			for _, docs := range patients(t, 200, 3) {
				p := r.Patient(docs[0].Group(), docs)
				for _, d := range docs {
					out, changes, err := p.Replace(d, d.Spans)
					if err != nil {
						t.Fatal(err)
					}
					for _, c := range changes {
						before, after := d.Text[c.Old.Start:c.Old.End], out.Text[c.New.Start:c.New.End]
						ok := false
						switch kind {
						case KindTag:
							ok = after == "["+c.Old.Type+"]"
						case KindNumbered:
							ok = strings.HasPrefix(after, "["+c.Old.Type+"_") && strings.HasSuffix(after, "]")
						case KindMask:
							ok = utf8.RuneCountInString(after) == utf8.RuneCountInString(before) && !strings.ContainsFunc(after, unicode.IsLetter) &&
								!strings.ContainsFunc(after, unicode.IsDigit)
						case KindRedact:
							ok = after == ""
						case KindHash:
							ok = len(after) == 32 && strings.Trim(after, "0123456789abcdef") == ""
						case KindKeep:
							ok = after == before
						}
						if !ok || c.Kind != kind {
							t.Fatalf("%s %q became %q", c.Old.Type, before, after)
						}
					}
					if outside(d.Text, d.Spans) != outside(out.Text, out.Spans) && kind != KindRedact {
						t.Fatal("text outside of spans has changed")
					}
				}
			}
		})
	}
}

// TestSurrogatesOfAnything gives any text, any spans, any type.
func TestSurrogatesOfAnything(t *testing.T) {
	types, _ := data.LookupTypeSet("i2b2-2014")
	r := maker(t, "a key of sixteen", Plan{Default: KindSurrogate})
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("aeoLdñÉ王Ж٣9012/-.,@: '\nº")), 1, 24, -1).Draw(t, "text")
		var borders []int
		for i := range text {
			borders = append(borders, i)
		}
		borders = append(borders, len(text))
		spans := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) data.Span {
			i := rapid.IntRange(0, len(borders)-2).Draw(t, "start")
			j := rapid.IntRange(i+1, len(borders)-1).Draw(t, "end")
			return data.Span{Start: borders[i], End: borders[j], Type: rapid.SampledFrom(types.Types).Draw(t, "type").Name, Score: 1}
		}), 0, 4).Draw(t, "spans")
		doc := &data.Document{ID: "a", Text: text, Spans: spans}
		out, changes, err := r.Patient("a", []*data.Document{doc}).Replace(doc, spans)
		if err != nil {
			t.Fatal(err)
		}
		var old, made []data.Span
		for _, c := range changes {
			old, made = append(old, c.Old), append(made, c.New)
		}
		if err := out.Check(); err != nil || outside(text, old) != outside(out.Text, made) {
			t.Fatalf("%q became %q, error %v", text, out.Text, err)
		}
	})
}

func BenchmarkReplace(b *testing.B) {
	all := patients(b, 200, 5)
	for _, kind := range []Kind{KindTag, KindSurrogate} {
		b.Run(string(kind), func(b *testing.B) {
			r := maker(b, "a key of sixteen", Plan{Default: kind})
			notes := 0
			for b.Loop() {
				for _, docs := range all {
					p := r.Patient(docs[0].Group(), docs)
					for _, d := range docs {
						if _, _, err := p.Replace(d, d.Spans); err != nil {
							b.Fatal(err)
						}
						notes++
					}
				}
			}
			b.ReportMetric(float64(notes)/b.Elapsed().Seconds(), "notes/s")
		})
	}
}

// TestIntervalsStay reads the dates with package time, before and after: all
// whole dates of a patient move by the same number of days.
func TestIntervalsStay(t *testing.T) {
	r := maker(t, "a key of sixteen", Plan{Default: KindSurrogate})
	layouts := []string{"01/02/2006", "1/2/2006", "01-02-2006", "2006-01-02", "2-Jan-2006", "02Jan2006", "January 2, 2006", "Jan 2, 2006", "2 January 2006"}
	moved, offsets := 0, map[int]bool{}
	for _, docs := range patients(t, 800, 11) {
		p := r.Patient(docs[0].Group(), docs)
		offset := 0
		for _, d := range docs {
			out, changes, err := p.Replace(d, d.Spans)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range changes {
				for _, layout := range layouts {
					a, errA := time.Parse(layout, d.Text[c.Old.Start:c.Old.End])
					if c.Old.Type != "DATE" || errA != nil {
						continue
					}
					b, err := time.Parse(layout, out.Text[c.New.Start:c.New.End])
					if err != nil {
						t.Fatalf("note %s: a date of the form %s has another", d.ID, layout)
					}
					days := int(b.Sub(a).Hours() / 24)
					if offset == 0 {
						offset = days
					}
					if days != offset || days == 0 {
						t.Fatalf("note %s: %s moves by %d days, another by %d", d.ID, a.Format(layout), days, offset)
					}
					moved++
					break
				}
			}
		}
		offsets[offset] = true
	}
	if moved < 1000 || len(offsets) < 50 {
		t.Errorf("only %d dates and %d offsets", moved, len(offsets))
	}
}

// TestSurrogatesOfMEDDOCAN: on real forms, how often there is but a tag.
func TestSurrogatesOfMEDDOCAN(t *testing.T) {
	dir := shared.Path(t, "corpora/meddocan/train/xml")
	types, err := data.LookupTypeSet("meddocan")
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReplacement(Plan{Default: KindSurrogate}, Options{Key: []byte("a key of sixteen"), Types: types})
	if err != nil {
		t.Fatal(err)
	}
	tags, all := map[string]int{}, 0
	for d, err := range format.Read("meddocan", dir, types) {
		if err != nil {
			t.Fatal(err)
		}
		out, changes, err := r.Patient(d.Group(), []*data.Document{d}).Replace(d, d.Spans)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range changes {
			all++
			before, after := d.Text[c.Old.Start:c.Old.End], out.Text[c.New.Start:c.New.End]
			if after == "["+c.Old.Type+"]" {
				tags[c.Old.Type]++
			}
			if after == before && c.Old.Type != "EDAD_SUJETO_ASISTENCIA" && c.Old.Type != "SEXO_SUJETO_ASISTENCIA" && c.Old.Type != "FAMILIARES_SUJETO_ASISTENCIA" {
				t.Errorf("note %s: span [%d,%d) of type %s stays", d.ID, c.Old.Start, c.Old.End, c.Old.Type)
			}
		}
	}
	t.Logf("%d spans, tags: %v", all, tags)
	for typ, most := range map[string]int{"FECHAS": 4, "FAMILIARES_SUJETO_ASISTENCIA": 30, "SEXO_SUJETO_ASISTENCIA": 2, "OTROS_SUJETO_ASISTENCIA": 9} {
		if tags[typ] > most {
			t.Errorf("%d tags for %s, want %d at most", tags[typ], typ, most)
		}
		delete(tags, typ)
	}
	if len(tags) > 0 {
		t.Errorf("tags of other types: %v", tags)
	}
}
