package convert

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data/format"
)

// Lines returns one line for each kind of loss, for people.
func (c *Converter) Lines() (lines []string) {
	l, name := &c.Losses, c.To.Name
	say := func(n int, format string, args ...any) {
		if n > 0 {
			lines = append(lines, fmt.Sprintf(format, args...)+fmt.Sprintf(": %d", n))
		}
	}
	if c.To.Limits.Patients == format.ByID {
		say(l.Patients, "patients that are lost, because %s has them only in IDs such as 110-04 (notes)", name)
	} else {
		say(l.Patients, "patients that are lost, because %s does not contain them (notes)", name)
	}
	say(l.Added, "notes that get a patient, because their ID is one such as 110-04")
	if c.ID != "" {
		say(l.IDs, "ids that become the name of the file")
	} else {
		say(l.IDs, "ids that change, because %s cannot contain them", name)
	}
	say(l.Spans, "spans that are left out, because %s contains only text", name)
	say(l.Overlapping, "spans that are left out, because they overlap a longer one or one at the same place, which %s cannot contain", name)
	say(l.Blank, "spans that are left out, because they contain no token")
	say(l.Scores, "spans whose score is lost, because %s does not contain scores", name)
	say(l.Inside, "spans that begin or end inside a token, which is divided there")
	say(l.Texts, "notes whose text changes to their tokens with spaces between them and one sentence per line, because %s contains only tokens", name)
	say(l.Columns, "columns of notes that are left out, because %s does not contain columns", name)
	say(l.Values, "values of columns that are left out, because no token begins in them, or all that do have another")
	say(l.Characters, "characters that XML does not allow and that are replaced, most of them by spaces")
	if len(l.Others) > 0 {
		var types []string
		for _, typ := range slices.Sorted(maps.Keys(l.Others)) {
			types = append(types, fmt.Sprintf("%s %d", typ, l.Others[typ]))
		}
		lines = append(lines, fmt.Sprintf("spans of types that are kept, but that the type set %s lacks, so that the output must be read with --types any: %s", c.Types.Name, strings.Join(types, ", ")))
	}
	return lines
}
