package strictyaml

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

type inner struct {
	Rate float64 `yaml:"rate"`
	Wide bool    `yaml:"wide"`
}

type config struct {
	Name  string         `yaml:"name"`
	Seed  uint64         `yaml:"seed"`
	Size  int            `yaml:"size"`
	Rate  float64        `yaml:"rate"`
	Notes map[string]int `yaml:"notes,omitempty"`
	Inner *inner         `yaml:"inner,omitempty"`
	List  []inner        `yaml:"list,omitempty"`
	Words []string       `yaml:"words,omitempty"`
}

func TestDecode(t *testing.T) {
	got := config{Seed: 1, Size: 7, Notes: map[string]int{"dev": 1}, Words: []string{"of", "before"}}
	raw := "\uFEFFname: |\r\n  x\r\nrate: 2\r\nnotes: {test: 3}\r\ninner:\r\n  wide: true # as ever\r\nlist:\r\n- rate: 1\r\n- {wide: true}\r\nwords: [one]\r\n"
	if err := Decode("f", []byte(raw), &got); err != nil {
		t.Fatal(err)
	}
	want := config{Name: "x\n", Seed: 1, Size: 7, Rate: 2, Notes: map[string]int{"dev": 1, "test": 3}, Inner: &inner{0, true},
		List: []inner{{Rate: 1}, {Wide: true}}, Words: []string{"one"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// union has an inner as the value of "inner" and a number as the value of any
// other supported key.
type union map[string]any

func (union) Keys() []string { return []string{"count", "inner"} }

func (union) Fresh(key string) any {
	if key == "inner" {
		return &inner{Rate: 0.5}
	}
	return &struct {
		N int `yaml:"n"`
	}{}
}

func TestUnion(t *testing.T) {
	var got struct {
		Any union `yaml:"any"`
	}
	if err := Decode("f", []byte("any: {inner: {wide: true}}"), &got); err != nil || *got.Any["inner"].(*inner) != (inner{0.5, true}) {
		t.Errorf("%+v, %v", got.Any["inner"], err)
	}
	if err := Decode("f", []byte("any: {inner: {rate: 2}}"), &got); err != nil || *got.Any["inner"].(*inner) != (inner{2, true}) {
		t.Errorf("decoded over: %+v, %v", got.Any["inner"], err)
	}
	for raw, want := range map[string]string{
		"any: {\n  outer: {}}":        "f:2:3: any.outer: unknown key (have count, inner)",
		"any: {inner: {wide: 1}}":     "f:1:21: any.inner.wide: a number where true or false is expected",
		"any: {inner: {}, inner: {}}": "f:1:18: mapping key \"inner\" already defined at [1:7]",
		"any: {count:}":               "f:1:13: any.count: nothing where a mapping is expected",
	} {
		if err := Decode("f", []byte(raw), &got); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", raw, err, want)
		}
	}
	other := got
	other.Any = union{"inner": &inner{Rate: 3}}
	if key, from, to := Difference(&got, &other); key != "any.inner.rate" || from != 2.0 || to != 3.0 {
		t.Errorf("%s was %v, is %v", key, from, to)
	}
}

type series []int

func (series) Series() {}

func TestSeries(t *testing.T) {
	var got struct {
		Sizes series `yaml:"sizes"`
	}
	earlier := got
	for raw, want := range map[string]string{"sizes: 7": "[7]", "sizes: [7]": "[7]", "sizes: [7, 8]": "[7 8]", "sizes: []": "[]"} {
		got.Sizes = series{1, 2, 3}
		if err := Decode("f", []byte(raw), &got); err != nil || fmt.Sprint(got.Sizes) != want {
			t.Errorf("%s: %v, %v", raw, got.Sizes, err)
		}
	}
	for raw, want := range map[string]string{
		"sizes: x":      "f:1:8: sizes: text where a whole number is expected",
		"sizes: [7, x]": "f:1:12: sizes[1]: text where a whole number is expected",
		"sizes:":        "f:1:8: sizes: nothing where a whole number is expected",
	} {
		if err := Decode("f", []byte(raw), &got); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", raw, err, want)
		}
	}
	earlier.Sizes, got.Sizes = series{7}, series{8}
	if key, from, to := Difference(&earlier, &got); key != "sizes" || fmt.Sprint(from, to) != "[7] [8]" {
		t.Errorf("%s was %v, is %v", key, from, to)
	}
	got.Sizes = series{7}
	if key, _, _ := Difference(&earlier, &got); key != "" {
		t.Errorf("%s differs from itself", key)
	}
}

// The parser reads a number with an exponent and no dot as text, so 1e-3 was
// rejected. The encoder writes small numbers in this form, so files with one
// could not be read again.
func TestExponentWithoutADot(t *testing.T) {
	for text, want := range map[string]float64{
		"1e-3": 1e-3, "1E-3": 1e-3, "5e-4": 5e-4, "1e3": 1000, "+1e+3": 1000, "-2E05": -2e5, "1e-05 # small": 1e-5,
		"1.5e-3": 1.5e-3, ".5": 0.5, "1.": 1, "3": 3, "12345678901234567890123": 12345678901234567890123, "1e-999": 0,
	} {
		var got config
		if err := Decode("f", []byte("rate: "+text), &got); err != nil || got.Rate != want {
			t.Errorf("%s: %v, %v", text, got.Rate, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		want := config{Seed: rapid.Uint64().Draw(t, "seed"), Size: rapid.Int().Draw(t, "size"),
			Rate: rapid.Float64().Filter(func(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }).Draw(t, "rate"),
			Name: rapid.StringMatching(`[0-9eE.+-]{0,6}`).Draw(t, "name")}
		raw, err := yaml.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got config
		if err := Decode("f", raw, &got); err != nil {
			t.Fatalf("%v\n%s", err, raw)
		}
		if got.Rate != want.Rate || got.Seed != want.Seed || got.Size != want.Size || got.Name != want.Name {
			t.Fatalf("%+v became %+v", want, got)
		}
	})
}

func TestDecodeErrors(t *testing.T) {
	for raw, want := range map[string]string{
		"rates: 1":                       "f:1:1: rates: unknown key (have name, seed, size, rate, notes, inner, list, words)",
		"inner: {rat: 1}":                "f:1:9: inner.rat: unknown key (have rate, wide)",
		"rate: 1\nrate: 2":               `f:2:1: mapping key "rate" already defined at [1:1]`,
		`rate: "1e-3"`:                   "f:1:7: rate: text where a number is expected",
		"rate: '1'":                      "f:1:7: rate: text where a number is expected",
		"rate: 1e":                       "f:1:7: rate: text where a number is expected",
		"rate: 0x1p-2":                   "f:1:7: rate: text where a number is expected",
		"rate: infinity":                 "f:1:7: rate: text where a number is expected",
		"rate: 1e999":                    "f:1:7: rate: 1e999 is out of range",
		"rate: .nan":                     "f:1:7: rate: .nan is not a finite number",
		"rate: -.inf":                    "f:1:7: rate: -.inf is not a finite number",
		"rate: .inf":                     "f:1:7: rate: .inf is not a finite number",
		"size: .nan":                     "f:1:7: size: a number where a whole number is expected",
		"size: 1e3":                      "f:1:7: size: a number where a whole number is expected",
		"size: 1.0":                      "f:1:7: size: a number where a whole number is expected",
		"seed: -1":                       "f:1:7: seed: -1 is out of range",
		"seed: 18446744073709551616":     "f:1:7: seed: 18446744073709551616 is out of range",
		"seed: 123456789012345678901234": "f:1:7: seed: 123456789012345678901234 is out of range",
		"size: -9223372036854775809":     "f:1:7: size: -9223372036854775809 is out of range",
		"name: 1.5":                      "f:1:7: name: a number where text is expected",
		"inner: 1e-3":                    "f:1:8: inner: a number where a mapping is expected",
		"notes: {test: x}":               "f:1:15: notes.test: text where a whole number is expected",
		"inner: {wide: yes}":             "f:1:15: inner.wide: text where true or false is expected",
		"words: one":                     "f:1:8: words: text where a list is expected",
		"words: [one, 2]":                "f:1:14: words[1]: a number where text is expected",
		"list:\n- wide: true\n- rat: 1":  "f:3:3: list[1].rat: unknown key (have rate, wide)",
		"- 1":                            "f:1:1: a list where a mapping is expected",
		"":                               "f: requires one YAML document, but has 0",
	} {
		if err := Decode("f", []byte(raw), &config{}); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", raw, err, want)
		}
	}
	if err := Decode("", []byte("rate: x"), &config{}); err == nil || err.Error() != "rate: text where a number is expected" {
		t.Errorf("without a path: %v", err)
	}
}

func TestSet(t *testing.T) {
	type part struct {
		Name string   `yaml:"name"`
		Size int      `yaml:"size"`
		Of   []string `yaml:"of"`
	}
	type whole struct {
		Parts []part  `yaml:"parts"`
		List  []inner `yaml:"list"`
		Any   union   `yaml:"any"`
	}
	fresh := func() *whole {
		return &whole{Parts: []part{{Name: "a", Size: 1, Of: []string{"x", "y"}}, {Size: 2}, {Name: "b+c", Size: 3}},
			List: []inner{{}, {Rate: 1}}, Any: union{"inner": &inner{Rate: 2}}}
	}
	for setting, want := range map[string]func(*whole){
		"parts.b+c.size=4":          func(w *whole) { w.Parts[2].Size = 4 },
		"parts[2].size=4":           func(w *whole) { w.Parts[2].Size = 4 },
		"parts[1]={size: 5}":        func(w *whole) { w.Parts[1].Size = 5 },
		"parts={a: {size: 6}}":      func(w *whole) { w.Parts[0].Size = 6 },
		"parts=[{name: c}]":         func(w *whole) { w.Parts = []part{{Name: "c"}} },
		"parts[0].of[1]=z":          func(w *whole) { w.Parts[0].Of[1] = "z" },
		"list[1].wide=true":         func(w *whole) { w.List[1].Wide = true },
		"any={inner: {wide: true}}": func(w *whole) { w.Any = union{"inner": &inner{Rate: 2, Wide: true}} },
		"any={count: {n: 7}}": func(w *whole) {
			w.Any = union{"count": w.Any.Fresh("count")}
			w.Any["count"].(*struct {
				N int `yaml:"n"`
			}).N = 7
		},
		"any.inner={rate: 3}": func(w *whole) { w.Any = union{"inner": &inner{Rate: 3}} },
	} {
		path, value, _ := strings.Cut(setting, "=")
		got, expected := fresh(), fresh()
		if err := Set(path, value, got); err != nil {
			t.Errorf("%s: %v", setting, err)
		}
		want(expected)
		if diff := cmp.Diff(expected, got); diff != "" {
			t.Errorf("%s: -want +got %s", setting, diff)
		}
	}
	for setting, want := range map[string]string{
		"parts={c: {size: 4}}":    "parts.c: unknown key (have a, [1], b+c)",
		"parts[3].size=4":         "parts[3]: unknown key (have a, [1], b+c)",
		"parts.a.size=x":          "parts.a.size: text where a whole number is expected",
		"parts[0].size=x":         "parts[0].size: text where a whole number is expected",
		"parts.a.of={c: 1}":       "parts.a.of.c: unknown key (have [0], [1])",
		"list.b.rate=1":           "list.b: unknown key (have [0], [1])",
		"any.outer.n=1":           "any.outer: unknown key (have count, inner)",
		"any={outer: {}}":         "any.outer: unknown key (have count, inner)",
		"parts.[1].size=1":        `"parts.[1].size" is not a path of keys, such as corpus.seed`,
		"parts[-1].size=1":        `"parts[-1].size" is not a path of keys, such as corpus.seed`,
		"parts[99999999999999]=1": "parts[99999999999999]: unknown key (have a, [1], b+c)",
	} {
		path, value, _ := strings.Cut(setting, "=")
		if err := Set(path, value, fresh()); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", setting, err, want)
		}
	}
	want := map[string]string{"parts[0].name": "a", "parts[0].of[0]": "x", "parts[0].of[1]": "y", "parts[1].name": "", "parts[2].name": "b+c"}
	if diff := cmp.Diff(want, Strings(fresh())); diff != "" {
		t.Error("texts: -want +got", diff)
	}
	if err := Decode("", []byte("parts: {a: {size: 4}}"), fresh()); err == nil {
		t.Error("a file may name elements")
	}
	for path, want := range map[string]string{
		"parts[1].of": "", "parts.a.of[1]": "", "any.inner.rate": "", "list[0]": "",
		"parts.a.off":    "parts.a.off: unknown key (have name, size, of)",
		"list[2]":        "list[2]: unknown key (have [0], [1])",
		"any.count":      "any.count: unknown key (have inner)",
		"list[0].rate.x": "list[0].rate.x: unknown key (have none)",
		"":               `"" is not a path of keys, such as corpus.seed`,
	} {
		if err := Check(path, fresh()); err != nil && err.Error() != want || err == nil && want != "" {
			t.Errorf("%s: error %v, want %s", path, err, want)
		}
	}
}

func TestLocate(t *testing.T) {
	raw := "name: x\ncorpus:\n  format: brat\nsystem:\n  members:\n  - {name: a, size: 1}\n  - name: b\n    size: 2\n"
	for path, want := range map[string][2]int{
		"name": {1, 1}, "corpus.format": {3, 3}, "corpus.types": {2, 1}, "system.members[0].size": {6, 15}, "system.members[1].size": {8, 5},
		"system.members[1].of.x": {7, 5}, "system.members[2]": {5, 3}, "other": {0, 0}, "": {0, 0},
	} {
		if line, column := Locate([]byte(raw), path); [2]int{line, column} != want {
			t.Errorf("%s: %d:%d, want %v", path, line, column, want)
		}
	}
	if line, _ := Locate([]byte("a: [}"), "a"); line != 0 {
		t.Error("a position in invalid YAML")
	}
}

func TestDifference(t *testing.T) {
	fresh := func() *config {
		return &config{Notes: map[string]int{"dev": 1}, Inner: &inner{Rate: 1},
			List: []inner{{Rate: 1}, {Rate: 2}}}
	}
	for key, edit := range map[string]func(*config){
		"":             func(*config) {},
		"seed":         func(c *config) { c.Seed = 2 },
		"inner":        func(c *config) { c.Inner = nil },
		"inner.rate":   func(c *config) { c.Inner.Rate = 2 },
		"notes.dev":    func(c *config) { c.Notes["dev"] = 2 },
		"notes.test":   func(c *config) { c.Notes["test"] = 2 },
		"list[1].rate": func(c *config) { c.List[1].Rate = 3 },
		"list":         func(c *config) { c.List = c.List[:1] },
	} {
		other := fresh()
		edit(other)
		if got, from, to := Difference(fresh(), other); got != key || key != "" && fmt.Sprint(from) == fmt.Sprint(to) {
			t.Errorf("difference of %q (%v, %v), want %q", got, from, to, key)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add("name: x\nrate: 1e-05\nnotes: {a: 1}\n")
	f.Add("a: &x {b: *x}\n<<: *x\n? [c]\n: d")
	f.Fuzz(func(t *testing.T, raw string) {
		err := Decode("f", []byte(raw), &config{})
		if err != nil && !strings.HasPrefix(err.Error(), "f:") {
			t.Errorf("the error does not name the file: %v", err)
		}
	})
}

// Nesting 100,000 deep, or a million unknown keys, used to take all memory or
// minutes.
func TestHostileSizes(t *testing.T) {
	indented := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%*sa:\n", i, "")
		}
		return b.String()
	}
	for what, doc := range map[string]string{
		"braces":          strings.Repeat("{a: ", 100_000),
		"brackets":        "a: " + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000),
		"open brackets":   strings.Repeat("[", 1<<20),
		"in many lines":   strings.Repeat("[\n", 15_000),
		"dashes":          strings.Repeat("- ", 100_000) + "a",
		"question marks":  strings.Repeat("? ", 100_000) + "a",
		"indentation":     indented(1400),
		"unknown keys":    strings.Repeat("key: 1\n", 1_000_000),
		"different keys":  manyKeys(15_000),
		"aliases":         "a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\n",
		"carriage return": strings.Repeat("k: 1\r", 30_000),
		"quotes":          strings.Repeat("'a': \"b\"\n", 15_000),
		"colons":          strings.Repeat("a: ", 100_000),
		"tags":            strings.Repeat("!a ", 100_000),
		"anchors":         strings.Repeat("&a ", 100_000),
		"documents":       strings.Repeat("---\n", 19_000),
		"comments":        strings.Repeat("# [\n", 19_000),
		"block text":      "a: |\n" + strings.Repeat(" x\n", 19_000),
		"commas":          "a: [" + strings.Repeat(",", 300_000),
		"percent":         strings.Repeat("%a\n", 19_000),
	} {
		t.Run(what, func(t *testing.T) {
			var into struct {
				Name string `yaml:"name"`
			}
			if err := Decode("f.yaml", []byte(doc), &into); err == nil || len(err.Error()) > 1000 {
				t.Errorf("error %v", err)
			}
		})
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "key%d: %d\n", i, i)
	}
	return b.String()
}
