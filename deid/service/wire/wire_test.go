package wire

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
)

func TestOffsetsCutTheSameTextInAllUnits(t *testing.T) {
	for _, text := range []string{"", "plain", "\ufeffOda\r\nÅsa", "👩🏽‍⚕️ e\u0301 שלום", strings.Repeat("é👍x\r\n", 900), strings.Repeat("a", 600) + "👍"} {
		x := NewIndex(text)
		points, units := []rune(text), utf16.Encode([]rune(text))
		for at := range text {
			o := x.At(at)
			if got := string(points[o.CodePoint:]); o.UTF8 != at || got != text[at:] {
				t.Fatalf("byte %d of %d: code point %d", at, len(text), o.CodePoint)
			}
			if got := string(utf16.Decode(units[o.UTF16:])); got != text[at:] {
				t.Fatalf("byte %d of %d: unit %d", at, len(text), o.UTF16)
			}
			if got := x.AtCodePoint(o.CodePoint); got != o {
				t.Fatalf("code point %d: %+v instead of %+v", o.CodePoint, got, o)
			}
			for _, p := range []Position{{UTF8: &o.UTF8}, {UTF16: &o.UTF16}, {CodePoint: &o.CodePoint}, {&o.UTF8, &o.UTF16, &o.CodePoint}} {
				if back, err := x.Byte(p); err != nil || back != at {
					t.Fatalf("byte %d: came back as %d (%v)", at, back, err)
				}
			}
		}
		if beyond := x.AtCodePoint(len(text) + 1); beyond != x.End() {
			t.Fatalf("beyond the end: %+v", beyond)
		}
		if end := x.At(len(text)); end != x.End() || end != (Offset{len(text), len(units), utf8.RuneCountInString(text)}) {
			t.Fatalf("end of %d bytes: %+v", len(text), end)
		}
	}
}

func TestPositionsThatAreNone(t *testing.T) {
	at := func(n int) *int { return &n }
	x := NewIndex("a👍é")
	for _, p := range []Position{{}, {UTF8: at(2)}, {UTF16: at(2)}, {UTF8: at(8)}, {UTF16: at(5)}, {CodePoint: at(4)}, {UTF8: at(-1)}, {UTF8: at(1), UTF16: at(3)}} {
		if got, err := x.Byte(p); err == nil {
			t.Errorf("%v: byte %d instead of an error", p, got)
		}
	}
}

func TestSpansOfARequest(t *testing.T) {
	at := func(n int) Position { return Position{UTF16: &n} }
	x := NewIndex("👍 Oda")
	got, err := x.Read([]GivenSpan{{Type: "PATIENT", Start: at(3), End: at(6)}}, data.I2B2)
	if want := []data.Span{{Start: 5, End: 8, Type: "PATIENT", Score: 1}}; err != nil || !cmp.Equal(got, want) {
		t.Fatalf("got %v, %v", got, err)
	}
	for _, wrong := range []GivenSpan{{Type: "PATIENT", Start: at(3), End: at(3)}, {Type: "PATIENT", Start: at(3), End: at(99)}, {Type: "NONE", Start: at(3), End: at(6)}, {Start: at(3), End: at(6)}} {
		if _, err := x.Read([]GivenSpan{wrong}, data.I2B2); err == nil || !strings.HasPrefix(err.Error(), "spans[0]: ") {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}

func TestRequestsAreReadStrictly(t *testing.T) {
	var into struct {
		Text  string   `json:"text"`
		Notes []string `json:"notes"`
	}
	for body, status := range map[string]int{
		`{"text":"x"}`:                  0,
		`{"txet":"Oda"}`:                400,
		`{"text":"x"} {}`:               400,
		`{"text":3}`:                    400,
		`{"notes":"Oda"}`:               400,
		`{"text":"Oda`:                  400,
		"":                              400,
		"{\"text\":\"\xff\"}":           400,
		strings.Repeat("[", 100_000):    400,
		`{"text":"` + bigText + `"}`:    413,
		`{"text":"x","text":{"a":"b"}}`: 400,
		`{"text":"x","text":"Oda"}`:     400,
		`{"Text":"Oda"}`:                400,
		`{"text":"Oda \ud83d"}`:         400,
	} {
		r := httptest.NewRequest("POST", "/", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json; charset=utf-8")
		r.Body = http.MaxBytesReader(httptest.NewRecorder(), r.Body, 200_000)
		err := Decode(r, &into)
		if status == 0 {
			if err != nil {
				t.Errorf("%s: %v", body, err)
			}
			continue
		}
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Status != status || strings.Contains(e.Message, "Oda") {
			t.Errorf("%.40s: %v", body, err)
		}
	}
	r := httptest.NewRequest("POST", "/", strings.NewReader("{}"))
	if e, ok := errors.AsType[*Error](Decode(r, &into)); !ok || e.Status != 415 {
		t.Errorf("without a content type: %v", e)
	}
}

var bigText = strings.Repeat("x", 300_000)
