package rules

import (
	"runtime"
	"strings"
	"testing"
)

// Lines of a megabyte, with only brackets, only digits and so on: the spans are right,
// and the memory is limited to a few times the text. BenchmarkSpans measures the time.
func TestAdversarialTexts(t *testing.T) {
	set, err := Builtin("liu2017")
	if err != nil {
		t.Fatal(err)
	}
	const size = 1 << 20
	for _, kind := range adversarial[1:] {
		text := kind.text(size)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		spans := set.Spans(text)
		runtime.ReadMemStats(&after)
		if want := strings.Count(text, "555-555-1234"); len(spans) != want {
			t.Errorf("%s: %d spans, want %d", kind.name, len(spans), want)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > 16*size {
			t.Errorf("%s: %d bytes allocated for a text of %d", kind.name, got, len(text))
		}
	}
}

// PHI at the end of such a text is still found.
func TestAfterAdversarialText(t *testing.T) {
	for _, name := range []string{"english", "spanish"} {
		set, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		const last = " jroe@clinic.example"
		for _, kind := range adversarial[1:] {
			text := kind.text(20_000) + last
			spans := set.Spans(text)
			if len(spans) == 0 || spans[len(spans)-1].Start != len(text)-len(last)+1 || spans[len(spans)-1].End != len(text) {
				t.Errorf("%s: %s: the address at the end was not found", name, kind.name)
			}
		}
	}
}
