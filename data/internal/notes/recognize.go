package notes

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// FirstKeys returns the keys of the first object of a JSON file, perhaps in an array, as far as they are in the first bytes
// of the file. Of anything else it returns none.
func FirstKeys(head []byte) (keys []string) {
	d := jsontext.NewDecoder(bytes.NewReader(bytes.TrimPrefix(head, []byte(BOM))))
	if d.PeekKind() == '[' {
		_, _ = d.ReadToken()
	}
	if d.PeekKind() != '{' {
		return nil
	}
	_, _ = d.ReadToken()
	for d.PeekKind() == '"' {
		key, err := d.ReadToken()
		if err != nil {
			break
		}
		keys = append(keys, key.String())
		if d.SkipValue() != nil {
			break
		}
	}
	return keys
}

// Root returns the name of the root element of an XML file that begins with these bytes, or "".
func Root(head []byte) string {
	rest := strings.TrimPrefix(string(head), BOM)
	for {
		rest = strings.TrimLeft(rest, " \t\r\n")
		end := ""
		switch {
		case strings.HasPrefix(rest, "<!--"):
			end = "-->"
		case strings.HasPrefix(rest, "<?"), strings.HasPrefix(rest, "<!"):
			end = ">"
		case strings.HasPrefix(rest, "<"):
			name, _, _ := strings.Cut(rest[1:], ">")
			name, _, _ = strings.Cut(strings.TrimSuffix(name, "/"), " ")
			return strings.TrimRight(name, "\t\r\n")
		default:
			return ""
		}
		_, after, ok := strings.Cut(rest, end)
		if !ok {
			return ""
		}
		rest = after
	}
}
