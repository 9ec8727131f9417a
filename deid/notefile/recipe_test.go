package notefile

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
)

// readToy reads lines of an author, a colon and a note, with % encoded as %25 and line ends as %0A.
func readToy(in *base.Source, _ Options) Records {
	written := strings.NewReplacer("%", "%25", "\n", "%0A").Replace
	return base.Lines(in, func(raw []byte, line, offset int) (*Record, error) {
		if err := in.CheckUTF8(raw, line, offset); err != nil {
			return nil, err
		}
		author, text, found := bytes.Cut(bytes.TrimSuffix(raw, []byte("\n")), []byte(":"))
		if !found {
			return nil, in.Defect(line, -1, "a line without a colon")
		}
		v := &markup.View{Encode: written}
		for at, rest := len(author)+1, string(text); rest != ""; {
			n := strings.IndexByte(rest, '%')
			if n < 0 {
				n = len(rest)
			}
			v.Verbatim(at, rest[:n])
			if at, rest = at+n, rest[n:]; rest != "" {
				if len(rest) < 3 {
					return nil, in.Defect(line, -1, "half an escape")
				}
				v.Stands(markup.Escape, at, 3, map[string]string{"%25": "%", "%0A": "\n"}[rest[:3]])
				at, rest = at+3, rest[3:]
			}
		}
		doc := &data.Document{ID: fmt.Sprintf("%s-%d", in.ID(), line), Text: v.Text.String()}
		return &Record{Raw: raw, Line: line, Notes: []*Note{{Document: doc, Line: line, Below: v.Below}}}, nil
	})
}

// Adding a format requires a function that reads it and one value of the table.
func TestRecipe(t *testing.T) {
	before := formats
	defer func() { formats = before }()
	formats = append(slices.Clone(formats), &Format{Name: "toy", Exts: []string{".toy"}, Unchanged: "names of files and authors", read: readToy})

	f, err := Lookup("toy")
	if err != nil || !slices.Contains(Names(), "toy") || !f.Takes("a.toy.gz") || f.Takes("a.txt") || f.Check(Options{Columns: []string{"x"}}) == nil {
		t.Fatalf("%v, %v", f, err)
	}
	e := example{"toy", "a.toy", "Ana Gil: seen by Gil%0AGil, 7%25\nVance:\n", Options{}}
	roundTrip(t, e)
	if got, want := encode(readAll(t, e), each("Gil", "[\n%]")), "Ana Gil: seen by [%0A%25]%0A[%0A%25], 7%25\nVance:\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := items(example{"toy", "a.toy", "no colon\nAna: \n", Options{}}); !slices.Equal(got, []string{"a.toy:1: a line without a colon", "a-2"}) {
		t.Errorf("%q", got)
	}
	if got := items(example{"csv", "a.toy", "note\nx\n", Options{Columns: []string{"note"}}}); len(got) != 2 || !strings.HasSuffix(got[1], "not of the format csv, but of toy") {
		t.Errorf("%q", got)
	}
}
