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
