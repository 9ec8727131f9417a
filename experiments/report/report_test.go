package report

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/evaluation/metrics"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/internal/chart"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/taggers"
	"github.com/lethe-deid/lethe/taggers/operating"
)

// note is an invented note in words of no language, so that any of them in a report must come from
// a note. [TYPE ...] marks its PHI.
type note struct{ id, text string }

var (
	trainNotes = []note{{"t1", "Vroxim [PATIENT Zelquor Brundt] yexil [DATE 71930] wubbed."}, {"t2", "Qorvil snef [DOCTOR Drummox], Brundt snef."}}
	devNotes   = []note{
		{"d1", "Vroxim [PATIENT Zelquor Ixby] yexil [DATE 48217] gnorf."},
		{"d2", "Qorvil [DOCTOR Brundt] snef [HOSPITAL QZW] yexil [ZIP 90442]."},
		{"d3", "Plim trogget vax."},
	}
)

func (n note) document(t *testing.T) *data.Document {
	t.Helper()
	d := &data.Document{ID: n.id}
	for rest := n.text; rest != ""; {
		plain, marked, ok := strings.Cut(rest, "[")
		d.Text += plain
		if !ok {
			break
		}
		marked, rest, _ = strings.Cut(marked, "]")
		typ, phrase, _ := strings.Cut(marked, " ")
		d.Spans = append(d.Spans, data.Span{Start: len(d.Text), End: len(d.Text) + len(phrase), Type: typ, Score: 1})
		d.Text += phrase
	}
	return d
}

func documents(t *testing.T, notes []note) (docs []*data.Document) {
	t.Helper()
	for _, n := range notes {
		docs = append(docs, n.document(t))
	}
	return docs
}

// answers is a tagger that finds given phrases: "TYPE phrase" with a score.
type answers map[string]float64

func (a answers) Tag(_ context.Context, docs []*data.Document) ([][]data.Span, error) {
	found := make([][]data.Span, len(docs))
	for i, d := range docs {
		for answer, score := range a {
			typ, phrase, _ := strings.Cut(answer, " ")
			if at := strings.Index(d.Text, phrase); at >= 0 {
				found[i] = append(found[i], data.Span{Start: at, End: at + len(phrase), Type: typ, Score: score})
			}
		}
		data.SortSpans(found[i])
	}
	return found, nil
}

// The first run finds 2 of 5 spans, cuts one short, mistakes one for another
// type, misses one, and makes one up. The second finds 3.
var (
	runA = answers{"PATIENT Zelquor": 0.6, "DATE 48217": 0.99, "DOCTOR Brundt": 0.95, "PHONE 90442": 0.4, "AGE trogget": 0.2}
	runB = answers{"PATIENT Zelquor Ixby": 0.9, "DATE 48217": 0.99, "DOCTOR Brundt": 0.95, "PHONE 90442": 0.4}
)

const log = `{"epoch":1,"loss":9.5,"scored":true,"dev":{"tp":1,"fp":1,"fn":4},"tokens":9,"train_ns":1000000000,"total_ns":2000000000,"best":true}
{"epoch":2,"loss":0.1,"scored":true,"dev":{"tp":2,"fp":3,"fn":3},"tokens":9,"train_ns":1000000000,"total_ns":2000000000,"best":true}
{"epoch":3,"loss":0.05,"scored":false,"dev":{"tp":0,"fp":0,"fn":0},"tokens":9,"train_ns":1000000000,"total_ns":2000000000,"best":false}
`

// run makes a run folder with the predictions of a tagger.
func run(t *testing.T, dir string, seed uint64, dev []note, tagger answers) *experiments.Run {
	t.Helper()
	corpora := filepath.Join(dir, "corpora")
	for split, notes := range map[string][]note{"train": trainNotes, "dev": dev} {
		out, err := format.Create("jsonl", filepath.Join(corpora, split), types(t))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range documents(t, notes) {
			if err := out.Write(d); err != nil {
				t.Fatal(err)
			}
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "x.yaml"), fmt.Sprintf(`name: tiny
seed: %d
corpus:
  format: jsonl
  types: i2b2-2014
  splits: {train: %q, dev: %q}
system: {ann: {}}
`, seed, filepath.Join(corpora, "train"), filepath.Join(corpora, "dev")))
	config, err := experiments.Load(filepath.Join(dir, "x.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := yaml.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "config.yaml"), string(encoded))
	write(t, filepath.Join(dir, "log.jsonl"), log)
	write(t, filepath.Join(dir, "run.json"), `{"lethe":"v9","processor":"Abacus <9>","workers":2,"seed":1,"started":"2087-02-03T04:05:06Z"}`)
	r, err := experiments.OpenRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Predict(t.Context(), tagger, "dev", experiments.PredictOptions{}); err != nil {
		t.Fatal(err)
	}
	return r
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

func types(t *testing.T) *data.TypeSet {
	t.Helper()
	set := data.I2B2
	return set
}

func report(t *testing.T, opt Options, runs ...*experiments.Run) *Report {
	t.Helper()
	if opt.Warn == nil {
		opt.Warn = func(err error) { t.Errorf("warning: %v", err) }
	}
	r, err := New(t.Context(), runs, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// element is a tag of a parsed page with its attributes, and the text that
// follows the tag directly.
type element struct {
	name  string
	attr  map[string]string
	inner string
}

// parse reads a page strictly, as XML.
func parse(t *testing.T, page []byte) (all []element) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(page))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			e := element{name: x.Name.Local, attr: map[string]string{}}
			for _, a := range x.Attr {
				if _, twice := e.attr[a.Name.Local]; twice {
					t.Errorf("%s has attribute %s twice", e.name, a.Name.Local)
				}
				e.attr[a.Name.Local] = a.Value
			}
			all = append(all, e)
		case xml.CharData:
			if len(all) > 0 && all[len(all)-1].inner == "" {
				all[len(all)-1].inner = strings.TrimSpace(string(x))
			}
		}
	}
}

// checkPage checks properties of every page: it is well-formed, refers only to parts of itself, its
// headings descend by single steps, and a screen reader can navigate its tables.
func checkPage(t *testing.T, page []byte) {
	t.Helper()
	all := parse(t, page)
	ids, level := map[string]bool{}, 0
	for _, e := range all {
		if id := e.attr["id"]; id != "" {
			if ids[id] {
				t.Errorf("duplicate id %s", id)
			}
			ids[id] = true
		}
	}
	tables, captions := 0, 0
	for _, e := range all {
		for _, id := range strings.Fields(e.attr["aria-labelledby"]) {
			if !ids[id] {
				t.Errorf("%s is labelled by %s, which does not exist", e.name, id)
			}
		}
		switch e.name {
		case "a":
			if to := strings.TrimPrefix(e.attr["href"], "#"); !ids[to] {
				t.Errorf("a link leads to %s", e.attr["href"])
			}
		case "h1", "h2", "h3":
			now := int(e.name[1] - '0')
			if now > level+1 {
				t.Errorf("%s after h%d", e.name, level)
			}
			level = now
		case "th":
			if e.attr["scope"] == "" {
				t.Error("a th without its scope")
			}
		case "table":
			tables++
		case "caption":
			captions++
		case "script", "link", "img", "iframe", "object", "base", "form":
			t.Errorf("the page has a %s", e.name)
		}
	}
	if tables == 0 || captions != tables {
		t.Errorf("%d tables have %d captions", tables, captions)
	}
	outside := regexp.MustCompile(`(?i)\b[a-z]+://[^"' ]*|@import|url\(`)
	for _, match := range outside.FindAll(page, -1) {
		if string(match) != "http://www.w3.org/2000/svg" { // the name of SVG, which is never fetched
			t.Errorf("the page refers to %s", match)
		}
	}
	if bytes.Contains(page, []byte("ZgotmplZ")) || bytes.Contains(page, []byte("NaN")) {
		t.Error("something was not fit to be shown")
	}
}

// rows returns the cells of a table by the name of the row.
func rows(t *table) map[string]string {
	all := map[string]string{}
	for _, r := range t.Rows {
		var cells []string
		for _, c := range r.Cells {
			cells = append(cells, c.Text)
		}
		all[r.Name] = strings.Join(cells, " | ")
	}
	return all
}

func TestFigures(t *testing.T) {
	dir := t.TempDir()
	a := run(t, filepath.Join(dir, "a"), 1, devNotes, runA)
	b := run(t, filepath.Join(dir, "b"), 2, devNotes, runB)
	b.Config.Corpus.Splits = a.Config.Corpus.Splits // which have the same notes
	m, err := read([]*experiments.Run{a, b}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.page(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// A: TP 2 (DATE, DOCTOR), FP 3, FN 3. B: TP 3, FP 1, FN 2.
	for _, tc := range []struct {
		table     *table
		row, want string
	}{
		{p.Seeds, "Strict: spans with their type", "57.50 ± 24.75 | 50.00 ± 14.14 | 53.33 ± 18.86"},
		{p.ByType, "All", "3 | 5 | 40.00 | 40.00 | 40.00 | 75.00 | 60.00 | 66.67"},
		{p.ByType, "NAME", "2 | 2 | 50.00 | 50.00 | 50.00 | 100.00 | 100.00 | 100.00"},
		{p.ByType, "PATIENT", "1 | 1 | 0.00 | 0.00 | 0.00 | 100.00 | 100.00 | 100.00"},
		{p.ByType, "HOSPITAL", "0 | 1 | – | 0.00 | 0.00 | – | 0.00 | 0.00"},
		// Of six PHI tokens A misses Ixby and QZW, and B misses QZW. ZIP was found as PHONE, which is PHI.
		{p.ByToken, "All", "6 | 80.00 | 66.67 | 72.73 | 100.00 | 83.33 | 90.91"},
		{p.ByToken, "NAME", "3 | 100.00 | 66.67 | 80.00 | 100.00 | 100.00 | 100.00"},
		{p.ByToken, "ZIP", "1 | 100.00 | 100.00 | 100.00 | 100.00 | 100.00 | 100.00"},
		{p.ByToken, "AGE", "0 | 0.00 | – | 0.00 | – | – | –"},
		{p.ByToken, "HIPAA's types", "4 | 75.00 | 75.00 | 75.00 | 100.00 | 100.00 | 100.00"},
		{p.ByType, "PHONE", "0 | 0 | 0.00 | – | 0.00 | 0.00 | – | 0.00"},
		// Six gold tokens: Zelquor Ixby 48217 Brundt QZW 90442. Ixby and QZW are left,
		// one in each note with any left.
		{p.Leak, "All", "2 | 6 | 33.33 | 33.33 to 33.33 | 2 | 5 | 40.00 | 2 | 66.67 | 0.00 to 100.00"},
		{p.Leak, "DOCTOR", "0 | 1 | 0.00 | – | 0 | 1 | 0.00 | 0 | 0.00 | –"},
		{p.Outcomes, "All", "5 | 2 | 1 | 0 | 1 | 0 | 0 | 1 | 5 | 1"},
		{p.Outcomes, "ZIP", "1 | 0 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 0"},
		{p.Outcomes, "AGE", "0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 1 | 1"},
		// Ixby and QZW are new, and Ixby is missed; Brundt is once PHI and once not, a PATIENT;
		// 90442 is a DATE.
		{p.Causes, "All", "2 | 6 | 2 | 2 | 0 | 2 | 0 | 0 | 0 | 2 | 1 | 1"},
		{p.Thresholds, "any", "40.00 | 40.00 | 40.00 | 2 | 3 | 3"},
		{p.Thresholds, "0.8 (best F1)", "100.00 | 40.00 | 57.14 | 2 | 0 | 3"},
		{p.Thresholds, "0.99", "100.00 | 20.00 | 33.33 | 1 | 0 | 4"},
		{p.Sure, "0.95 to 0.99", "1 | 1 | 100.00"},
		{p.Sure, "0 to 0.5", "2 | 0 | 0.00"},
		{p.Epochs, "2 (kept)", "0.1000 | 40.00 | 40.00 | 40.00 | 2.0"},
		{p.Epochs, "3", "0.0500 | – | – | – | 2.0"},
		{p.Machine, "seed", "1 | 2"},
		{p.Machine, "processor", "Abacus <9> | Abacus <9>"},
		{p.Differences, "seed", "1 | 2"},
		{p.Compared[0].Agreement, "All", "2 | 0 | 1 | 2 | 1 | 2 | 0"},
		{p.Compared[0].Agreement, "PATIENT", "0 | 0 | 1 | 0 | 0 | 1 | 0"},
	} {
		if got := rows(tc.table)[tc.row]; got != tc.want {
			t.Errorf("%s, %s: %s, want %s", tc.table.ID, tc.row, got, tc.want)
		}
	}
	// The results differ in d1 and d3, so there are four ways to shuffle them. Swapping none and
	// both gives a difference at least as large.
	if got, want := rows(p.Compared[0].Test)["strict, F1"], "40.00 | 66.67 | +26.67 | "; !strings.HasPrefix(got, want) || !strings.HasSuffix(got, " | 0.5000 | 1.0000") {
		t.Errorf("test: %s, want %s", got, want)
	}
	for _, name := range []string{"Strict: spans with their type", "i2b2 2014 script: Binary HIPAA Token", "Tokens, PHI or not, of types that HIPAA names"} {
		if rows(p.Measures)[name] == "" {
			t.Errorf("no measure %q", name)
		}
	}
	if got := p.Key[1]; got.Value != "66.67\u00a0%" || got.Label != "of notes keep some PHI" {
		t.Errorf("key figure %+v", got)
	}
	var zip *matrixRow
	for i, r := range p.Confusion.Rows {
		if r.Type == "ZIP" {
			zip = &p.Confusion.Rows[i]
		}
	}
	if phone := slices.Index(p.Confusion.Columns, "PHONE"); zip == nil || zip.Cells[phone+1] != (cell{"1", "many"}) {
		t.Errorf("ZIP found as PHONE: %+v", zip)
	}
}

// The bars are the F1 of the tables, one series per run. A category in which a run is low is in the
// second chart, and one that the gold standard lacks in none.
func TestCategories(t *testing.T) {
	dir := t.TempDir()
	m, err := read([]*experiments.Run{run(t, filepath.Join(dir, "a"), 1, devNotes, runA), run(t, filepath.Join(dir, "b"), 2, devNotes, runB)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.page(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range p.Categories {
		for g, name := range c.Bars.Groups {
			line := fmt.Sprintf("%s: %s", c.Title, name)
			for _, s := range c.Bars.Series {
				line += fmt.Sprintf(" %s %.2f", s.Name, s.Bars[g].Value)
			}
			got = append(got, line)
		}
	}
	want := []string{
		"F1 by category: tokens, PHI or not: NAME A a 80.00 B b 100.00",
		"F1 by category: tokens, PHI or not: DATE A a 100.00 B b 100.00",
		"F1 by category: tokens, PHI or not (categories below 80 %): All A a 72.73 B b 90.91",
		"F1 by category: tokens, PHI or not (categories below 80 %): LOCATION A a 66.67 B b 66.67",
		"F1 by category: spans with their type: DATE A a 100.00 B b 100.00",
		"F1 by category: spans with their type (categories below 80 %): All A a 40.00 B b 66.67",
		"F1 by category: spans with their type (categories below 80 %): LOCATION A a 0.00 B b 0.00",
		"F1 by category: spans with their type (categories below 80 %): NAME A a 50.00 B b 100.00",
	}
	if !slices.Equal(got, want) {
		t.Errorf("bars\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if y := p.Categories[0].Y; y.Min != 75 || y.Max != 100 {
		t.Errorf("the axis goes from %v to %v", y.Min, y.Max)
	}
}

// Each measure has a metric; otherwise its row would be left out.
func TestMeasures(t *testing.T) {
	for _, m := range measures {
		set := data.I2B2
		if m.types == data.MEDDOCAN.Name {
			set = data.MEDDOCAN
		}
		if _, err := metrics.Lookup(m.metric, set); err != nil {
			t.Error(err)
		}
	}
}

func TestPage(t *testing.T) {
	dir := t.TempDir()
	a, b := run(t, filepath.Join(dir, "a"), 1, devNotes, runA), run(t, filepath.Join(dir, "b"), 2, devNotes, runB)
	silent := run(t, filepath.Join(dir, "silent"), 1, devNotes, answers{})
	for name, pages := range map[string][2]*Report{
		"one":     {report(t, Options{Version: "v1"}, a), report(t, Options{Version: "v1"}, a)},
		"two":     {report(t, Options{}, a, b), report(t, Options{}, a, b)},
		"itself":  {report(t, Options{}, a, a), report(t, Options{}, a, a)},
		"nothing": {report(t, Options{}, silent, b), report(t, Options{}, silent, b)},
	} {
		t.Run(name, func(t *testing.T) {
			page := pages[0].HTML()
			checkPage(t, page)
			if !bytes.Equal(page, pages[1].HTML()) {
				t.Error("the same runs give other bytes")
			}
			for _, n := range slices.Concat(trainNotes, devNotes) {
				for word := range strings.FieldsFuncSeq(n.document(t).Text, func(r rune) bool { return strings.ContainsRune(" .,", r) }) {
					if bytes.Contains(page, []byte(word)) {
						t.Errorf("the page holds %q, of a note", word)
					}
				}
			}
		})
	}

	page := report(t, Options{ShowText: true}, a).HTML()
	checkPage(t, page)
	for _, want := range []string{"This report quotes notes", "<td>Vroxim <mark>Zelquor Ixby</mark> yexil 48217 gnorf.</td>", "taken for PHONE"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("with text, no %s", want)
		}
	}
}

// A system of several parts has one line per network, named after it, and a single row for all
// iterations of a CRF, whose loss is on another scale.
func TestLearningOfATree(t *testing.T) {
	epoch := func(member string, number, tokens int, loss float64, best bool) taggers.Epoch {
		e := taggers.Epoch{Member: member, Epoch: number, Tokens: tokens, Loss: loss, Total: 30 * time.Second, Best: best, Scored: tokens > 0}
		if e.Scored {
			e.Dev = evaluation.Counts{TP: number, FN: 1}
		}
		return e
	}
	tree := []taggers.Epoch{
		epoch("crf", 1, 0, 4000, false), epoch("crf", 2, 0, 1500, false),
		epoch("ann", 1, 99, 2, true), epoch("ann", 2, 99, 1, false),
		epoch("deep/ann", 1, 99, 3, true),
	}
	p := &page{}
	m := &material{runs: []*runMaterial{{Name: "x", log: tree}}}
	m.learning(p)
	want := "x was trained in 2\u00a0min 30\u00a0s, part by part: crf for 2 iterations in 1\u00a0min 0\u00a0s, to a loss of 1500; " +
		"ann for 2 epochs in 1\u00a0min 0\u00a0s; the model of epoch 1 is kept, with a strict F1 of 66.67\u00a0% on dev; " +
		"deep/ann for 1 epoch in 30.0\u00a0s; the model of epoch 1 is kept, with a strict F1 of 66.67\u00a0% on dev."
	if p.Learning != want {
		t.Errorf("%s\nwant\n%s", p.Learning, want)
	}
	var rows, lines []string
	for _, r := range p.Epochs.Rows {
		rows = append(rows, r.Name+" "+r.Cells[0].Text+" "+r.Cells[3].Text+" "+r.Cells[4].Text)
	}
	if want := []string{"crf 2 1500.0000 – 60.0", "ann 1 (kept) 2.0000 66.67 30.0", "ann 2 1.0000 80.00 30.0", "deep/ann 1 (kept) 3.0000 66.67 30.0"}; !slices.Equal(rows, want) {
		t.Errorf("rows %q, want %q", rows, want)
	}
	for _, l := range slices.Concat(p.Loss.Lines, p.Dev.Lines) {
		lines = append(lines, l.Name)
	}
	if want := []string{"x ann", "x deep/ann", "x ann, F1", "x deep/ann, F1", "the epoch that is kept"}; !slices.Equal(lines, want) {
		t.Errorf("lines %q, want %q", lines, want)
	}

	p = &page{}
	(&material{runs: []*runMaterial{{Name: "x", log: tree[:2]}}}).learning(p)
	if p.Loss != nil || p.Dev != nil || len(p.Epochs.Rows) != 1 {
		t.Errorf("of a CRF alone: %+v", p)
	}
	p = &page{}
	(&material{runs: []*runMaterial{{Name: "x"}}}).learning(p)
	if p.Loss != nil || p.Epochs != nil || p.Learning != "" {
		t.Errorf("of rules alone: %+v", p)
	}
}

// calibrated writes operating points into a run, whose model is a file.
func calibrated(t *testing.T, r *experiments.Run) {
	t.Helper()
	model := filepath.Join(r.Dir, "model", "best")
	if err := os.MkdirAll(model, 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(model, "system.yaml"), "types: i2b2-2014\n")
	digest, err := (&models.Model{Dir: model}).Digest()
	if err != nil {
		t.Fatal(err)
	}
	bin := func(cases, right int, said float64) operating.Bin {
		return operating.Bin{Cases: cases, Right: right, Said: said}
	}
	c := &operating.Curve{
		Version: 3, Model: digest, Split: "dev", Documents: 250, Tokens: 13105,
		SpansWorth: operating.Worth{
			Raw:        operating.Reliability{Error: 0.0151, Bins: []operating.Bin{bin(4, 1, 0.5), bin(5, 5, 1)}},
			Calibrated: operating.Reliability{Error: 0.0042, Bins: []operating.Bin{bin(4, 1, 0.2), bin(5, 5, 0.95)}},
		},
		Points: []operating.Point{
			{Threshold: 1, Recall: 0.98, Precision: 0.99, Low: 0.97, High: 0.985},
			{Target: 0.98, Threshold: 1, Recall: 0.98, Precision: 0.99, Low: 0.97, High: 0.985},
			{Target: 0.995, Threshold: 0.07, Recall: 0.994, Precision: 0.9, Low: 0.99, High: 0.996},
			{Target: 0.999, Recall: 0.998, Precision: 0.75, Low: 0.996, High: 1},
		},
	}
	if err := c.Write(model); err != nil {
		t.Fatal(err)
	}
}

func TestCalibration(t *testing.T) {
	dir := t.TempDir()
	a, b := run(t, filepath.Join(dir, "a"), 1, devNotes, runA), run(t, filepath.Join(dir, "b"), 2, devNotes, runB)
	calibrated(t, a)
	pageOf := func(runs ...*experiments.Run) *page {
		m, err := read(runs, Options{Warn: func(err error) { t.Error(err) }})
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.page(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	c := pageOf(a).Calibration
	for _, tc := range []struct {
		table     *table
		row, want string
	}{
		{c.Points, "best path", "– | 98.00 | 97.00 to 98.50 | 2.00 | 99.00"},
		{c.Points, "0.995", "0.0700 | 99.40 | 99.00 to 99.60 | 0.60 | 90.00"},
		{c.Points, "0.999", "all | 99.80 | 99.60 to 100.00 | 0.20 | 75.00"},
		// The interval for 1 of 4 is Clopper and Pearson's, from a table; the one for 5 of 5 begins at 0.025^(1/5).
		{c.Worth[0].Bins, "1", "20.00 | 1 | 4 | 25.00 | 0.63 to 80.59 | 50.00 | 1 | 4 | 25.00 | 0.63 to 80.59"},
		{c.Worth[0].Bins, "2", "95.00 | 5 | 5 | 100.00 | 47.82 to 100.00 | 100.00 | 5 | 5 | 100.00 | 47.82 to 100.00"},
	} {
		if got := rows(tc.table)[tc.row]; got != tc.want {
			t.Errorf("%s, %s: %s, want %s", tc.table.ID, tc.row, got, tc.want)
		}
	}
	if len(c.Worth) != 1 || !strings.Contains(c.Worth[0].Bins.Note, "is 0.42 percentage points; of the raw scores 1.51") {
		t.Errorf("worth: %+v", c.Worth)
	}
	var labels []string
	for _, p := range c.Curve.Lines[0].Points {
		labels = append(labels, p.Label)
	}
	if want := []string{"best path", "0.995", "0.999"}; !slices.Equal(labels, want) {
		t.Errorf("points %q, want %q", labels, want)
	}
	if x := c.Worth[0].Diagram.X; math.Abs(x.Min-0.1) > 1e-9 || math.Abs(x.Max-0.99) > 1e-9 {
		t.Errorf("view of [%v, %v]", x.Min, x.Max)
	}
	if c := pageOf(b, a).Calibration; len(c.Curve.Lines) != 1 || c.Points != nil || c.Worth != nil {
		t.Errorf("the second of two runs: %+v", c)
	}
	if pageOf(b).Calibration != nil {
		t.Error("a calibration from nowhere")
	}
	for _, runs := range [][]*experiments.Run{{a}, {a, b}, {b, a}} {
		checkPage(t, report(t, Options{}, runs...).HTML())
	}

	// The model has changed since.
	write(t, filepath.Join(a.Dir, "model", "best", "system.yaml"), "types: i2b2-2006\n")
	var warnings []string
	page := report(t, Options{Warn: func(err error) { warnings = append(warnings, err.Error()) }}, a).HTML()
	if len(warnings) != 1 || !strings.HasPrefix(warnings[0], "no calibration: ") || !strings.HasSuffix(warnings[0], "lethe calibrate RUN to measure them again") || bytes.Contains(page, []byte("recall-points")) {
		t.Errorf("of another model: %q", warnings)
	}
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	r := report(t, Options{}, run(t, filepath.Join(dir, "a"), 1, devNotes, runA))
	path := filepath.Join(dir, "report.html")
	if err := r.Save(path); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, r.HTML()) {
		t.Errorf("what was saved is not the report: %v", err)
	}
	paths, err := r.SavePlots(filepath.Join(dir, "plots"), "svg")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range paths {
		names = append(names, filepath.Base(p))
		if _, err := os.Stat(p); err != nil {
			t.Error(err)
		}
	}
	if want := []string{"categories-tokens.svg", "categories-tokens-low.svg", "categories-strict.svg", "categories-strict-low.svg", "precision-recall.svg", "loss.svg", "dev.svg"}; !slices.Equal(names, want) {
		t.Errorf("plots %q, want %q", names, want)
	}
	if _, err := r.SavePlots(filepath.Join(dir, "plots"), "gif"); err == nil {
		t.Error("gif was written")
	}
}

func TestBadRuns(t *testing.T) {
	dir := t.TempDir()
	a := run(t, filepath.Join(dir, "a"), 1, devNotes, runA)
	fails := func(want string, runs ...*experiments.Run) {
		t.Helper()
		if _, err := New(t.Context(), runs, Options{Split: "dev"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	fails("a report covers 1 to 26 runs, not 0")
	fewer := run(t, filepath.Join(dir, "fewer"), 1, devNotes[:2], runA)
	fails("d3", a, fewer)
	fails("d3", fewer, a)
	other := run(t, filepath.Join(dir, "other"), 1, append(slices.Clone(devNotes[:2]), note{"d3", "Plim vax."}), runA)
	fails("d3", a, other)

	// lost returns a run from which a file or folder was removed.
	lost := func(name string) *experiments.Run {
		r := run(t, filepath.Join(dir, "lost "+name), 1, devNotes, runA)
		if err := os.RemoveAll(filepath.Join(r.Dir, name)); err != nil {
			t.Fatal(err)
		}
		return r
	}
	fails("contains no predictions for split dev", lost("predictions/dev"))
	broken := run(t, filepath.Join(dir, "broken"), 1, devNotes, runA)
	write(t, filepath.Join(broken.Dir, "log.jsonl"), log+"{\n")
	fails("log.jsonl:4: not an epoch of a training", broken)

	for name, want := range map[string]struct{ text, warning string }{
		"log.jsonl":                    {"The run has no log of its training.", "the report shows no training of "},
		"run.json":                     {"The run folder holds no run.json", ""},
		"predictions/dev.scores.jsonl": {"have no scores", ""},
		"corpora/train":                {"Which type is taken for which", "no causes of errors, since the training notes cannot be read: "},
		"evaluation":                   {"Operating points", ""},
	} {
		var warnings []string
		page := report(t, Options{Warn: func(err error) { warnings = append(warnings, err.Error()) }}, lost(name)).HTML()
		checkPage(t, page)
		if !bytes.Contains(page, []byte(want.text)) {
			t.Errorf("without %s, the page does not say %q", name, want.text)
		}
		if got := strings.Join(warnings, ""); !strings.HasPrefix(got, want.warning) || got != "" && want.warning == "" {
			t.Errorf("without %s, warned: %q", name, got)
		}
	}
}

func TestFormat(t *testing.T) {
	for got, want := range map[string]string{
		percent(0.9675): "96.75", percent(1): "100.00", of(1, 3): "33.33", of(0, 0): none,
		points(0.0032): "+0.32", points(-0.0032): "−0.32", points(-0.00001): "0.00",
		number(7): "7", number(-1234): "-1,234", number(999): "999", number(1000): "1,000", number(1234567): "1,234,567",
		counted(1, "note"): "1 note", counted(2500, "note"): "2,500 notes",
		duration(1500e6): "1.5\u00a0s", duration(250e9): "4\u00a0min 10\u00a0s", duration(7260e9): "2\u00a0h 1\u00a0min",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// WCAG 2.2 requires a contrast of 4.5 for text (1.4.3) and of 3 for other necessary parts (1.4.11),
// on screen in both themes and on paper.
func TestContrast(t *testing.T) {
	channel := func(hex string) float64 {
		v, err := strconv.ParseUint(hex, 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(v) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	luminance := func(hex string) float64 {
		return 0.2126*channel(hex[1:3]) + 0.7152*channel(hex[3:5]) + 0.0722*channel(hex[5:7])
	}
	themes := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(style, -1)
	if len(themes) != 3 {
		t.Fatalf("%d themes", len(themes))
	}
	for i, theme := range themes {
		colours := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z0-9-]+): (#[0-9a-f]{6})`).FindAllStringSubmatch(theme[1], -1) {
			colours[m[1]] = m[2]
		}
		check := func(wanted float64, ground string, names ...string) {
			for _, name := range names {
				a, b := luminance(colours[name]), luminance(colours[ground])
				if got := (max(a, b) + 0.05) / (min(a, b) + 0.05); got < wanted {
					t.Errorf("theme %d: %s on %s has a contrast of %.2f", i, name, ground, got)
				}
			}
		}
		check(4.5, "paper", "ink", "soft", "link", "chart-ink")
		check(4.5, "tint", "ink", "soft")
		check(4.5, "warn-tint", "warn-ink")
		for _, ground := range []string{"same", "few", "some", "many", "mark"} {
			check(4.5, ground, "ink")
		}
		if i < 2 { // on paper nothing has the focus
			check(3, "paper", "focus")
		}
		check(3, "paper", "chart-line", "chart-1", "chart-2", "chart-3", "chart-4", "chart-5", "chart-6")
	}
}

// The tables of outcomes, causes and comparisons were sorted by name, those of scores by number.
func TestTablesHaveOneOrder(t *testing.T) {
	dir := t.TempDir()
	a, b := run(t, filepath.Join(dir, "a"), 1, devNotes, runA), run(t, filepath.Join(dir, "b"), 2, devNotes, runB)
	m, err := read([]*experiments.Run{a, b}, Options{Warn: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.page(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	order := func(t *table) (types []string) {
		for _, r := range t.Rows {
			if typ, ok := m.types.Lookup(r.Name); ok && typ.Name == r.Name {
				types = append(types, r.Name)
			}
		}
		return types
	}
	want := order(p.ByType)
	if len(want) < 3 || slices.IsSorted(want) {
		t.Fatalf("the order of the scores is %q", want)
	}
	for _, other := range []*table{p.Outcomes, p.Causes, p.Compared[0].Agreement} {
		got := order(other)
		if rest := slices.DeleteFunc(slices.Clone(want), func(typ string) bool { return !slices.Contains(got, typ) }); !slices.Equal(got, rest) {
			t.Errorf("%s: %q, but the scores have %q", other.ID, got, rest)
		}
	}
	if !slices.Equal(p.Confusion.Columns, order(p.Outcomes)) {
		t.Errorf("confusion: %q", p.Confusion.Columns)
	}
}

func TestSizeOfACorpus(t *testing.T) {
	notes := []*data.Document{
		{ID: "1", Patient: "p", Text: "Seen by Amundsen-Ruiz in 2071.", Spans: []data.Span{{Start: 8, End: 21, Type: "DOCTOR"}}},
		{ID: "2", Patient: "p", Text: "Well."},
	}
	if got, want := strings.Join(size(notes), " "), "2 1 1 7 2 1 1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	notes[1].Patient = ""
	if got := size(notes)[1]; got != none {
		t.Errorf("patients: %s, although one is not known", got)
	}
}

// The chart of dev left out the first epochs, whose scores made the others look like one line.
func TestViewShowsTheFirstEpochs(t *testing.T) {
	for _, c := range []struct{ scores, want []float64 }{
		{[]float64{0.3, 0.9, 0.95}, []float64{0.3, 0.95}},
		{[]float64{0, 0.9}, []float64{0.1, 0.9}},
		{[]float64{0, 0}, []float64{0.1, 0.81}},
		{[]float64{0.9, 1, 1}, []float64{0.8, 0.999}},
	} {
		var l chart.Line
		for i, s := range c.scores {
			l.Points = append(l.Points, chart.Point{X: float64(i + 1), Y: s})
		}
		if low, high := view([]chart.Line{l}); low != c.want[0] || high != c.want[1] {
			t.Errorf("%v: [%v, %v], want %v", c.scores, low, high, c.want)
		}
	}
}

func TestConfigurationsOfOtherTaggersWereComparedAsGoValues(t *testing.T) {
	parse := func(text string) any {
		var tree any
		if err := yaml.Unmarshal([]byte(text), &tree); err != nil {
			t.Fatal(err)
		}
		return tree
	}
	differences := &table{Groups: []group{{Columns: []string{"A", "B"}}}}
	compare(differences, "", []any{
		parse("{seed: 1, corpus: {merge: [dev, more], types: i2b2-2014}, system: {crf: {features: [{family: word, window: 2}, {family: shape}], c2: 1}}}"),
		parse("{seed: 1, corpus: {merge: [dev], types: i2b2-2014, subset: {seed: 2}}, system: {crf: {features: [{family: word, window: 3}, {family: shape}], c2: 1}, rules: [{set: english}]}}"),
	})
	want := map[string]string{
		"corpus.merge":                  "dev, more | dev",
		"corpus.subset":                 none + " | 1 key",
		"system.crf.features[0].window": "2 | 3",
		"system.rules":                  none + " | 1 element",
	}
	if got := rows(differences); !maps.Equal(got, want) {
		t.Errorf("differences %v, want %v", got, want)
	}
}

// The report gave the mean of a plain run and of one that learned from a teacher as that over two seeds.
func TestDistilledRunWasASeedOfAPlainOne(t *testing.T) {
	dir := t.TempDir()
	a := run(t, filepath.Join(dir, "a"), 1, devNotes, runA)
	b := run(t, filepath.Join(dir, "b"), 2, devNotes, runB)
	b.Config.Corpus.Splits = a.Config.Corpus.Splits
	m, err := read([]*experiments.Run{a, b}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if m.seeds().table == nil {
		t.Error("two plain runs are not seeds of a system")
	}
	if err := os.WriteFile(filepath.Join(b.Dir, "distill.yaml"), []byte("digest: sha256:1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if m.seeds().table != nil {
		t.Error("a distilled run is a seed of a plain one")
	}
}
