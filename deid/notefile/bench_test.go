package notefile

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
)

var hl7Escapes = strings.NewReplacer(`\`, `\E\`, `|`, `\F\`, `^`, `\S\`, `&`, `\T\`, `~`, `\R\`, "\n", `\.br\`)

// The throughput of reading and writing does not depend on the length of a note, the number of
// escapes, or the number of notes per record.
func BenchmarkCarriers(b *testing.B) {
	const line = "Seen \"on\" 3/4 by <Dr> Ana & Gil | at ^ home.\n"
	quoted := func(s string) string { raw, _ := json.Marshal(s); return string(raw) }
	one := map[string]func(text string) example{
		"text": func(text string) example { return example{"text", "a.txt", text, Options{}} },
		"i2b2": func(text string) example {
			return example{"i2b2", "a.xml", "<deIdi2b2><TEXT>" + markup.EscapeText(text) + "</TEXT><TAGS/></deIdi2b2>", Options{}}
		},
		"jsonl": func(text string) example {
			return example{"jsonl", "a.jsonl", `{"text":` + quoted(text) + "}\n", Options{}}
		},
		"csv": func(text string) example {
			return example{"csv", "a.csv", "note\n\"" + doubleQuotes(text) + "\"\n", Options{Columns: []string{"note"}}}
		},
		"fhir": func(text string) example {
			return example{"fhir", "a.json", `{"resourceType":"Basic","text":{"div":` + quoted("<p>"+markup.EscapeText(text)+"</p>") + "}}", Options{}}
		},
		"hl7": func(text string) example {
			return example{"hl7", "a.hl7", "MSH|^~\\&|||||||ORU|M1\rOBX|1|TX|||" + hl7Escapes.Replace(text) + "\r", Options{}}
		},
		"fhir, many": func(text string) example {
			return example{"fhir", "a.json", "{\"resourceType\":\"Bundle\",\"entry\":[\n" + strings.Repeat(`{"note":[{"text":`+quoted(line)+"}]},\n", strings.Count(text, "\n")) + "{}]}", Options{}}
		},
		"hl7, many": func(text string) example {
			return example{"hl7", "a.hl7", "MSH|^~\\&|||||||ORU|M1\r" + strings.Repeat("OBR|1\rOBX|1|TX|||Seen by Ana Gil\r", strings.Count(text, "\n")), Options{}}
		},
	}
	for _, name := range []string{"text", "i2b2", "jsonl", "csv", "fhir", "fhir, many", "hl7", "hl7, many"} {
		for _, lines := range []int{1 << 10, 1 << 15} {
			e := one[name](strings.Repeat(line, lines))
			b.Run(fmt.Sprintf("%s/%dKB", name, len(e.file)>>10), func(b *testing.B) {
				b.SetBytes(int64(len(e.file)))
				for b.Loop() {
					if out := encode(readAll(b, e), each("Gil", "[PATIENT]")); len(out) < len(e.file) {
						b.Fatal("text is lost")
					}
				}
			})
		}
	}
}
