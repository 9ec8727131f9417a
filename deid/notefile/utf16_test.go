package notefile

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
)

// utf16Forms are the ways in which a file can be in UTF-16.
var utf16Forms = []struct {
	big, mark bool
	encoding  string
}{
	{false, true, ""},
	{true, true, ""},
	{false, true, "latin1"},
	{false, true, "utf-16le"},
	{true, true, "UTF-16BE"},
	{false, false, "utf-16le"},
	{true, false, "utf-16be"},
}

// TestUTF16IsLikeUTF8 checks that a file in UTF-16 has the same notes on the same lines as the file in UTF-8, and is
// written as that file is, in its own encoding.
func TestUTF16IsLikeUTF8(t *testing.T) {
	for name, e := range examples {
		if e.options.Encoding == "" && utf8.ValidString(e.file) {
			for _, form := range utf16Forms {
				if form.mark && strings.HasPrefix(e.file, markup.BOM) {
					continue // it would have two byte order marks
				}
				sameAsUTF8(t, name, e, form.big, form.mark, form.encoding)
			}
		}
	}
}

func sameAsUTF8(t *testing.T, name string, e example, big, mark bool, encoding string) {
	t.Helper()
	wide := e
	wide.file, wide.options.Encoding = utf16Bytes(e.file, big, mark), encoding
	if mark {
		e.file = markup.BOM + e.file
	}
	want, wantNotes, wantWhole := edited(t, e)
	got, gotNotes, gotWhole := edited(t, wide)
	if wantWhole != gotWhole || !wantWhole {
		if wantWhole && (mark || strings.Contains(wide.file, "\x00")) { // otherwise it may look like text in another encoding
			t.Errorf("%s (big-endian %t, mark %t): cannot be read", name, big, mark)
		}
		return // the errors may be at other places
	}
	if got != utf16Bytes(want, big, false) {
		t.Errorf("%s (big-endian %t, mark %t):\n%q became\n%q, want\n%q", name, big, mark, wide.file, got, utf16Bytes(want, big, false))
	}
	if strings.Join(gotNotes, "\x00") != strings.Join(wantNotes, "\x00") {
		t.Errorf("%s (big-endian %t, mark %t): notes %q, want %q", name, big, mark, gotNotes, wantNotes)
	}
}

// edited reads a file and returns it with all words replaced, its notes with their lines, and whether no error
// occurred.
func edited(t *testing.T, e example) (file string, notes []string, whole bool) {
	t.Helper()
	f, err := Lookup(e.format)
	if err != nil {
		t.Fatal(err)
	}
	if f.Check(e.options) != nil {
		return "", nil, false
	}
	var out strings.Builder
	for r, err := range f.Read(strings.NewReader(e.file), e.name, e.options) {
		if err != nil {
			return "", nil, false
		}
		edits := make([][]Edit, len(r.Notes))
		for i, n := range r.Notes {
			edits[i] = wordEdits(n.Text)
			notes = append(notes, n.ID, strings.Repeat("\n", n.Line), n.Patient, n.Text)
		}
		raw, err := r.Encode(edits)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(raw)
	}
	return out.String(), notes, true
}

// A file with the byte order mark of UTF-8 was read in the encoding of the option, in which its letters beyond ASCII are others.
func TestTheMarkOfUTF8OutweighsTheEncoding(t *testing.T) {
	for _, e := range []example{
		{format: "text", name: "n.txt", file: markup.BOM + "Señora Muñoz."},
		{format: "csv", name: "n.csv", file: markup.BOM + "note\nSeñora Muñoz.\n", options: Options{Columns: []string{"note"}}},
		{format: "jsonl", name: "n.jsonl", file: markup.BOM + `{"text":"Señora Muñoz."}`},
	} {
		want, wantNotes, ok := edited(t, e)
		if !ok {
			t.Fatal(e.format)
		}
		for _, encoding := range []string{"windows-1252", "latin1"} {
			e.options.Encoding = encoding
			if got, notes, ok := edited(t, e); !ok || got != want || !slices.Equal(notes, wantNotes) {
				t.Errorf("%s, %s: %q, want %q", e.format, encoding, got, want)
			}
		}
		e.options.Encoding = "utf-16le"
		if got, _, ok := edited(t, e); ok {
			t.Errorf("%s is read as UTF-16: %q", e.format, got)
		}
	}
}

func TestInvalidUTF16(t *testing.T) {
	for name, c := range map[string]struct{ file, encoding, want string }{
		"a high half":              {"\xff\xfeA\x00\n\x00\x3d\xd8B\x00", "", "a.txt:2: half of a surrogate pair (offset 6)"},
		"a high half at the end":   {"\xff\xfeA\x00\x3d\xd8", "", "a.txt:1: half of a surrogate pair (offset 4)"},
		"a low half":               {"\xfe\xff\x00A\xde\x00\x00B", "", "a.txt:1: half of a surrogate pair (offset 4)"},
		"an odd number of bytes":   {"\xff\xfeA\x00B", "", "a.txt:1: half of a character of UTF-16 (offset 4)"},
		"the other order":          {"\xfe\xff\x00A", "utf-16le", "a.txt:1: the byte order mark of UTF-16 in the other byte order (offset 0)"},
		"UTF-32":                   {"\xff\xfe\x00\x00A\x00\x00\x00", "", "a.txt:1: a byte order mark of UTF-16 or UTF-32 in another encoding: convert the file to UTF-8 first (offset 0)"},
		"far into the file":        {"\xff\xfe" + strings.Repeat("A\x00\n\x00", 50_000) + "\x00\xdc", "", "a.txt:50001: half of a surrogate pair (offset 200002)"},
		"UTF-8 read as UTF-16":     {"Seen 3/4, by Dr. Gil", "utf-16le", "a.txt:1: not UTF-16: the file has one byte per character, or is in UTF-8 (offset 0)"},
		"Cyrillic in UTF-8":        {strings.Repeat("Пациент Иванов. ", 5000), "utf-16be", "a.txt:1: not UTF-16: the file has one byte per character, or is in UTF-8 (offset 0)"},
		"Latin-1":                  {"Visto por la Dra. Mu\xf1oz", "utf-16be", "a.txt:1: not UTF-16: the file has one byte per character, or is in UTF-8 (offset 0)"},
		"little as big":            {"S\x00e\x00e\x00n\x00", "utf-16be", "a.txt:1: the other byte order of UTF-16 (offset 0)"},
		"big as little":            {"\x00S\x00e\x00e\x00n", "utf-16le", "a.txt:1: the other byte order of UTF-16 (offset 0)"},
		"Chinese":                  {utf16Bytes("病人今天来到医院", true, false), "utf-16be", ""},
		"NUL characters in UTF-16": {"\xff\xfe\x00\x00A\x00\x00\x00B\x00\x00\x00C\x00", "", "a.txt:1: a byte order mark of UTF-16 or UTF-32 in another encoding: convert the file to UTF-8 first (offset 0)"},
	} {
		f, err := Lookup("text")
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, err := range f.Read(strings.NewReader(c.file), "a.txt", Options{Encoding: c.encoding}) {
			if err != nil {
				got = err.Error()
			}
		}
		if got != c.want {
			t.Errorf("%s: error %q, want %q", name, got, c.want)
		}
	}
}

// FuzzUTF16 checks that valid text in UTF-16 is handled as in UTF-8, and that no bytes make the reader panic or change
// when nothing is replaced.
func FuzzUTF16(f *testing.F) {
	kinds := []string{"text", "jsonl", "csv", "hl7"}
	for _, e := range examples {
		for i, kind := range kinds {
			if e.format == kind {
				f.Add(uint8(i), uint8(i), e.file) //nolint:gosec // there are four
			}
		}
	}
	f.Fuzz(func(t *testing.T, kind, form uint8, file string) {
		e := example{format: kinds[int(kind)%len(kinds)], name: "n", file: file}
		if e.format == "csv" {
			e.options.Columns = []string{"note"}
		}
		how := utf16Forms[int(form)%len(utf16Forms)]
		if utf8.ValidString(file) && !strings.HasPrefix(file, markup.BOM) && !strings.HasPrefix(file, "\x00") { // the latter looks like UTF-32
			sameAsUTF8(t, "fuzzed", e, how.big, how.mark, how.encoding)
		}
		e.options.Encoding = how.encoding
		roundTrip(t, e)
	})
}
