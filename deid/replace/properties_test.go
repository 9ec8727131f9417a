package replace

import (
	"flag"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/internal/shared"
)

func maker(t testing.TB, key string, plan Plan) *Replacer {
	t.Helper()
	types, err := data.LookupTypeSet(synth.TypeSet)
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(plan, Options{Key: []byte(key), Types: types})
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

// outside returns the text with a single character instead of each span.
func outside(text string, spans []data.Span) string {
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.Start] + "\x00")
		at = s.End
	}
	return b.String() + text[at:]
}

var notes = flag.Int("notes", 500, "notes for TestSurrogates; 10000 take some minutes")

// corpus is notes, grouped by patient, with the properties that their surrogates must have.
type corpus struct {
	types    string
	patients [][]*data.Document
	layouts  []string                 // layouts of complete dates for package time, with English months
	months   []string                 // layouts of months
	english  func(date string) string // translates the months of a date to English
	tagged   map[data.Sort]bool       // sorts with values that package surrogate does not understand
}

// spanishMonths writes "3 de abril de 2071" as "3 de April de 2071".
func spanishMonths(date string) string {
	date = strings.ToLower(date)
	for i, m := range strings.Fields("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre") {
		date = strings.ReplaceAll(date, m, time.Month(i+1).String())
	}
	return date
}

func generated(t testing.TB) corpus {
	return corpus{"i2b2-2014", patients(t, *notes, 7),
		[]string{"01/02/2006", "1/2/2006", "01-02-2006", "2006-01-02", "2-Jan-2006", "02Jan2006", "January 2, 2006", "Jan 2, 2006", "2 January 2006"},
		[]string{"01/2006", "1/2006", "January 2006", "Jan 2006", "January of 2006"}, func(date string) string { return date }, map[data.Sort]bool{data.Other: true}}
}

// meddocan returns the training and development notes with their gold spans, in patients of three notes each.
func meddocan(t testing.TB) corpus {
	types := data.MEDDOCAN
	var all [][]*data.Document
	for _, split := range []string{"train", "dev"} {
		for d, err := range format.Read("meddocan", shared.Path(t, "corpora/meddocan", split, "xml"), format.Options{Types: types}) {
			if err != nil {
				t.Fatal(err)
			}
			if n := len(all); n > 0 && len(all[n-1]) < 3 {
				d.Patient = all[n-1][0].Patient
				all[n-1] = append(all[n-1], d)
			} else {
				d.Patient = d.ID
				all = append(all, []*data.Document{d})
			}
		}
	}
	return corpus{"meddocan", all,
		[]string{"02/01/2006", "2/1/2006", "02-01-2006", "2-1-2006", "2 de January de 2006", "2 de January del 2006"},
		[]string{"01/2006", "1/2006", "January de 2006", "January del 2006", "January 2006"}, spanishMonths,
		map[data.Sort]bool{data.Other: true, data.Date: true, data.Family: true, data.Sex: true, data.Number: true}}
}

func (c corpus) maker(t testing.TB, key string) *Replacer {
	t.Helper()
	types, err := data.LookupTypeSet(c.types)
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(Plan{Default: Surrogate}, Options{Key: []byte(key), Types: types})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// replaced is a note with its replacement.
type replaced struct {
	old, new *data.Document
	changes  []Change
}

// replaceAll replaces the spans of all notes, several patients at a time. The seed determines the order of a patient's notes.
func (c corpus) replaceAll(t testing.TB, key string, workers int, seed uint64) [][]replaced {
	t.Helper()
	r := c.maker(t, key)
	all := make([][]replaced, len(c.patients))
	var next atomic.Int64
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for {
				k := int(next.Add(1)) - 1
				if k >= len(c.patients) {
					return
				}
				docs := slices.Clone(c.patients[k])
				order := rand.New(rand.NewPCG(seed, uint64(k))).Perm(len(docs))
				for i, j := range order {
					docs[i] = c.patients[k][j]
				}
				p := r.Patient(docs[0].Group(), docs)
				all[k] = make([]replaced, len(docs))
				for i, d := range docs {
					out, changes, err := p.Replace(d, d.Spans)
					if err != nil {
						t.Error(err)
						out = &data.Document{}
					}
					all[k][order[i]] = replaced{d, out, changes}
				}
			}
		})
	}
	group.Wait()
	return all
}

// TestSurrogates checks everything that docs/surrogates.md promises, on generated English and real Spanish values.
func TestSurrogates(t *testing.T) {
	for name, corpus := range map[string]func(testing.TB) corpus{"generated": generated, "meddocan": meddocan} {
		t.Run(name, func(t *testing.T) {
			c := corpus(t)
			all := c.replaceAll(t, "a key of sixteen", 1, 1)
			again, another := c.replaceAll(t, "a key of sixteen", 4, 2), c.replaceAll(t, "another sixteen.", 2, 1)
			seen := counts{}
			for k, notes := range all {
				c.checkIntervals(t, notes, seen)
				checkEqualValues(t, notes)
				gone := originalsOf(notes)
				for i, n := range notes {
					if again[k][i].new.Text != n.new.Text {
						t.Errorf("note %s: another text with the same key, in another order with other workers", n.old.ID)
					}
					if len(n.old.Spans) > 0 && another[k][i].new.Text == n.new.Text {
						t.Errorf("note %s: the same text with another key", n.old.ID)
					}
					checkSpans(t, n)
					gone.check(t, n)
					checkForms(t, n, c.tagged, seen)
				}
			}
			t.Logf("%v", seen)
			if seen["whole dates"] < seen["notes"] || seen["months"] == 0 || seen["spans"] < 10*seen["notes"] {
				t.Errorf("hardly anything was looked at: %v", seen)
			}
		})
	}
}

// TestNoOriginalIsLeft checks that no replacement in the notes of a patient contains a name, a place or a number of that
// patient, in any case, with any accents or separators. With -args -notes 20000 it takes some minutes.
func TestNoOriginalIsLeft(t *testing.T) {
	c := generated(t)
	looked, made := 0, 0
	for k, notes := range c.replaceAll(t, "a key of sixteen", 2, 1) {
		words, wholes, numbers := map[string]bool{}, map[string]bool{}, map[string]bool{}
		for _, d := range c.patients[k] {
			for _, s := range d.Spans {
				text := folded(fold.Fold(d.Text[s.Start:s.End]))
				switch sort := data.Any.Describe(s.Type).Sort; sort {
				case data.Person:
					for w := range strings.FieldsSeq(text) {
						if utf8.RuneCountInString(w) >= 2 && !staying[w] && !shortTitles[w] {
							words[w] = true
						}
					}
				case data.Number, data.Phone, data.Zip, data.Username, data.Email, data.IP, data.URL:
					if n := digits(text); len(n) >= 5 {
						numbers[n] = true
					}
				default:
					if slices.Contains(placeSorts, sort) {
						wholes[text] = true
					}
				}
				looked++
			}
		}
		for _, n := range notes {
			for _, ch := range n.changes {
				sort := data.Any.Describe(ch.Old.Type).Sort
				value := n.new.Text[ch.New.Start:ch.New.End]
				if slices.Contains(keeps, sort) || value == "["+ch.Old.Type+"]" {
					continue
				}
				made++
				text := folded(fold.Fold(value))
				left := slices.ContainsFunc(strings.Fields(text), func(w string) bool { return words[w] }) && sort != data.Email && sort != data.URL
				for whole := range wholes {
					// A state of two letters is a particle in a name (de) or stays in a number (ID).
					two := len(whole) == len(" de ") && !slices.Contains(placeSorts, sort)
					left = left || !two && strings.Contains(text, whole)
				}
				for number := range numbers {
					left = left || sort != data.IP && strings.Contains(digits(text), number)
				}
				if left {
					t.Errorf("note %s: %s %q became %q, in which an original is left", n.old.ID, ch.Old.Type, n.old.Text[ch.Old.Start:ch.Old.End], value)
				}
			}
		}
	}
	t.Logf("%d notes, %d originals looked for in %d surrogates", *notes, looked, made)
}

var placeSorts = []data.Sort{data.Hospital, data.Organization, data.Department, data.Street, data.City, data.State, data.Country,
	data.Place, data.Landmark, data.Profession}

// shortTitles is words of two letters that stay in names.
var shortTitles = map[string]bool{"dr": true, "mr": true, "ms": true, "md": true, "rn": true, "np": true, "pa": true, "do": true, "ii": true, "iv": true, "st": true, "sr": true,
	"de": true, "el": true, "la": true, "pt": true}

// counts is the numbers of values that were checked.
type counts map[string]int

// checkSpans checks that text outside of spans stays the same, and that the new spans are exactly the replacements.
func checkSpans(t *testing.T, n replaced) {
	t.Helper()
	if err := n.new.Check(); err != nil {
		t.Error(err)
	}
	old := slices.Clone(n.old.Spans)
	data.SortSpans(old)
	old = slices.DeleteFunc(old, func(s data.Span) bool { // overlapping spans are replaced as one
		return slices.ContainsFunc(old, func(o data.Span) bool { return o != s && o.Start <= s.Start && s.End <= o.End })
	})
	if len(n.changes) != len(old) || len(n.new.Spans) != len(old) {
		t.Errorf("note %s: %d changes and %d spans of %d", n.old.ID, len(n.changes), len(n.new.Spans), len(old))
		return
	}
	at, made := 0, 0
	for i, s := range old {
		kept := n.old.Text[at:s.Start]
		c := n.changes[i]
		if c.Old.Start != s.Start || c.Old.End != s.End || c.New != n.new.Spans[i] || c.New.Type != s.Type || c.New.Start == c.New.End {
			t.Errorf("note %s: change %d is not that of its span", n.old.ID, i)
			return
		}
		if c.New.Start-made != len(kept) || n.new.Text[made:c.New.Start] != kept {
			t.Errorf("note %s: text before span %d has changed", n.old.ID, i)
			return
		}
		at, made = s.End, c.New.End
	}
	if n.new.Text[made:] != n.old.Text[at:] {
		t.Errorf("note %s: text after the last span has changed", n.old.ID)
	}
}

// folded returns a text without case and accents, with a single space before, between and after its words.
func folded(text string) string {
	folded := strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r):
			return -1
		case unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return ' '
	}, norm.NFD.String(text))
	return " " + strings.Join(strings.Fields(folded), " ") + " "
}

func digits(text string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text))
}

// originals is the values that must not be in any note of a patient after replacement.
type originals struct{ words, numbers, places map[string]bool }

// staying is words that are part of names but are not names by themselves.
var staying = map[string]bool{}

func init() {
	for w := range strings.FieldsSeq("van der del las los dos con jr sr iii the and dra don dona sra saint dna") {
		staying[w] = true
	}
}

func originalsOf(notes []replaced) originals {
	o := originals{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, n := range notes {
		for _, s := range n.old.Spans {
			text := n.old.Text[s.Start:s.End]
			switch sort := data.Any.Describe(s.Type).Sort; sort {
			case data.Person:
				for w := range strings.FieldsSeq(folded(text)) {
					if utf8.RuneCountInString(w) >= 3 && !staying[w] {
						o.words[w] = true
					}
				}
			case data.Date, data.Age, data.Sex, data.Family, data.Other:
			case data.Number, data.Phone, data.Zip, data.Username, data.IP:
				if d := digits(text); len(d) >= 5 && strings.ContainsFunc(d, unicode.IsDigit) {
					o.numbers[d] = true
				}
			default:
				if utf8.RuneCountInString(text) >= 4 {
					o.places[folded(text)] = true
				}
			}
		}
	}
	return o
}

// keeps is the sorts whose surrogates contain words that are names elsewhere, such as June or Diez.
var keeps = []data.Sort{data.Date, data.Age, data.Sex, data.Family}

// check checks that a note contains a word of a name only as often as it did outside of spans, apart from the sorts in
// keeps, and that no replacement contains an original number or place.
func (o originals) check(t *testing.T, n replaced) {
	t.Helper()
	allowed := map[string]int{}
	count := func(text string) {
		for w := range strings.FieldsSeq(folded(text)) {
			allowed[w]++
		}
	}
	at := 0
	for _, c := range n.changes {
		count(n.old.Text[at:c.Old.Start])
		if sort := data.Any.Describe(c.Old.Type).Sort; slices.Contains(keeps, sort) {
			count(n.new.Text[c.New.Start:c.New.End])
		}
		at = c.Old.End
	}
	count(n.old.Text[at:])
	for w := range strings.FieldsSeq(folded(n.new.Text)) {
		if o.words[w] {
			if allowed[w]--; allowed[w] < 0 {
				t.Errorf("note %s: the name %q is still there", n.old.ID, w)
			}
		}
	}
	for _, c := range n.changes {
		made := n.new.Text[c.New.Start:c.New.End]
		if sort := data.Any.Describe(c.Old.Type).Sort; slices.Contains(keeps, sort) || made == "["+c.Old.Type+"]" {
			continue
		}
		for place := range o.places {
			if strings.Contains(folded(made), place) {
				t.Errorf("note %s: %s %q became %q, an original", n.old.ID, c.Old.Type, n.old.Text[c.Old.Start:c.Old.End], made)
			}
		}
		for number := range o.numbers {
			if sort := data.Any.Describe(c.Old.Type).Sort; sort != data.IP && strings.Contains(digits(made), number) { // the digits of an address are four numbers
				t.Errorf("note %s: %s %q became %q, an original", n.old.ID, c.Old.Type, n.old.Text[c.Old.Start:c.Old.End], made)
			}
		}
	}
}

// checkEqualValues checks that values which differ only in case have the same surrogate in all notes of a patient.
func checkEqualValues(t *testing.T, notes []replaced) {
	t.Helper()
	was := map[string]string{}
	for _, n := range notes {
		for _, c := range n.changes {
			before, after := n.old.Text[c.Old.Start:c.Old.End], n.new.Text[c.New.Start:c.New.End]
			key := c.Old.Type + strings.ToLower(before)
			if sort := data.Any.Describe(c.Old.Type).Sort; sort == data.Date { // a date without a year has the year of the note
				continue
			}
			if was[key] != "" && was[key] != strings.ToLower(after) {
				t.Errorf("note %s: %s %q became %q, and elsewhere %q", n.old.ID, c.Old.Type, before, after, was[key])
			}
			was[key] = strings.ToLower(after)
		}
	}
}

// checkForms checks that a date keeps its form and gets another value, that an age stays, and that there are tags only for
// the sorts in corpus.tagged.
func checkForms(t *testing.T, n replaced, tagged map[data.Sort]bool, seen counts) {
	t.Helper()
	seen["notes"]++
	for _, c := range n.changes {
		before, after := n.old.Text[c.Old.Start:c.Old.End], n.new.Text[c.New.Start:c.New.End]
		seen["spans"]++
		sort := data.Any.Describe(c.Old.Type).Sort
		if after == "["+c.Old.Type+"]" {
			seen["tags"]++
			if !tagged[sort] {
				t.Errorf("note %s, %s: no surrogate for %q", n.old.ID, c.Old.Type, before)
			}
			continue
		}
		switch sort {
		case data.Age:
			if after != before && !strings.Contains(after, "90+") && !strings.Contains(strings.ToLower(after), "ninety or more") && !strings.Contains(strings.ToLower(after), "noventa o más") {
				t.Errorf("note %s: age %q became %q", n.old.ID, before, after)
			}
		case data.Date:
			seen["dates"]++
			if after == before {
				seen["dates as they were"]++
				if !mayStay.MatchString(before) {
					t.Errorf("note %s: the date %q stays", n.old.ID, before)
				}
			}
			weekday := strings.HasSuffix(before, "day") && dateShape(before) == "Aa"
			if (!holidays.MatchString(before) || weekday) && !strings.EqualFold(before, "T/Th/Sat") && dateShape(before) != dateShape(after) {
				t.Errorf("note %s: date %q became %q", n.old.ID, before, after)
			}
		}
	}
}

// checkIntervals parses the dates with package time, before and after replacement. It checks that all complete dates of a
// patient move by the same number of days, and that months and years move by the nearest numbers of months and years.
func (c corpus) checkIntervals(t *testing.T, notes []replaced, seen counts) {
	t.Helper()
	moved := map[string]map[int]bool{"whole dates": {}, "months": {}, "years": {}}
	read := func(text string, layouts []string) (time.Time, string) {
		for _, layout := range layouts {
			if d, err := time.Parse(layout, c.english(text)); err == nil {
				return d, layout
			}
		}
		return time.Time{}, ""
	}
	for _, n := range notes {
		for _, ch := range n.changes {
			if sort := data.Any.Describe(ch.Old.Type).Sort; sort != data.Date {
				continue
			}
			before, after := n.old.Text[ch.Old.Start:ch.Old.End], n.new.Text[ch.New.Start:ch.New.End]
			for what, layouts := range map[string][]string{"whole dates": c.layouts, "months": c.months, "years": {"2006"}} {
				a, layout := read(before, layouts)
				if layout == "" {
					continue
				}
				b, err := time.Parse(layout, c.english(after))
				if err != nil {
					t.Errorf("note %s: the date %q became %q", n.old.ID, before, after)
					continue
				}
				seen[what]++
				by := int(b.Sub(a).Hours() / 24)
				switch what {
				case "months":
					by = (b.Year()-a.Year())*12 + int(b.Month()) - int(a.Month())
				case "years":
					by = b.Year() - a.Year()
				}
				moved[what][by] = true
			}
		}
	}
	one := func(what string) (by int, ok bool) {
		if len(moved[what]) > 1 {
			t.Errorf("patient of note %s: %s move by %v", notes[0].old.ID, what, slices.Sorted(maps.Keys(moved[what])))
		}
		for by := range moved[what] {
			return by, len(moved[what]) == 1
		}
		return 0, false
	}
	days, ok := one("whole dates")
	if ok && (days > -200 && days < 200 || days > 1500 || days < -1500) {
		t.Errorf("patient of note %s: dates move by %d days", notes[0].old.ID, days)
	}
	for what, unit := range map[string]float64{"months": 365.2425 / 12, "years": 365.2425} {
		if by, also := one(what); ok && also && math.Abs(float64(by)*unit-float64(days)) > unit/2+1 {
			t.Errorf("patient of note %s: %s move by %d, dates by %d days", notes[0].old.ID, what, by, days)
		}
	}
	if ok {
		seen["patients with whole dates"]++
	}
}

var (
	// A decade may stay the same if dates move by a few years, and so may the day of the month.
	mayStay  = regexp.MustCompile(`^(?i)([0-9]+0s|[0-9]+(st|nd|rd|th)|(década de )?(los )?(años )?[0-9]*0)$`)
	holidays = regexp.MustCompile(`^(?i:.*day|christmas|thanksgiving|.* eve|easter|halloween|passover|ramadan|navidad|semana santa)$`)
)

// dateShape returns the form of a date: its punctuation, the case of its words and the number of digits of its years.
func dateShape(s string) string {
	var b strings.Builder
	for _, f := range pieces(s) {
		switch r, _ := utf8.DecodeRuneInString(f); {
		case unicode.IsDigit(r) && len(f) <= 2:
			b.WriteString("9") // 3 and 13 have the same form
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

// TestKindsOfGeneratedNotes checks the kinds other than surrogate.
func TestKindsOfGeneratedNotes(t *testing.T) {
	for _, kind := range []Kind{Tag, Numbered, Mask, Redact, Hash, Keep} {
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
						case Tag:
							ok = after == "["+c.Old.Type+"]"
						case Numbered:
							ok = strings.HasPrefix(after, "["+c.Old.Type+"_") && strings.HasSuffix(after, "]")
						case Mask:
							ok = utf8.RuneCountInString(after) == utf8.RuneCountInString(before) && !strings.ContainsFunc(after, unicode.IsLetter) &&
								!strings.ContainsFunc(after, unicode.IsDigit)
						case Redact:
							ok = after == ""
						case Hash:
							ok = len(after) == 32 && strings.Trim(after, "0123456789abcdef") == ""
						case Keep:
							ok = after == before
						}
						if !ok || c.Kind != kind {
							t.Fatalf("%s %q became %q", c.Old.Type, before, after)
						}
					}
					if outside(d.Text, d.Spans) != outside(out.Text, out.Spans) && kind != Redact {
						t.Fatal("text outside of spans has changed")
					}
				}
			}
		})
	}
}

// TestSurrogatesOfAnything checks any text with any spans of any types.
func TestSurrogatesOfAnything(t *testing.T) {
	types := data.I2B2
	r := maker(t, "a key of sixteen", Plan{Default: Surrogate})
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
	for _, kind := range []Kind{Tag, Surrogate} {
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

// TestSurrogatesOfMEDDOCAN counts how often a real value gets a tag instead of a surrogate.
func TestSurrogatesOfMEDDOCAN(t *testing.T) {
	dir := shared.Path(t, "corpora/meddocan/train/xml")
	types := data.MEDDOCAN
	r, err := New(Plan{Default: Surrogate}, Options{Key: []byte("a key of sixteen"), Types: types})
	if err != nil {
		t.Fatal(err)
	}
	tags, all := map[string]int{}, 0
	for d, err := range format.Read("meddocan", dir, format.Options{Types: types}) {
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
	for typ, most := range map[string]int{"FECHAS": 7, "FAMILIARES_SUJETO_ASISTENCIA": 12, "ID_SUJETO_ASISTENCIA": 42, "SEXO_SUJETO_ASISTENCIA": 2, "OTROS_SUJETO_ASISTENCIA": 9} {
		if tags[typ] > most {
			t.Errorf("%d tags for %s, want %d at most", tags[typ], typ, most)
		}
		delete(tags, typ)
	}
	if len(tags) > 0 {
		t.Errorf("tags of other types: %v", tags)
	}
}
