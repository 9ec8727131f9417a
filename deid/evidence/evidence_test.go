package evidence

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"iter"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/jsonl"
	"github.com/lethe-deid/lethe/data/synth"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/attack"
	"github.com/lethe-deid/lethe/deid/engine"
	"github.com/lethe-deid/lethe/deid/job"
	"github.com/lethe-deid/lethe/deid/review"
	"github.com/lethe-deid/lethe/internal/pdf"
	"github.com/lethe-deid/lethe/models"
)

// The numbers of the fixture.
const notes, sampled = 14, 6

var fixture struct {
	sync.Once
	files map[string]string // by path
	err   error
}

// made makes a run of the model en on generated notes, with a review and an attack, in a folder of its own, and returns the inputs.
func made(t *testing.T) Inputs {
	t.Helper()
	dir := t.TempDir()
	fixture.Do(func() { fixture.files, fixture.err = make1(t) })
	if fixture.err != nil {
		t.Fatal(fixture.err)
	}
	for path, content := range fixture.files {
		write(t, filepath.Join(dir, path), content)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	return Inputs{
		Audits: []string{at("audit.jsonl")}, Summaries: []string{at("summary.json")}, Model: "en", Review: at("ward"), Attack: at("attack.json"),
		Readers: map[string]string{"anna": "Anna Źdźbło"}, Date: "2026-11-23", Version: "test",
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func make1(t *testing.T) (map[string]string, error) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	docs, err := data.Collect(synth.Config{Corpus: "en", Split: synth.Test, Seed: 3}.Notes(notes))
	if err != nil {
		return nil, err
	}
	var lines bytes.Buffer
	for _, d := range docs {
		line, err := jsonl.Encode(d)
		if err != nil {
			return nil, err
		}
		lines.Write(line)
	}
	write(t, at("key"), "a secret of these tests alone 0123456789")
	write(t, at("notes.jsonl"), lines.String())
	if _, err := job.Run(t.Context(), job.Config{
		Options: engine.Options{Model: "en", Workers: 1, Strict: true, Replace: "surrogate", KeyFile: at("key")}, Version: "test",
		Inputs: []string{at("notes.jsonl")}, Output: at("clean.jsonl"), Audit: at("audit.jsonl"), Summary: at("summary.json"),
	}, job.Events{}); err != nil {
		return nil, err
	}
	if err := draw(t, docs, at("ward")); err != nil {
		return nil, err
	}
	score := func(suspects, leaks, hits int) *attack.Score {
		return &attack.Score{All: attack.Count{Suspects: suspects, Leaks: leaks, Hits: hits, Right: hits}, ByType: map[string]*attack.Count{}}
	}
	result, err := json.Marshal(attack.Report{
		Version: "test", Reader: "sha256:7", Notes: notes, Marked: 120, Tags: map[string]int{"DATE": 3}, Left: &attack.Left{Gold: 90, Left: 9, ByType: map[string]int{"DATE": 4, "DOCTOR": 5}},
		Attacks: []attack.Result{
			{Name: "unlisted", ByType: map[string]int{"DOCTOR": 7, "CITY": 2}, Sure: 1, Score: score(9, 9, 5)},
			{Name: "dates", ByType: map[string]int{"DATE": 11}, Score: score(11, 9, 0)},
		},
	})
	if err != nil {
		return nil, err
	}
	write(t, at("attack.json"), string(result))
	files := map[string]string{}
	err = filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(raw)
		return err
	})
	return files, err
}

// draw makes a review of notes whose model misses every fifth span, with two readers who differ in one note.
func draw(t *testing.T, docs []*data.Document, dir string) error {
	m, err := models.Open("en", 1)
	if err != nil {
		return err
	}
	digest, err := m.Digest()
	if err != nil {
		return err
	}
	gold := map[string][]data.Span{}
	all := func(yield func(deid.Note, error) bool) {
		for _, d := range docs {
			gold[d.ID] = d.Spans
			if !yield(deid.Note{Document: &data.Document{ID: d.ID, Patient: d.Patient, Text: d.Text}}, nil) {
				return
			}
		}
	}
	model := review.Model{Name: "en", Digest: digest, Types: data.I2B2, TypeNames: names(data.I2B2), Finds: "--strict=true", Find: func(_ context.Context, notes []deid.Note) ([][]data.Span, []error) {
		found := make([][]data.Span, len(notes))
		for i, n := range notes {
			for k, s := range gold[n.ID] {
				if k%5 > 0 {
					found[i] = append(found[i], s)
				}
			}
		}
		return found, make([]error, len(notes))
	}}
	if _, err := review.Sample(t.Context(), dir, iter.Seq2[deid.Note, error](all), model, review.Draw{By: review.ByNote, Notes: sampled, Seed: 2, Readers: []string{"anna", "ben"}, Version: "test"}, nil); err != nil {
		return err
	}
	r, err := review.Open(dir)
	if err != nil {
		return err
	}
	for number := 1; number <= sampled; number++ {
		for _, reader := range r.Readers {
			spans := gold[r.Notes[number-1].ID]
			if reader == "ben" && number == 2 && len(spans) > 0 {
				spans = spans[1:]
			}
			if _, err := r.Put(number, reader, review.Reading{Spans: spans, Done: true}); err != nil {
				return err
			}
		}
	}
	return nil
}

func names(set *data.TypeSet) (all []string) {
	for _, t := range set.Types {
		all = append(all, t.Name)
	}
	return all
}

func document(t *testing.T, in Inputs) *Document {
	t.Helper()
	d, err := New(in)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// sources has the inputs as a reader of the document would look into them, without the types of this program.
type sources map[string]any

func look(t *testing.T, in Inputs) sources {
	t.Helper()
	all := sources{"audit": counted(t, in.Audits)}
	for label, path := range map[string]string{"attack": in.Attack, "review": filepath.Join(in.Review, "review.json")} {
		all[label] = parsed(t, path)
	}
	for _, path := range in.Summaries {
		all["summary"] = parsed(t, path)
	}
	m, err := models.Open(in.Model, 1)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := models.OperatingPoints(m.Dir)
	if err != nil {
		t.Fatal(err)
	}
	all["calibration"] = through(t, curve)
	r, err := review.Open(in.Review)
	if err != nil {
		t.Fatal(err)
	}
	status, err1 := r.Status()
	bound, err2 := r.Bound()
	agreement, _, err3 := r.Agreement()
	if err1 != nil || err2 != nil || err3 != nil {
		t.Fatal(err1, err2, err3)
	}
	all["status"], all["bound"], all["agreement"] = through(t, status), through(t, bound), through(t, agreement)
	return all
}

func parsed(t *testing.T, path string) (v any) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(raw, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func through(t *testing.T, value any) (v any) {
	t.Helper()
	raw, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(raw, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// counted counts the lines of audits as the last section of the document says.
func counted(t *testing.T, paths []string) map[string]any {
	t.Helper()
	total := map[string]any{"notes": 0.0, "notes_failed": 0.0, "notes_unlike": 0.0, "parts_dropped": 0.0}
	add := func(n float64, keys ...string) {
		at := total
		for _, key := range keys[:len(keys)-1] {
			if at[key] == nil {
				at[key] = map[string]any{}
			}
			at = at[key].(map[string]any)
		}
		old, _ := at[keys[len(keys)-1]].(float64)
		at[keys[len(keys)-1]] = old + n
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for text := range strings.Lines(string(raw)) {
			line := map[string]any{}
			if err := json.Unmarshal([]byte(text), &line); err != nil {
				t.Fatal(err)
			}
			number := func(key string) float64 { n, _ := line[key].(float64); return n }
			if line["error"] != nil {
				add(1+number("lost"), "notes_failed")
				continue
			}
			add(1, "notes")
			add(number("dropped"), "parts_dropped")
			for _, key := range []string{"replaced", "kept", "fields"} {
				counts, _ := line[key].(map[string]any)
				for name, n := range counts {
					add(n.(float64), key, name)
				}
			}
			net, _ := line["net"].(map[string]any)
			for source, counts := range net {
				for name, n := range counts.(map[string]any) {
					add(n.(float64), "found_by_safety_net", source, name)
				}
			}
			unlike, _ := line["unlike"].([]any)
			for _, way := range unlike {
				add(1, "unlike", way.(string))
			}
			if len(unlike) > 0 {
				add(1, "notes_unlike")
			}
		}
	}
	return total
}

// at evaluates a source: pointers, a difference from 1, and the sum and the ratio of two.
func (s sources) at(t *testing.T, source string) float64 {
	t.Helper()
	if rest, ok := strings.CutPrefix(source, "1 − "); ok {
		return 1 - s.at(t, rest)
	}
	if a, b, ok := strings.Cut(source, " ÷ "); ok {
		return s.at(t, a) / s.at(t, b)
	}
	if a, b, ok := strings.Cut(source, " + "); ok {
		return s.at(t, a) + s.at(t, b)
	}
	label, path, ok := strings.Cut(source, " /")
	if !ok || s[label] == nil {
		t.Fatalf("the source %q names no input", source)
	}
	return add1(s[label], strings.Split(path, "/"))
}

// add1 adds up everything at a path.
func add1(v any, path []string) float64 {
	if len(path) == 0 {
		n, _ := v.(float64)
		return n
	}
	total := 0.0
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if path[0] == "*" || path[0] == key {
				total += add1(value, path[1:])
			}
		}
	case []any:
		for i, value := range v {
			if path[0] == "*" || path[0] == strconv.Itoa(i) {
				total += add1(value, path[1:])
			}
		}
	}
	return total
}

// number matches a number of the HTML, with its source, its value and its text.
var number = regexp.MustCompile(`data-source="([^"]*)" data-value="([^"]*)">([^<]*)<`)

// Each number in the document is what its source says, as is its text.
func TestEveryNumberIsTraced(t *testing.T) {
	in := made(t)
	inputs := look(t, in)
	page := string(document(t, in).HTML())
	seen := map[string]int{}
	for _, m := range number.FindAllStringSubmatch(page, -1) {
		source, shown := html.UnescapeString(m[1]), html.UnescapeString(m[3])
		label := strings.Fields(strings.TrimPrefix(source, "1 − "))[0]
		seen[label]++
		value, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		if label == "files" {
			continue
		}
		if want := inputs.at(t, source); math.Abs(want-value) > 1e-12 {
			t.Errorf("%s: %v, and the source has %v", source, value, want)
		}
		if !shows(shown, value) {
			t.Errorf("%s: %v is shown as %q", source, value, shown)
		}
	}
	for label, least := range map[string]int{"audit": 60, "summary": 5, "calibration": 30, "review": 4, "status": 8, "bound": 60, "agreement": 4, "attack": 25, "files": 6} {
		if seen[label] < least {
			t.Errorf("%d numbers come from the %s, and at least %d should", seen[label], label, least)
		}
	}
}

// shows reports whether a text shows a value: whole, or rounded, or rounded up.
func shows(text string, value float64) bool {
	plain := strings.ReplaceAll(text, ",", "")
	if share, ok := strings.CutSuffix(plain, " %"); ok {
		x, err := strconv.ParseFloat(share, 64)
		return err == nil && (math.Abs(x-100*value) <= 0.005+1e-9 || x >= 100*value && x-100*value < 0.01+1e-9) && len(share)-strings.Index(share, ".") == 3
	}
	plain = strings.TrimSuffix(plain, " (out of reach)")
	x, err := strconv.ParseFloat(plain, 64)
	return err == nil && math.Abs(x-value) <= 0.00005+1e-9
}

// The source that a reader sees beside a number or above its column is that of the number.
func TestVisibleSources(t *testing.T) {
	d := document(t, made(t))
	for _, s := range d.sections {
		for _, b := range s.blocks {
			if b.table == nil {
				continue
			}
			for _, row := range b.table.rows {
				named := map[string]string{"TYPE": row[0].text, "READER": row[0].text}
				visible := ""
				for k, c := range b.table.columns {
					if k >= len(row) {
						continue
					}
					switch c.heading {
					case "N":
						named["N"] = row[k].text
					case "Type":
						named["TYPE"] = row[k].text
					case sourceHeading:
						visible = row[k].text
					}
				}
				if b.table.caption == "Attacks, and how many suspects each has" {
					named["N"] = map[string]string{"unlisted": "0", "dates": "1"}[row[0].text]
				}
				for k, c := range row {
					if k == 0 && c.value == nil {
						continue
					}
					if c.value == nil {
						if len(row) == len(b.table.columns) && b.table.columns[k].number && c.text != "not known" && c.text != "none" && c.text != "undefined" {
							t.Errorf("%s: %q has no source", b.table.caption, c.text)
						}
						continue
					}
					want := b.table.columns[k].source
					for name, is := range named {
						want = regexp.MustCompile(`\b`+name+`\b`).ReplaceAllLiteralString(want, is)
					}
					if want == "" {
						want = visible
					}
					switch {
					case strings.Contains(want, "÷ suspects"), strings.Contains(want, "÷ leaks"), strings.HasPrefix(c.source, "files "), k == 0:
					case want != c.source:
						t.Errorf("%s, %s: the source is %q, and %q is visible", b.table.caption, row[0].text, c.source, want)
					}
				}
			}
		}
	}
}

// No number is in a sentence, where it would have no source, except those of the law, of the confidence, and of the program's own statements.
func TestSentencesHaveNoNumbers(t *testing.T) {
	known := regexp.MustCompile(`45 CFR|164\.514(\([a-z0-9]+\))*|95 %|RFC 6901|SHA-256|sha256(:[0-9a-f]+|sum)?|F1|/points/|\bas 0\b|0\.9 or more|\(summary /expected_leak\): .*|ages over 89|90\+|over 89`)
	for _, s := range document(t, made(t)).sections {
		for _, b := range s.blocks {
			for _, text := range append(b.list, b.text) {
				if rest := known.ReplaceAllString(text, ""); strings.ContainsAny(rest, "0123456789") {
					t.Errorf("%s: a number without a source: %s", s.heading, rest)
				}
			}
		}
	}
}

// The PDF has the text of the page: each cell, paragraph and heading.
func TestBothFormatsSayTheSame(t *testing.T) {
	d := document(t, made(t))
	raw, err := d.PDF()
	if err != nil {
		t.Fatal(err)
	}
	have := strings.Join(strings.Fields(textOf(t, raw)), "")
	page := regexp.MustCompile(`(?s)<style>.*</style>|<nav.*</nav>|<a class="skip".*?</a>`).ReplaceAllString(string(d.HTML()), "")
	page = strings.ReplaceAll(page, "<wbr/>", "")
	n := 0
	for _, m := range regexp.MustCompile(`>([^<>]+)<`).FindAllStringSubmatch(page, -1) {
		// A text may be divided by those of other columns, so its words are looked for.
		for word := range strings.FieldsSeq(html.UnescapeString(m[1])) {
			n++
			for _, piece := range pieces(word) {
				if len(piece) <= 20 && !strings.Contains(have, piece) {
					t.Errorf("the PDF lacks %q", piece)
				}
			}
		}
	}
	if n < 1000 {
		t.Errorf("only %d words", n)
	}
	for _, want := range []string{"/Title " + pdf.Text(d.title), "/Lang (en)", "/Outlines"} {
		if !bytes.Contains(raw, []byte(want)) {
			t.Errorf("the PDF lacks %s", want)
		}
	}
	pages := bytes.Count(raw, []byte("/Type /Page "))
	for i := range pages {
		if !strings.Contains(have, fmt.Sprintf("Page%dof%d", i+1, pages)) {
			t.Errorf("page %d has no number", i+1)
		}
	}
}

var streams = regexp.MustCompile(`(?s)/Filter /FlateDecode >>\nstream\n(.*?)\nendstream`)

// contents returns what the pages of a PDF contain.
func contents(t *testing.T, raw []byte) (all []string) {
	t.Helper()
	for _, m := range streams.FindAllSubmatch(raw, -1) {
		z, err := zlib.NewReader(bytes.NewReader(m[1]))
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(content, []byte(" Tj ET")) {
			all = append(all, string(content))
		}
	}
	return all
}

// textOf returns the text of a PDF.
func textOf(t *testing.T, raw []byte) string {
	t.Helper()
	letters := map[string]string{}
	for r := rune(32); r < 0x2300; r++ {
		if g := pdf.Glyphs(string(r))[0]; g.GlyphIndex != 0 && letters[fmt.Sprintf("%04X", g.GlyphIndex)] == "" {
			letters[fmt.Sprintf("%04X", g.GlyphIndex)] = string(r)
		}
	}
	var b strings.Builder
	for _, content := range contents(t, raw) {
		for _, m := range regexp.MustCompile(`<([0-9A-F]*)> Tj`).FindAllStringSubmatch(content, -1) {
			for i := 0; i+4 <= len(m[1]); i += 4 {
				b.WriteString(letters[m[1][i:i+4]])
			}
			b.WriteString(" ")
		}
	}
	return b.String()
}

// Every line of text is within the margins of its page: nothing is cut off. This was so also with names that are longer than a column.
func TestNoTextIsCutOff(t *testing.T) {
	in := made(t)
	in.Title = strings.Repeat("Long title of the document ", 20)
	in.Readers = map[string]string{"anna": strings.Repeat("Anna", 400), "ben": strings.Repeat("a very long description ", 400)}
	raw, err := document(t, in).PDF()
	if err != nil {
		t.Fatal(err)
	}
	widths := map[string]float64{}
	for r := rune(32); r < 0x2300; r++ {
		g := pdf.Glyphs(string(r))[0]
		widths[fmt.Sprintf("%04X", g.GlyphIndex)] = g.Advance
	}
	n := 0
	for i, content := range contents(t, raw) {
		for _, m := range regexp.MustCompile(`/F ([0-9.]+) Tf ([0-9.-]+) ([0-9.-]+) Td <([0-9A-F]*)> Tj`).FindAllStringSubmatch(content, -1) {
			size, x, y := float(t, m[1]), float(t, m[2]), float(t, m[3])
			for k := 0; k+4 <= len(m[4]); k += 4 {
				x += size * widths[m[4][k:k+4]]
			}
			if n++; float(t, m[2]) < side-0.5 || x > pageWidth-side+0.5 || y < pageHeight-bottom-25 || y > pageHeight-top {
				t.Errorf("page %d: a line ends at %v, %v", i+1, x, y)
			}
		}
	}
	if n < 500 {
		t.Errorf("only %d lines", n)
	}
}

// The headings of a table are on each page that it covers, and so is the heading of rows that are divided.
func TestHeadingsOnEachPage(t *testing.T) {
	long := newTable("Long", "Group", "Row#|audit /replaced/ROW")
	for i := range 200 {
		long.rows = append(long.rows, []*cell{{text: "Heading of all", same: i > 0}, count(i, "audit /notes")})
	}
	p := &paper{}
	p.newPage()
	p.table(long)
	p.bookmarks = append(p.bookmarks, bookmark{"x", 0, 0})
	pages := contents(t, p.file("x"))
	if len(pages) < 4 {
		t.Fatalf("only %d pages", len(pages))
	}
	font := pdf.Font{}
	for i, content := range pages {
		for _, want := range []string{"Group", "Row", "Heading of all"} {
			if n := strings.Count(content, font.Encode(want)+" Tj"); n != 1 {
				t.Errorf("page %d has %q %d times", i+1, want, n)
			}
		}
	}
}

// Whatever the files contain, there is a document or an error.
func FuzzInputs(f *testing.F) {
	const line = `{"file":"a.txt","id":"1","replaced":{"DATE":2},"kept":{"AGE":1},"net":{"known":{"DATE":1}},"languages":["en"],"unlike":["length"],"policy":"safe-harbor","policy_digest":"sha256:1","model":"sha256:2","config":"sha256:3"}` + "\n"
	const summary = `{"version":"v1","model":"sha256:2","config":"sha256:3","policy":"safe-harbor","policy_digest":"sha256:1","files":1,"notes":1,"notes_unlike":1,"types":{"DATE":{"sort":"date","action":"year"}},"options":{"min-recall":"0.9"},` +
		`"replaced":{"DATE":2},"kept":{"AGE":1},"fields":{},"found_by_safety_net":{"known":{"DATE":1}},"languages":{"en":1},"unlike":{"length":1}}`
	const assault = `{"version":"v1","reader":"","notes":1,"marked":2,"leaks":{"gold":1,"left":1,"by_type":{"DATE":1}},"attacks":[{"name":"parrot","suspects_by_type":{"DATE":1},"sure":1,"score":{"all":{"suspects":1,"leaks":1,"hits":1,"right":1},"by_type":{}}}]}`
	f.Add([]byte(line), []byte(summary), []byte(assault))
	f.Add([]byte(line+line), []byte(nil), []byte(nil))
	f.Add([]byte(nil), []byte(summary), []byte(nil))
	f.Fuzz(func(t *testing.T, audit, summary, attack []byte) {
		dir := t.TempDir()
		var in Inputs
		at := func(name string, content []byte) string {
			path := filepath.Join(dir, name)
			write(t, path, string(content))
			return path
		}
		if len(audit) > 0 {
			in.Audits = []string{at("audit", audit)}
		}
		if len(summary) > 0 {
			in.Summaries = []string{at("summary", summary)}
		}
		if len(attack) > 0 {
			in.Attack = at("attack", attack)
		}
		d, err := New(in)
		if err != nil {
			return
		}
		if page := d.HTML(); !bytes.HasSuffix(page, []byte("</html>\n")) {
			t.Error("the page is not complete")
		}
		_, _ = d.PDF() // a policy may have a name with letters that the font lacks
	})
}

func float(t *testing.T, s string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Characters that the font of the PDF would garble are an error, which names the character. HTML has all.
func TestTextThatThePDFWouldGarble(t *testing.T) {
	for title, wrong := range map[string]string{"張 Report": "U+5F35", "שלום": "U+05E9", "e\u0327\u0301x": "U+0301", "ok \u202e": "U+202E", "Łódź, Ελλάδα, Москва, e\u0301": ""} {
		in := made(t)
		in.Title, in.Model = title, ""
		d := document(t, in)
		_, err := d.PDF()
		if wrong == "" && err != nil || wrong != "" && (err == nil || !strings.Contains(err.Error(), wrong)) {
			t.Errorf("%q: %v", title, err)
		}
		if !strings.Contains(string(d.HTML()), "<title>"+title+"</title>") {
			t.Errorf("the page lacks %q", title)
		}
	}
}

func TestTheSameInputsGiveTheSameBytes(t *testing.T) {
	a, b := document(t, made(t)), document(t, made(t))
	if !bytes.Equal(a.HTML(), b.HTML()) {
		t.Error("two pages differ")
	}
	first, err1 := a.PDF()
	second, err2 := b.PDF()
	if err1 != nil || err2 != nil || !bytes.Equal(first, second) {
		t.Error("two PDF differ", err1, err2)
	}
}

// Neither IDs nor names of files of notes nor their text get into the document.
func TestTheDocumentNamesNoNote(t *testing.T) {
	in := made(t)
	d := document(t, in)
	raw, err := d.PDF()
	if err != nil {
		t.Fatal(err)
	}
	page := string(d.HTML()) + textOf(t, raw)
	for text := range strings.Lines(fixture.files["notes.jsonl"]) {
		var n struct{ ID, Text string }
		if err := json.Unmarshal([]byte(text), &n); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(n.Text) {
			if line = strings.TrimSpace(line); len(line) > 20 && strings.Contains(page, line) {
				t.Errorf("the document quotes note %s", n.ID)
			}
		}
		if strings.Contains(page, n.ID) {
			t.Errorf("the document names note %s", n.ID)
		}
	}
	if strings.Contains(page, "notes.jsonl") {
		t.Error("the document names the file of the notes")
	}
}

// What is missing is said.
func TestMissingInputs(t *testing.T) {
	whole := made(t)
	for _, c := range []struct {
		name string
		in   Inputs
		want []string
	}{
		{"the audit alone", Inputs{Audits: whole.Audits}, []string{noSummary, noModel, noReview, noAttack}},
		{"the summary alone", Inputs{Summaries: whole.Summaries}, []string{"No audit was given", noModel, noReview, noAttack}},
		{"no attack", Inputs{Audits: whole.Audits, Summaries: whole.Summaries, Model: "en", Review: whole.Review}, []string{noAttack}},
		{"no review", Inputs{Audits: whole.Audits, Summaries: whole.Summaries, Model: "en", Attack: whole.Attack}, []string{noReview}},
	} {
		d := document(t, c.in)
		page := html.UnescapeString(string(d.HTML()))
		for _, sentence := range []string{noSummary, noModel, noReview, noAttack, "No audit was given"} {
			if strings.Contains(page, sentence) != slices.Contains(c.want, sentence) {
				t.Errorf("%s: %q is said: %v", c.name, sentence, !slices.Contains(c.want, sentence))
			}
		}
		if _, err := d.PDF(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := New(Inputs{Review: whole.Review}); err == nil {
		t.Error("no run is no error")
	}
}

// Inputs that do not belong together, or are damaged, are one error, which names the file and no note.
func TestInputsThatDoNotFit(t *testing.T) {
	replaceIn := func(name, old, with string, n int) func(*Inputs, string) {
		return func(_ *Inputs, dir string) {
			text := fixture.files[name]
			if !strings.Contains(text, old) {
				panic(name + " lacks " + old)
			}
			_ = os.WriteFile(filepath.Join(dir, name), []byte(strings.Replace(text, old, with, n)), 0o600)
		}
	}
	lines := strings.SplitAfter(made(t).audit(t), "\n")
	for name, c := range map[string]struct {
		change func(in *Inputs, dir string)
		want   string
	}{
		"another model in one line":  {replaceIn("audit.jsonl", `"model":"sha256:`, `"model":"sha256:0`, 1), "audit.jsonl:2: has another model than"},
		"other options in one line":  {replaceIn("audit.jsonl", `"config":"sha256:`, `"config":"sha256:0`, 1), "audit.jsonl:2: has other options"},
		"another policy in one line": {replaceIn("audit.jsonl", `"policy":"safe-harbor"`, `"policy":"ours"`, 1), "audit.jsonl:2: has another policy"},
		"no audit": {func(_ *Inputs, dir string) {
			_ = os.WriteFile(filepath.Join(dir, "audit.jsonl"), []byte("{}\n"), 0o600)
		}, "audit.jsonl:1: not a complete line of an audit"},
		"half a line": {func(_ *Inputs, dir string) {
			_ = os.WriteFile(filepath.Join(dir, "audit.jsonl"), []byte(strings.TrimSuffix(fixture.files["audit.jsonl"], "\n")), 0o600)
		}, "audit.jsonl:14: not a complete line of an audit"},
		"an empty audit":   {func(_ *Inputs, dir string) { _ = os.WriteFile(filepath.Join(dir, "audit.jsonl"), nil, 0o600) }, "audit.jsonl: is empty"},
		"text as a type":   {replaceIn("audit.jsonl", `"DATE":`, `"Oda Lund":`, 1), "not a complete line of an audit"},
		"a negative count": {replaceIn("audit.jsonl", `"DATE":`, `"DATE":-`, 1), "not a complete line of an audit"},
		"an audit twice":   {func(in *Inputs, _ string) { in.Audits = append(in.Audits, in.Audits...) }, "audit.jsonl: is the same as another audit"},
		"an audit that lacks a note": {func(_ *Inputs, dir string) {
			_ = os.WriteFile(filepath.Join(dir, "audit.jsonl"), []byte(strings.Join(lines[1:], "")), 0o600)
		}, ""},
		"a summary of other notes":    {replaceIn("summary.json", `"notes": 14`, `"notes": 15`, 1), "summary.json: notes is not what the audit has (15, not 14)"},
		"a summary of another model":  {replaceIn("summary.json", `"model": "sha256:`, `"model": "sha256:0`, 1), "summary.json: has another model than the audit"},
		"a summary of other options":  {replaceIn("summary.json", `"config": "sha256:`, `"config": "sha256:0`, 1), "summary.json: has another digest of the options"},
		"an old summary":              {replaceIn("summary.json", `"types"`, `"tipes"`, 1), `it has no "types"`},
		"no summary":                  {func(in *Inputs, _ string) { in.Summaries = in.Audits }, "is not the JSON of the summary"},
		"another model":               {func(in *Inputs, _ string) { in.Model = "es" }, "--model: is not the model of the run"},
		"no model":                    {func(in *Inputs, dir string) { in.Model = dir }, "--model: "},
		"a review of another model":   {replaceIn("ward/review.json", `"digest":"sha256:`, `"digest":"sha256:0`, 1), "ward: reviews the work of another model"},
		"a review of other notes":     {replaceIn("ward/review.json", `"population":{"notes":14`, `"population":{"notes":15`, 1), "ward: was drawn from 15 notes, and the run has 14"},
		"a review with other notes":   {replaceIn("ward/review.json", `{"id":"`, `{"id":"x`, 1), "ward: 1 of the 6 notes of the review are in no audit"},
		"a review with other options": {replaceIn("ward/review.json", `"finds":"--strict=true"`, `"finds":"--min-recall=0.99"`, 1), "ward: was drawn with another --min-recall"},
		"a review with another net":   {replaceIn("ward/review.json", `"finds":"--strict=true"`, `"finds":"--safety-net=off --strict=true"`, 1), "ward: was drawn with another --safety-net"},
		"a review with rules":         {replaceIn("ward/review.json", `"finds":"--strict=true"`, `"finds":"--rules=x.yaml --strict=true"`, 1), "ward: was drawn with another --rules"},
		"no review":                   {func(in *Inputs, dir string) { in.Review = dir }, "is not the folder of a review"},
		"a reader whom nobody knows":  {func(in *Inputs, _ string) { in.Readers = map[string]string{"cleo": "Cleo"} }, `ward: has no reader "cleo" (have anna, ben)`},
		"readers without a review":    {func(in *Inputs, _ string) { in.Review = "" }, "no review whose readers"},
		"an attack on other notes":    {replaceIn("attack.json", `"notes":14`, `"notes":13`, 1), "attack.json: is an attack on 13 notes, and the run has written 14"},
		"an attack with more hits":    {replaceIn("attack.json", `"hits":5`, `"hits":50`, 1), "attack.json: has counts that no attack has"},
		"an attack with text as type": {replaceIn("attack.json", `"CITY":2`, `"St. Oda":2`, 1), "attack.json: has counts that no attack has"},
		"no attack":                   {func(in *Inputs, _ string) { in.Attack = in.Summaries[0] }, `is not the JSON of the attack, as this version of lethe writes it: it has no "reader"`},
		"a file that does not exist":  {func(in *Inputs, dir string) { in.Attack = filepath.Join(dir, "none") }, "none"},
		"shards in one audit":         {replaceIn("audit.jsonl", `"config"`, `"shard":"1/2","config"`, 1), "audit.jsonl:2: belongs to another shard than the first line"},
		"a shard and the whole":       {replaceIn("audit.jsonl", `"config"`, `"shard":"1/2","config"`, -1), "different shards"},
		"a shard that cannot be":      {replaceIn("audit.jsonl", `"config"`, `"shard":"0/2","config"`, -1), "has a shard that is not of a form such as 3/8"},
	} {
		if c.want == "" {
			c.want = "audit"
		}
		in := made(t)
		in.Model = "" // opening it takes longer than everything else
		c.change(&in, filepath.Dir(in.Attack))
		_, err := New(in)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if err != nil && (strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "Lund")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func (in Inputs) audit(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile(in.Audits[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// A run in shards: the counts of its audits and summaries are added, and a shard that is missing is said.
func TestShards(t *testing.T) {
	in := made(t)
	dir := filepath.Dir(in.Attack)
	lines := strings.SplitAfter(strings.ReplaceAll(in.audit(t), `"config"`, `"shard":"1/3","config"`), "\n")
	second := strings.ReplaceAll(strings.Join(lines[8:], ""), "1/3", "3/3")
	write(t, in.Audits[0], strings.Join(lines[:8], ""))
	write(t, filepath.Join(dir, "audit3.jsonl"), second)
	in.Audits = append(in.Audits, filepath.Join(dir, "audit3.jsonl"))
	in.Summaries, in.Readers, in.Review, in.Attack = nil, nil, "", ""
	page := string(document(t, in).HTML())
	for _, want := range []string{`data-source="audit /notes" data-value="14">14<`, "shards 1/3, 3/3", "not part of this document: 2/3"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	in.Audits = append(in.Audits, in.Audits[0])
	if _, err := New(in); err == nil {
		t.Error("a shard that is there twice is no error")
	}
}

// The summary of a run that was resumed is of its last part alone, so it may count less than the audit, but not more.
func TestResumedRun(t *testing.T) {
	in := made(t)
	in.Model, in.Review, in.Attack, in.Readers = "", "", "", nil
	part := strings.Replace(strings.Replace(fixture.files["summary.json"], `"notes": 14`, `"notes": 4`, 1), `"files_already_complete": 0`, `"files_already_complete": 1`, 1)
	write(t, in.Summaries[0], part)
	if page := string(document(t, in).HTML()); !strings.Contains(page, "interrupted and resumed") || !strings.Contains(page, `data-source="audit /notes" data-value="14"`) {
		t.Error("the page does not say that the run was resumed, or has other notes")
	}
	write(t, in.Summaries[0], strings.Replace(part, `"notes": 4`, `"notes": 15`, 1))
	if _, err := New(in); err == nil {
		t.Error("more notes than in the audit are no error")
	}
}

// Every type of the built-in sets that HIPAA names is one of the eighteen identifiers, and no clinician is.
func TestIdentifiersOfTheBuiltInTypes(t *testing.T) {
	for _, set := range data.TypeSets() {
		for _, typ := range set.Types {
			if letter := ofType(typ); typ.HIPAA && letter == "" || typ.Clinician && letter != "" {
				t.Errorf("%s, %s: the letter is %q", set.Name, typ.Name, letter)
			}
		}
	}
	if len(identifiers) != 18 {
		t.Errorf("%d identifiers", len(identifiers))
	}
	for _, c := range []struct {
		set  *data.TypeSet
		want map[string]string // types that stand for identifiers without a type of their own
	}{
		{data.I2B22006, map[string]string{"E": "PHONE", "F": "PHONE", "H": "ID", "P": "ID", "Q": ""}},
		{data.MEDDOCAN, map[string]string{"G": "ID_CONTACTO_ASISTENCIAL ID_EMPLEO_PERSONAL_SANITARIO OTRO_NUMERO_IDENTIF"}},
	} {
		for letter, want := range c.want {
			if have := strings.Join(general(letter, c.set.Types), " "); have != want {
				t.Errorf("%s, %s: %q, want %q", c.set.Name, letter, have, want)
			}
		}
	}
}

// What departs from Safe Harbor is said.
func TestDepartures(t *testing.T) {
	in := made(t)
	in.Model = ""
	page := func() string { return html.UnescapeString(string(document(t, in).HTML())) }
	if p := page(); !strings.Contains(p, "Dates became invented dates") || strings.Contains(p, "were kept, although") {
		t.Error("surrogates of dates are not said to depart, or something else is")
	}
	for action, want := range map[string]string{"keep": "were kept, although they are among the eighteen identifiers: DATE.", "shift": "Dates were shifted", "hash": "164.514(c)"} {
		summary := regexp.MustCompile(`("DATE": \{\s*"sort": "date",\s*"action": )"surrogate"`).ReplaceAllString(fixture.files["summary.json"], `${1}"`+action+`"`)
		write(t, in.Summaries[0], summary)
		if p := page(); !strings.Contains(p, want) || strings.Contains(p, "Dates became invented dates") {
			t.Errorf("%s: the page lacks %q", action, want)
		}
	}
	// A list of --allow, or fields that are kept, were no departure.
	in.Readers, in.Review = nil, ""
	summary := strings.Replace(fixture.files["summary.json"], `"options": {`, `"options": {"allow": "sha256:1", "field": "**.name=keep",`, 1)
	write(t, in.Summaries[0], summary)
	if p := page(); !strings.Contains(p, "(--allow)") || !strings.Contains(p, "(--field ...=keep)") || strings.Contains(p, "nothing that Safe Harbor lists was kept") {
		t.Error("the page does not say that --allow and --field keep PHI")
	}
	var types struct{ Types map[string]any }
	if err := json.Unmarshal([]byte(fixture.files["summary.json"]), &types); err != nil {
		t.Fatal(err)
	}
	if n := len(slices.Collect(maps.Keys(types.Types))); n != len(data.I2B2.Types) {
		t.Errorf("the summary has %d types", n)
	}
}
