package surrogate

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/surrogates.tsv anew")

// TestSurrogatesOfAnEarlierRelease: with the same key, a rerun gives the same surrogates, whatever has changed in the code. Each line has a language,
// a sort, a value and its surrogate.
func TestSurrogatesOfAnEarlierRelease(t *testing.T) {
	const file = "testdata/surrogates.tsv"
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := map[Language][]Mention{}
	for line := range strings.Lines(string(want)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		lang := Language(f[0])
		all[lang] = append(all[lang], Mention{Note: "a", Sort: Sort(f[1]), Text: f[2]})
	}
	var got strings.Builder
	for _, lang := range []Language{English, Spanish} {
		p := patient(t, Options{Language: lang}, all[lang])
		for _, m := range all[lang] {
			got.WriteString(strings.Join([]string{string(lang), string(m.Sort), m.Text, must(t, p, m.Sort, m.Text)}, "\t") + "\n")
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	old := strings.Split(string(want), "\n")
	for i, line := range strings.Split(got.String(), "\n") {
		if i >= len(old) || line != old[i] {
			t.Errorf("line %d is now %q", i+1, line)
		}
	}
}
