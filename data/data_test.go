package data

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheck(t *testing.T) {
	for what, tc := range map[string]struct {
		text  string
		spans []Span
		want  string // "" is no error
	}{
		"empty":               {"", nil, ""},
		"whole text":          {"Zoë", []Span{{0, 4, "PATIENT", 1}}, ""},
		"overlap":             {"Zoë", []Span{{0, 4, "PATIENT", 1}, {0, 2, "PATIENT", 1}}, ""},
		"not UTF-8":           {"Zo\xeb", nil, "document d: invalid UTF-8 at byte 2"},
		"beyond":              {"Zoë", []Span{{0, 5, "PATIENT", 1}}, "document d: span 0 [0,5) lies beyond the text of 4 bytes"},
		"negative":            {"Zoë", []Span{{0, 4, "PATIENT", 1}, {-1, 4, "PATIENT", 1}}, "document d: span 1 [-1,4) lies beyond the text of 4 bytes"},
		"empty span":          {"Zoë", []Span{{2, 2, "PATIENT", 1}}, "document d: span 0 [2,2) is empty or reversed"},
		"reversed":            {"Zoë", []Span{{2, 1, "PATIENT", 1}}, "document d: span 0 [2,1) is empty or reversed"},
		"start in code point": {"Zoë", []Span{{3, 4, "PATIENT", 1}}, "document d: span 0 [3,4) cuts a code point"},
		"end in code point":   {"Zoë", []Span{{0, 3, "PATIENT", 1}}, "document d: span 0 [0,3) cuts a code point"},
	} {
		got := ""
		if err := (&Document{ID: "d", Text: tc.text, Spans: tc.spans}).Check(); err != nil {
			got = err.Error()
		}
		if got != tc.want {
			t.Errorf("%s: error %q, want %q", what, got, tc.want)
		}
	}
}

func TestGroup(t *testing.T) {
	if got := (&Document{ID: "110-04", Patient: "110"}).Group(); got != "110" {
		t.Error(got)
	}
	if got := (&Document{ID: "110-04"}).Group(); got != "110-04" {
		t.Error(got)
	}
}

func TestSortSpans(t *testing.T) {
	got := []Span{{3, 4, "A", 1}, {0, 2, "B", 1}, {0, 2, "A", 1}, {0, 5, "C", 1}}
	SortSpans(got)
	want := []Span{{0, 5, "C", 1}, {0, 2, "A", 1}, {0, 2, "B", 1}, {3, 4, "A", 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCollect(t *testing.T) {
	broken := errors.New("broken")
	source := func(yield func(*Document, error) bool) {
		_ = yield(&Document{ID: "a"}, nil) && yield(nil, broken) && yield(&Document{ID: "b"}, nil)
	}
	if docs, err := Collect(source); !errors.Is(err, broken) || docs != nil {
		t.Errorf("%v, %v", docs, err)
	}
	docs, err := Collect(func(yield func(*Document, error) bool) { yield(&Document{ID: "a"}, nil) })
	if err != nil || len(docs) != 1 || docs[0].ID != "a" {
		t.Errorf("%v, %v", docs, err)
	}
}

func TestError(t *testing.T) {
	cause := errors.New("cause")
	for want, e := range map[string]*Error{
		"f.xml: bad":                     {Path: "f.xml", Offset: -1, Reason: "bad"},
		"f.xml:3: bad (offset 0)":        {Path: "f.xml", Line: 3, Reason: "bad"},
		"f.xml:3: bad (offset 7): cause": {Path: "f.xml", Line: 3, Offset: 7, Reason: "bad", Err: cause},
		"f.xml: cannot be read: cause":   {Path: "f.xml", Offset: -1, Reason: "cannot be read", Err: cause},
	} {
		if got := e.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if errors.Is(e, cause) != strings.HasSuffix(want, "cause") {
			t.Errorf("%q: wrong cause", want)
		}
	}
}
