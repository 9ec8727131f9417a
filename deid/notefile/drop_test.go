package notefile

import (
	"encoding/json"
	"strings"
	"testing"
)

// masked is a member that FHIR allows instead of one whose value must not be shown.
func masked(key string) string {
	return `"_` + key + `":{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/data-absent-reason","valueCode":"masked"}]}`
}

// A part that cannot be examined refuses its record, or is dropped if the options ask for it. Everything else stays.
func TestDrop(t *testing.T) {
	pdf := "%PDF-1.7 " + canary
	for name, tc := range map[string]struct {
		format, in, want string
		dropped          int
	}{
		"FHIR, a PDF": {
			"fhir", `{"resourceType":"DocumentReference", "content":[{"attachment":{"contentType":"application/pdf", "data" : "` + b64(pdf) + `","size":9, "hash":"` + b64(canary) + `","title":"t"}}], "description":"d"}`,
			`{"resourceType":"DocumentReference", "content":[{"attachment":{"contentType":"application/pdf", ` + masked("data") + `,` + masked("size") + `, ` + masked("hash") + `,"title":"t"}}], "description":"d"}`, 1,
		},
		"FHIR, a PDF as text": {
			"fhir", `{"resourceType":"Binary","contentType":"text/plain","data":"` + b64(pdf) + `"}`,
			`{"resourceType":"Binary","contentType":"text/plain",` + masked("data") + `}`, 1,
		},
		"FHIR, a photo and a text": {
			"fhir", `{"resourceType":"Patient","photo":[{"url":"data:image/png;base64,` + b64(canary) + `"},{"contentType":"image/png","data":"` + b64(canary) + `"}],"text":{"div":"<p>Ana</p>"}}`,
			`{"resourceType":"Patient","photo":[{` + masked("url") + `},{"contentType":"image/png",` + masked("data") + `}],"text":{"div":"<p>Ana</p>"}}`, 2,
		},
		"FHIR, a value": {
			"fhir", `{"resourceType":"Basic","extension":[{"url":"u","valueBase64Binary":"` + b64("\x00\x01"+canary) + `"}]}`,
			`{"resourceType":"Basic","extension":[{"url":"u",` + masked("valueBase64Binary") + `}]}`, 1,
		},
		"HL7, a PDF between texts": {
			"hl7", msg("OBX|1|TX|||Ana", "OBX|2|ED|d^x||a^application^pdf^Base64^"+b64(pdf)+"||||||F", "OBX|3|TX|||Gil"),
			msg("OBX|1|TX|||Ana", "OBX|2|ED|d^x||||||||F", "OBX|3|TX|||Gil"), 1,
		},
		"HL7, a PDF as text": {"hl7", msg("OBX|1|ED|||a^TEXT^^Base64^" + b64(pdf)), msg("OBX|1|ED|||"), 1},
	} {
		t.Run(name, func(t *testing.T) {
			e := example{tc.format, "stdin", tc.in, Options{}}
			if o := replaceCanaries(e); len(o.errs) != 1 {
				t.Fatalf("without the option: %d errors", len(o.errs))
			}
			e.options.Drop = true
			records := readAll(t, e)
			if got := encode(records, none); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			if records[0].Dropped != tc.dropped {
				t.Errorf("%d parts dropped, want %d", records[0].Dropped, tc.dropped)
			}
			if o := replaceCanaries(e); leak(o.out) != "" || len(o.errs) > 0 {
				t.Errorf("%d errors, %s", len(o.errs), o.out)
			}
			if tc.format == "fhir" && !json.Valid([]byte(encode(records, none))) {
				t.Error("no longer JSON")
			}
		})
	}
}

// A part that cannot be removed without a change to other parts still refuses its record.
func TestWhatCannotBeDroppedIsRefused(t *testing.T) {
	for name, file := range map[string]string{
		"the mask is taken": `{"resourceType":"Binary","contentType":"image/png","data":"AAAA","_data":{"id":"x"}}`,
		"two data":          `{"resourceType":"Binary","contentType":"image/png","data":"AAAA","data":"AAAA"}`,
		"a list":            `{"resourceType":"Binary","valueBase64Binary":["AAAA"]}`,
	} {
		if o := replaceCanaries(example{"fhir", "d.json", file, Options{Drop: true}}); len(o.errs) != 1 {
			t.Errorf("%s: %d errors, %s", name, len(o.errs), o.out)
		}
	}
	for _, name := range []string{"meddocan", "i2b2", "brat"} {
		if f, _ := Lookup(name); f.Check(Options{Drop: true}) == nil || !strings.Contains(f.Check(Options{Drop: true}).Error(), "no parts") {
			t.Errorf("%s accepts the option", name)
		}
	}
}
