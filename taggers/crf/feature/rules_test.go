package feature

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/taggers/rules"
)

// A rule may match spaces at the ends of a document, after its last token or before its first. Other matches belong to the same
// tokens, whether a document begins and ends with spaces or not.
func TestRulesMatchSpacesAroundADocument(t *testing.T) {
	r, err := Open(Sources{Rules: []rules.Config{{File: write(t, filepath.Join(t.TempDir(), "r.yaml"), `types: any
rules:
- {name: spaces, type: SPACE, find: '\s+', match: ['a« »b'], not: ['ab']}
- {name: digits, type: NUMBER, find: '[0-9]+', match: ['«12»'], not: ['ab']}
`)}}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"12 a 3", "12 a 3\n", "\n\n  12 a 3 \n\n"} {
		var numbers []int
		for _, x := range texts(t, r, &data.Document{Text: text}) {
			ruleMatches(x, r, func(token int, value string) {
				if strings.Contains(value, "digits") {
					numbers = append(numbers, token)
				}
			})
		}
		if slices.Sort(numbers); !slices.Equal(numbers, []int{0, 2}) {
			t.Errorf("%q: numbers are tokens %v", text, numbers)
		}
	}
}
