package parquet

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"
)

// FuzzArrowZones checks that no schema of Arrow stops the program: it comes from the file.
func FuzzArrowZones(f *testing.F) {
	f.Add([]byte(strings.Repeat("\x10\x00\x00\x00", 32)))
	f.Add([]byte("\xff\xff\xff\xff\x10\x00\x00\x00\x04\x00\x00\x00"))
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		raw := make([]byte, 200)
		for i := range raw {
			raw[i] = byte(random.IntN(3) * 4 * random.IntN(8)) // offsets that lead somewhere
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		arrowZones(base64.StdEncoding.EncodeToString(raw), 9)
	})
}

func TestTimeZonesByName(t *testing.T) {
	for name, known := range map[string]bool{
		"": true, "UTC": true, "Etc/UTC": true, "Europe/Madrid": true, "America/New_York": true, "+09:30": true, "-03:00": true,
		"Local": false, "Nowhere/Place": false, "../zone": false, "tzlocal()": false,
	} {
		if _, unknown := zoneOf(name); (unknown == "") != known {
			t.Errorf("%q: unknown %q", name, unknown)
		}
	}
}
