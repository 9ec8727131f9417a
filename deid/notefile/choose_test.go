package notefile

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	long := strings.Repeat("x", choosePeek)
	for _, c := range []struct{ name, content, want string }{
		{"a.txt", "{", "text"},
		{"a.TXT.gz", "", "text"},
		{"a.csv", "", "csv"},
		{"a.jsonl", `{"resourceType":"Patient"}`, "jsonl"},
		{"a.hl7", "", "hl7"},
		{"a.ndjson", "", "jsonl"},
		{"a.ndjson", "{\"text\":\"a\"}\n{\"text\":\"b\"}\n", "jsonl"},
		{"a.ndjson", "{\"id\":\"a\",\"resourceType\":\"Patient\"}\n", "fhir"},
		{"a.json", "\ufeff\n {\"a\": {\"resourceType\": \"resourceType\"}, \"b\": [\"resourceType\", \"x\"]}", "jsonl"},
		{"a.json", "{\"a\": \"resourceType\", \"resourceType\": \"Bundle\"}", "fhir"},
		{"a.json", `[{"resourceType":"Patient"}]`, "jsonl"},
		{"a.json", `{"text":"` + long + `","resourceType":"Patient"}`, ""},
		{"a.json", `{"text":"a"`, "jsonl"},
		{"a.xml", "<?xml version='1.0'?>\n<!-- <ROOT> -->\n<deIdi2b2>", "i2b2"},
		{"a.xml.gz", "<MEDDOCAN>", "meddocan"},
		{"a.xml", "<!DOCTYPE ROOT><ROOT>", "i2b2-2006"},
		{"a.xml", "<Patient xmlns='http://hl7.org/fhir'>", ""},
		{"a.xml", "\x00", ""},
		{"a.dat", "", "none"},
		{"a", "", "none"},
		{".txt", "", "none"},
	} {
		f, err := Choose(c.name, "", func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(c.content)), nil })
		got := "none"
		if err != nil {
			got = ""
		} else if f != nil {
			got = f.Name
		}
		if got != c.want {
			t.Errorf("%s with %.40q: %q, want %q; error %v", c.name, c.content, got, c.want, err)
		}
	}
	broken := errors.New("broken")
	if _, err := Choose("a.json", "", func() (io.ReadCloser, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

// TestFormatsWithTheSameExtension checks that each format that shares an extension can be told from the others.
func TestFormatsWithTheSameExtension(t *testing.T) {
	for _, f := range formats {
		for _, ext := range f.Exts {
			if some := candidates("a" + ext); len(some) > 1 && f.Sidecar == nil && f.recognizes == nil {
				t.Errorf("%s: nothing recognizes it among the formats of %s", f.Name, ext)
			}
			if otherKinds[ext] != "" {
				t.Errorf("%s: %s is listed as the extension of files that no format reads", f.Name, ext)
			}
		}
	}
}
