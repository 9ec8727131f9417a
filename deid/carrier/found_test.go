package carrier

import (
	"slices"
	"strings"
	"testing"
)

// htmlNote is the text of an attachment in HTML.
func htmlNote(t *testing.T, source string) string {
	t.Helper()
	return readAll(t, example{"fhir", "d.json", fhirBinary("text/html", source), Options{}})[0].Notes[0].Text
}

// Tags of blocks once did not show, so that what stood before and after them became one word.
func TestWordsOnBothSidesOfATagAreNotJoined(t *testing.T) {
	lines := strings.FieldsFunc(htmlNote(t, "<html><head><title>SSN 987-65-4320</title><body>1 visit"), func(r rune) bool { return r == '\n' })
	if !slices.Equal(lines, []string{"SSN 987-65-4320", "1 visit"}) {
		t.Errorf("%q", lines)
	}
	for _, name := range strings.Fields(`html head title body summary details legend fieldset figcaption figure center nav main article aside header footer rt rp ruby
		script style option select button label textarea caption object form dialog menu template noscript iframe canvas svg p div li td th tr
		h1 h6 hr br link meta base input output col colgroup map area audio video picture source embed param frame frameset noframes hgroup search slot
		datalist optgroup meter progress track dd dt dl ol ul pre blockquote address section table tbody thead tfoot math xmp listing`) {
		for _, tag := range []string{"<" + name + ">", "</" + name + ">", "<" + strings.ToUpper(name) + " class=x >", "<" + name + "/>"} {
			if text := htmlNote(t, "<p>987-65-4320"+tag+"1 visit</p>"); !slices.Contains(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\t' }), "987-65-4320") {
				t.Errorf("%s: %q", tag, text)
			}
		}
	}
	for _, name := range strings.Fields("a b i u em strong span font small big sub sup mark s del ins code tt abbr acronym cite q kbd samp var bdi bdo wbr time data") {
		if text := htmlNote(t, "A<"+name+">n</"+name+">a"); text != "Ana" {
			t.Errorf("%s: %q", name, text)
		}
	}
}

// A line of a text that merely begins like a header or trailer of a batch was passed as one.
func TestLinesThatBeginLikeBatchSegmentsAreRefused(t *testing.T) {
	const head, text = "FHS|^~\\&|x\rBHS|^~\\&|y\r", "OBX|1|TX|||Seen"
	for _, line := range []string{"BTS, by X", "BTS: X", "FTS- X", "FHS' X", "BHS-X", "BHS|by X", "FHS|X|", "FHS||X", "BTS by", "BTS^X", "FTS!1", "BTS|by X", "FTS|X", "BHS|^~\\&by X", "FHS.,:; X", "BTS,1", "MSH, by X", "MSH|by X|"} {
		line += canary
		for name, file := range map[string]string{
			"in a message":    head + msg(text, line, "OBX|2|TX|||more") + "BTS|1\rFTS|1\r",
			"without headers": msg(text, line),
			"before MSH":      head + line + "\r" + msg(text) + "BTS|1\rFTS|1\r",
			"at the start":    line + "\r" + msg(text),
			"after FTS":       head + msg(text) + "BTS|1\rFTS|1\r" + line,
			"after BTS":       head + msg(text) + "BTS|1\r" + line + "\rFTS|1\r",
		} {
			if o := replaceCanaries(example{"hl7", "m.hl7", file, Options{}}); len(o.errs) == 0 || leak(o.out) != "" {
				t.Errorf("%s, %s: %d errors, %q", name, line, len(o.errs), o.out)
			}
		}
	}
	for name, file := range map[string]string{
		"FTS twice":         head + msg(text) + "BTS|1\rFTS|1\rFTS|1\r",
		"BTS twice":         head + msg(text) + "BTS|1\rBTS|1\rFTS|1\r",
		"BTS after FTS":     head + msg(text) + "BTS|1\rFTS|1\rBTS\r",
		"BTS without a BHS": "FHS|^~\\&|x\rBTS|1\r" + msg(text),
	} {
		if o := replaceCanaries(example{"hl7", "m.hl7", file, Options{}}); len(o.errs) == 0 {
			t.Errorf("%s is not refused", name)
		}
	}
	for name, file := range map[string]string{
		"a batch":               head + msg(text) + msg(text) + "BTS|2\rFTS|1\r",
		"two batches":           head + msg(text) + "BTS|1|x\rBHS|^~\\&\r" + msg(text) + "BTS\rFTS\r",
		"without headers":       msg(text) + "BTS|1\rFTS|1\r",
		"without trailers":      head + msg(text) + head + msg(text),
		"an empty batch":        head + "BTS|0\rFTS|1\r",
		"two files":             head + msg(text) + "BTS|1\rFTS|1\r" + head + msg(text) + "BTS|1\rFTS|1\r",
		"a batch of its own":    "BHS|^~\\&#|y\r" + msg(text) + "BTS|1\r",
		"separators of its own": "BHS!*%$@!y\r" + msg(text) + "BTS!1!x\r",
	} {
		records := readAll(t, example{"hl7", "m.hl7", file, Options{}})
		if got := encode(records, none); got != file {
			t.Errorf("%s: %q", name, got)
		}
	}
}
