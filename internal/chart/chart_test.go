package chart

import (
	"bytes"
	"compress/zlib"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func lines() *Chart {
	return &Chart{
		Title: "Learning <curves>", Description: `F1 & loss, "as they went"`,
		X: Axis{Label: "Epoch"}, Y: Axis{Label: "F1", Max: 1},
		Lines: []Line{
			{Name: "full", Points: []Point{{X: 1, Y: 0.5, Low: 0.4, High: 0.6}, {X: 2, Y: 0.75, Low: 0.7, High: 0.8}}},
			{Name: "año", Points: []Point{{X: 1, Y: 0.4, Low: 0.3, High: 0.5}, {X: 2, Y: 0.5, Low: 0.4, High: 0.6}}, Band: true, Style: Plain},
			{Points: []Point{{X: 1, Y: 0.1, Label: "PHONE"}, {X: 2, Y: 0.1, Label: "DATE"}}, Style: Marks},
		},
	}
}

func columns(horizontal bool) *Chart {
	return &Chart{
		Title: "Ablation", Y: Axis{Label: "F1", Max: 1},
		Bars: &Bars{
			Groups: []string{"full", "no CRF"}, Horizontal: horizontal,
			Series: []Series{{Name: "P", Bars: []Bar{{0.5, 0.4, 0.6}, {Value: 0.25}}}, {Name: "R", Bars: []Bar{{Value: 0.125}, {Value: 2}}}},
		},
	}
}

// texts parses an SVG, which must be well-formed, and returns its text.
func texts(t *testing.T, svg []byte) (all []string) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		if s, ok := token.(xml.CharData); ok && strings.TrimSpace(string(s)) != "" {
			all = append(all, string(s))
		}
	}
}

func TestSVG(t *testing.T) {
	svg, err := lines().SVG()
	if err != nil {
		t.Fatal(err)
	}
	got := texts(t, svg)
	for _, want := range []string{
		"Learning <curves>", `F1 & loss, "as they went"`, "Epoch", "F1", "full", "año", "PHONE", "DATE", "0.0", "0.2", "1.0",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("no text %q in %q", want, got)
		}
	}
	if !bytes.HasPrefix(svg, []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 250" role="img" aria-labelledby="chart-`)) {
		t.Errorf("head: %.200s", svg)
	}
	// Every colour is a variable with the colour as fallback, and the font is named once.
	for _, match := range regexp.MustCompile(`(?:fill|stroke):([^;"]*)`).FindAllSubmatch(svg, -1) {
		if v := string(match[1]); v != "none" && !regexp.MustCompile(`^var\(--chart-(ink|line|grid|[1-6]),#[0-9A-F]{6}\)$`).MatchString(v) {
			t.Errorf("colour %s", v)
		}
	}
	if n := bytes.Count(svg, []byte("Liberation")); n != 1 {
		t.Errorf("the font is named %d times", n)
	}
	other := lines()
	other.Description = "something else"
	second, err := other.SVG()
	if err != nil {
		t.Fatal(err)
	}
	id := regexp.MustCompile(`<title id="([^"]*)"`)
	if a, b := string(id.FindSubmatch(svg)[1]), string(id.FindSubmatch(second)[1]); a == b {
		t.Errorf("two charts have the id %s", a)
	}
}

// Bars end at their value: the second one of P is half as long as the first, and
// one that exceeds the axis ends with it.
func TestBars(t *testing.T) {
	box := regexp.MustCompile(`d="M([\d.]+),([\d.]+)L([\d.]+),([\d.]+)L([\d.]+),([\d.]+)L([\d.]+),([\d.]+)Z" style="fill:var\(--chart-(\d)`)
	for _, horizontal := range []bool{false, true} {
		svg, err := columns(horizontal).SVG()
		if err != nil {
			t.Fatal(err)
		}
		texts(t, svg)
		length := map[string][]float64{}
		for _, m := range box.FindAllStringSubmatch(string(svg), -1) {
			low, high := math.Inf(1), math.Inf(-1)
			for i := 1; i <= 8; i++ {
				if (i%2 == 0) != horizontal {
					v, err := strconv.ParseFloat(m[i], 64)
					if err != nil {
						t.Fatal(err)
					}
					low, high = min(low, v), max(high, v)
				}
			}
			length[m[9]] = append(length[m[9]], high-low)
		}
		p, r := length["1"], length["2"] // the samples in the legend come last
		if len(p) != 3 || len(r) != 3 {
			t.Fatalf("horizontal %v: %d and %d boxes", horizontal, len(p), len(r))
		}
		p, r = p[1:], r[1:]
		for i, want := range []float64{p[0] / 2, p[0] / 4, 2 * p[0]} {
			if got := []float64{p[1], r[0], r[1]}[i]; math.Abs(got-want) > 0.05 {
				t.Errorf("horizontal %v: bar %d is %v long, want %v", horizontal, i, got, want)
			}
		}
	}
}

func boxPlot() *Chart {
	return &Chart{
		Title: "Settings", Y: Axis{Label: "F1", Max: 1}, Height: 160,
		Boxes: &Boxes{
			Name: "all settings", Groups: []string{"All", "DATE"},
			Boxes: []Box{{0.2, 0.4, 0.5, 0.6, 1}, NewBox([]float64{0.5, 0.5})},
			Dots:  []Dots{{Name: "best", Values: []float64{0.8, 0.5}}},
		},
	}
}

// The first box is 0.2 of the axis wide, and its whiskers are 0.2 and 0.4. The second box has no width.
func TestBoxes(t *testing.T) {
	svg, err := boxPlot().SVG()
	if err != nil {
		t.Fatal(err)
	}
	if got := texts(t, svg); !slices.Contains(got, "all settings") || !slices.Contains(got, "best") || slices.Index(got, "All") < 0 || slices.Index(got, "DATE") < 0 {
		t.Errorf("texts %q", got)
	}
	places := func(pattern string) (widths []float64) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(svg), -1) {
			from, err := strconv.ParseFloat(m[1], 64)
			to, err2 := strconv.ParseFloat(m[2], 64)
			if err := errors.Join(err, err2); err != nil {
				t.Fatal(err)
			}
			widths = append(widths, to-from)
		}
		return widths
	}
	const number = `([\d.]+)`
	boxes := places(`d="M` + number + `,[\d.]+L` + number + `,[\d.]+L[\d.]+,[\d.]+L[\d.]+,[\d.]+Z" style="fill:var\(--chart-1`)
	lines := places(`d="M` + number + `,[\d.]+L` + number + `,[\d.]+" style="fill:none;stroke:var\(--chart-ink`)
	if len(boxes) != 3 || len(lines) != 8 { // with the sample in the legend
		t.Fatalf("boxes %v, lines %v", boxes, lines)
	}
	unit := boxes[1]
	for i, want := range []float64{1, 2, 0, 0} {
		if math.Abs(lines[i]/unit-want) > 0.01 {
			t.Errorf("line %d is %v, a box of 0.2 is %v", i, lines[i], unit)
		}
	}
	if boxes[2] != 0 {
		t.Errorf("the box of equal values is %v wide", boxes[2])
	}
}

// By hand: of 1, 2, 4, 8, the quartiles are at 0.75, 1.5 and 2.25 of the way from the first to the last.
func TestNewBox(t *testing.T) {
	if got, want := NewBox([]float64{8, 1, 4, 2}), (Box{1, 1.75, 3, 5, 8}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := NewBox([]float64{3}), (Box{3, 3, 3, 3, 3}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// Ten series look different, though there are only six colours.
func TestManySeries(t *testing.T) {
	many := &Chart{Bars: &Bars{Groups: []string{"a"}}}
	for range 10 {
		many.Bars.Series = append(many.Bars.Series, Series{Name: "x", Bars: []Bar{{Value: 0.5}}})
	}
	svg, err := many.SVG()
	if err != nil {
		t.Fatal(err)
	}
	solid := regexp.MustCompile(`Z" style="fill:var\(--chart-1,#0072B2\)"`).FindAll(svg, -1)
	tinted := regexp.MustCompile(`Z" style="fill:var\(--chart-1,#0072B2\);fill-opacity`).FindAll(svg, -1)
	if len(solid) != 2 || len(tinted) != 2 { // each with its sample in the legend
		t.Errorf("%d solid and %d tinted bars of the first colour", len(solid), len(tinted))
	}
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []*Chart{lines(), columns(false), {Title: "boxes", Boxes: boxPlot().Boxes}} {
		for _, ext := range []string{".svg", ".png", ".pdf"} {
			var content [2][]byte
			for i := range content {
				path := filepath.Join(dir, "chart"+ext)
				if err := c.Save(path); err != nil {
					t.Fatal(err)
				}
				var err error
				if content[i], err = os.ReadFile(path); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(content[0], content[1]) {
				t.Errorf("%s: %s differs from one time to the next", c.Title, ext)
			}
			switch ext {
			case ".svg":
				texts(t, content[0])
			case ".png":
				picture, err := png.Decode(bytes.NewReader(content[0]))
				if err != nil {
					t.Fatal(err)
				}
				if size := picture.Bounds().Size(); size.X != 1250 || size.Y < 781 || size.Y > 782 {
					t.Errorf("PNG of %v pixels", size)
				}
				if r, g, b, a := picture.At(0, 0).RGBA(); r&g&b&a != 0xffff {
					t.Error("the background is not white")
				}
			case ".pdf":
				if !bytes.HasPrefix(content[0], []byte("%PDF-1.7\n")) || !bytes.HasSuffix(content[0], []byte("%%EOF\n")) {
					t.Errorf("not a PDF: %.20q", content[0])
				}
			}
		}
	}
	for _, name := range []string{"chart.gif", "chart", "chart.png/chart.svg"} {
		if err := lines().Save(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

func TestBadCharts(t *testing.T) {
	for want, c := range map[string]*Chart{
		`chart "": nothing to draw`:                                                     {},
		`chart "x": nothing to draw`:                                                    {Title: "x", Bars: &Bars{}},
		`chart "": line "a": point 1 is not finite`:                                     {Lines: []Line{{Name: "a", Points: []Point{{}, {Y: math.NaN()}}}}},
		`chart "": lines, bars and boxes cannot be combined`:                            {Lines: []Line{{}}, Bars: &Bars{}},
		`chart "": series "s": 1 bars for 2 groups`:                                     {Bars: &Bars{Groups: []string{"a", "b"}, Series: []Series{{Name: "s", Bars: make([]Bar, 1)}}}},
		`chart "": series "s": bar 0 is not finite`:                                     {Bars: &Bars{Groups: []string{"a"}, Series: []Series{{Name: "s", Bars: []Bar{{Value: math.Inf(1)}}}}}},
		`chart "": axis "n": [2, 1] is not a range`:                                     {X: Axis{Label: "n", Min: 2, Max: 1}},
		`chart "": 1 boxes for 2 groups`:                                                {Boxes: &Boxes{Groups: []string{"a", "b"}, Boxes: make([]Box, 1)}},
		`chart "": box 0 is not five ascending finite numbers`:                          {Boxes: &Boxes{Groups: []string{"a"}, Boxes: []Box{{Low: 2, High: 1}}}},
		`chart "": dots "d" are not one finite number per group`:                        {Boxes: &Boxes{Groups: []string{"a"}, Boxes: make([]Box, 1), Dots: []Dots{{Name: "d"}}}},
		`chart "": a size is negative`:                                                  {Width: -1},
		`chart "": bars start at 0, which a logarithmic scale does not have`:            {Y: Axis{Log: true}, Bars: &Bars{Groups: []string{"a"}, Series: []Series{{Bars: make([]Bar, 1)}}}},
		`chart "": line "a": point 0 is not positive, as a logarithmic scale requires`:  {X: Axis{Log: true}, Lines: []Line{{Name: "a", Points: []Point{{}}}}},
		`chart "": line "a": point 0 is not in [0, 1], as a scale of log-odds requires`: {Y: Axis{Logit: true}, Lines: []Line{{Name: "a", Points: []Point{{High: 1.5}}}}},
		`chart "": axis "n": log-odds require lines, and a range above 0 and below 1`:   {Y: Axis{Label: "n", Logit: true, Max: 0.9}, Lines: []Line{{Points: []Point{{}}}}},
	} {
		if _, err := c.SVG(); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// Degenerate charts are drawn, too.
func TestOddCharts(t *testing.T) {
	one := []Line{{Points: []Point{{X: 3, Y: 0.5, Label: strings.Repeat("long ", 100)}}, Style: Marks}}
	for name, c := range map[string]*Chart{
		"one point":             {Lines: one},
		"one point, log":        {Lines: one, X: Axis{Log: true}, Y: Axis{Log: true}},
		"all zero":              {Lines: []Line{{Points: []Point{{}, {X: 1}}}}},
		"negative":              {Lines: []Line{{Points: []Point{{X: -1, Y: -5}, {X: 1, Y: 5}}}}},
		"outside the view":      {Lines: one, X: Axis{Min: 10, Max: 20}, Y: Axis{Min: 1, Max: 2}},
		"log-odds of 0 and 1":   {Lines: []Line{{Points: []Point{{X: 0, Y: 1, Low: 0.5, High: 1}, {X: 1, Y: 0, High: 0.5}}}}, X: Axis{Logit: true}, Y: Axis{Logit: true}},
		"one point, log-odds":   {Lines: []Line{{Points: []Point{{X: 0.5, Y: 1}}}}, X: Axis{Logit: true}, Y: Axis{Logit: true}},
		"wide range":            {Lines: []Line{{Points: []Point{{X: 1e-6, Y: 1e9}, {X: 1e6, Y: 1e-9}}}}, X: Axis{Log: true}},
		"bars without height":   {Bars: &Bars{Groups: []string{"a"}, Series: []Series{{Bars: make([]Bar, 1)}}}},
		"bars below zero":       {Bars: &Bars{Groups: []string{"a"}, Series: []Series{{Bars: []Bar{{Value: -3, Low: -4, High: 1}}}}}},
		"more series than inks": {Lines: slices.Repeat(one, 9)},
	} {
		if svg, err := c.SVG(); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
			t.Errorf("%s: not a number in %s", name, svg)
		} else {
			texts(t, svg)
		}
	}
}

// The line enters the view at x = 0, and leaves it through the upper edge.
func TestClip(t *testing.T) {
	view := box{0, 0, 10, 10}
	path := []point{{-2, 8}, {2, 8}, {5, 5}, {5, -5}, {20, -5}, {20, 5}, {8, 5}}
	if got, want := view.clip(path), [][]point{{{0, 8}, {2, 8}, {5, 5}, {5, 0}}, {{10, 5}, {8, 5}}}; !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := view.clipPolygon([]point{{5, 5}, {15, 5}, {15, 8}, {5, 8}}), []point{{5, 5}, {10, 5}, {10, 8}, {5, 8}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := view.clipPolygon([]point{{11, 5}, {15, 5}, {15, 8}}); len(got) > 0 {
		t.Errorf("a polygon outside of the view has the part %v in it", got)
	}
}

func TestDashed(t *testing.T) {
	got := dashed([]point{{0, 0}, {5, 0}, {5, 6}}, []float64{4, 2})
	if want := [][]point{{{0, 0}, {4, 0}}, {{5, 1}, {5, 5}}}; !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A bar that is as high as the plot is in the middle of the picture.
func TestPNG(t *testing.T) {
	half := &Chart{Y: Axis{Max: 1}, Bars: &Bars{Groups: []string{""}, Series: []Series{{Bars: []Bar{{Value: 1}}}}}, Width: 72, Height: 72}
	encoded, err := half.encode(".png")
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(encoded))
	if err != nil {
		t.Fatal(err)
	}
	if r, g, b, _ := picture.At(112, 100).RGBA(); (ink{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}) != palette[0] {
		t.Errorf("the bar has the colour %x %x %x", r, g, b)
	}
}

// Each entry of the table of objects is the offset of its object, and all text is
// in the table of characters.
func TestPDF(t *testing.T) {
	encoded, err := lines().encode(".pdf")
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.LastIndex(encoded, []byte("xref\n0 11\n"))
	table, end, found := strings.Cut(string(encoded[at:]), "startxref\n")
	if !found || !strings.HasPrefix(end, strconv.Itoa(strings.LastIndex(string(encoded), "\nxref\n")+1)+"\n") {
		t.Errorf("the table of objects is not at %.20s", end)
	}
	for i, m := range regexp.MustCompile(`(\d{10}) 00000 n`).FindAllStringSubmatch(table, -1) {
		offset, err := strconv.Atoi(m[1])
		if want := strconv.Itoa(i+1) + " 0 obj\n"; err != nil || !bytes.HasPrefix(encoded[offset:], []byte(want)) {
			t.Errorf("object %d is not at %s", i+1, m[1])
		}
	}
	_, after, _ := bytes.Cut(encoded, []byte("7 0 obj\n"))
	_, compressed, _ := bytes.Cut(after, []byte("stream\n"))
	z, err := zlib.NewReader(bytes.NewReader(compressed))
	if err != nil {
		t.Fatal(err)
	}
	characters, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range "añoPHONE0.2" {
		if !bytes.Contains(characters, fmt.Appendf(nil, "> <%04X> endbfchar", r)) {
			t.Errorf("no %c in %s", r, characters)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, tc := range []struct {
		axis      Axis
		low, high float64
		round     bool
		min, max  float64
		want      string
	}{
		{Axis{}, 0, 1, true, 0, 1, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{Axis{}, 0.913, 0.984, true, 0.9, 1, "0.90 0.92 0.94 0.96 0.98 1.00"},
		{Axis{}, 0, 0.012, true, 0, 0.0125, "0.0000 0.0025 0.0050 0.0075 0.0100 0.0125"},
		{Axis{}, 1, 60, false, 1, 60, "20 40 60"},
		{Axis{}, 0, 25000, true, 0, 25000, "0 5,000 10,000 15,000 20,000 25,000"},
		{Axis{}, -0.3, 0.3, true, -0.4, 0.4, "-0.4 -0.2 0.0 0.2 0.4"},
		{Axis{Min: 0.85, Max: 1}, 0, 7, true, 0.85, 1, "0.85 0.90 0.95 1.00"},
		{Axis{}, 5, 5, true, 4.4, 5.6, "4.4 4.6 4.8 5.0 5.2 5.4 5.6"},
		{Axis{Log: true}, 20, 600, false, 20, 600, "20 50 100 200 500"},
		{Axis{Log: true}, 230, 830, false, 230, 830, "300 400 500 600 700 800"},
		{Axis{Log: true}, 3, 12000, false, 3, 12000, "10 100 1,000 10,000"},
		{Axis{Log: true}, 0.02, 0.5, false, 0.02, 0.5, "0.02 0.05 0.1 0.2 0.5"},
		{Axis{Logit: true, Min: 0.001, Max: 0.999}, 0, 1, true, 0.001, 0.999, "0.001 0.01 0.1 0.5 0.9 0.99 0.999"},
		{Axis{Logit: true, Min: 0.9, Max: 0.99}, 0, 1, true, 0.9, 0.99, "0.9 0.95 0.98 0.99"},
		{Axis{Logit: true}, 0, 1, true, 0.001, 0.999, "0.001 0.01 0.1 0.5 0.9 0.99 0.999"},
		{Axis{Logit: true}, 0.5, 0.5, true, 0.25, 0.75, "0.5"},
	} {
		s := tc.axis.scaled(tc.low, tc.high, tc.round)
		var got []string
		for _, tick := range s.ticks {
			got = append(got, tick.label)
		}
		if strings.Join(got, " ") != tc.want || math.Abs(s.min-tc.min) > 1e-12 || math.Abs(s.max-tc.max) > 1e-12 {
			t.Errorf("%+v [%v, %v]: [%v, %v] %s, want [%v, %v] %s", tc.axis, tc.low, tc.high, s.min, s.max, strings.Join(got, " "), tc.min, tc.max, tc.want)
		}
	}
}

func TestLogitScale(t *testing.T) {
	for p, want := range map[float64]float64{0.01: 0, 0.1: (4.5951 - 2.1972) / (2 * 4.5951), 0.5: 0.5, 0.99: 1} {
		if got := (scale{min: 0.01, max: 0.99, warp: logit}).share(p); math.Abs(got-want) > 1e-4 {
			t.Errorf("%v lies at %v, want %v", p, got, want)
		}
	}
}

// WCAG 2.2 requires a contrast of 4.5:1 for text (1.4.3) and of 3:1 for
// meaningful graphics (1.4.11).
func TestContrast(t *testing.T) {
	luminance := func(i ink) float64 {
		part := func(v uint8) float64 {
			c := float64(v) / 255
			if c <= 0.04045 {
				return c / 12.92
			}
			return math.Pow((c+0.055)/1.055, 2.4)
		}
		return 0.2126*part(i.r) + 0.7152*part(i.g) + 0.0722*part(i.b)
	}
	onPaper := func(i ink) float64 { return (luminance(paper) + 0.05) / (luminance(i) + 0.05) }
	for _, c := range append(slices.Clone(palette), axis) {
		if onPaper(c) < 3 {
			t.Errorf("%s: %.2f", c.hex(), onPaper(c))
		}
	}
	if onPaper(text) < 4.5 {
		t.Errorf("text: %.2f", onPaper(text))
	}
}

// The epochs of a training had ticks at 2.5 and 7.5.
func TestWholeTicksOfEpochs(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{1, 10, "2 4 6 8 10"}, {1, 11, "2 4 6 8 10"}, {1, 12.5, "5 10"}, {1, 3, "1 2 3"}, {1, 30, "10 20 30"}, {0, 1, "0 1"},
	} {
		var got []string
		for _, k := range (Axis{Whole: true}).scaled(c.low, c.high, false).ticks {
			got = append(got, k.label)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("[%v, %v]: %s, want %s", c.low, c.high, got, c.want)
		}
	}
}
