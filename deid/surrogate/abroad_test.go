package surrogate

import (
	"strings"
	"testing"
)

// TestPostalCodesAbroadAreNoZIPCodes checks that the first three digits of postal codes of other countries do not stay, and that those of ZIP codes do.
func TestPostalCodesAbroadAreNoZIPCodes(t *testing.T) {
	m := maker(t, English)
	for want, texts := range map[bool][]string{
		true: {
			"Calle Mayor 5, «28013» Madrid, Spain", "Guadalajara, Jalisco «44100», Mexico", "in «10115» Berlin, Germany.", "in «75001» Paris", "Via Roma 12, «00184» Rome, Italy",
			"Hauptstr. 5, «80331» München", "from «50667» Cologne", "Monterrey, Nuevo León «64000»", "Tijuana, BC «22000», Mexico", "Lyon «69003»", "«20121» Milano (MI), Italia",
			"San José «10101», Costa Rica", "Madrid, Spain «28013»", "Germany, «10115» Berlin", "«75004» Paris\nFrance\n", "Zip: «28013»\nCountry: Spain", "Country: Spain\nCity: Quux\nZip: «28013»",
			"Zip: «28013» (Madrid)", "lives in «29620» Torremolinos", "Bangkok «10110» Thailand", "Hermosillo, Sonora «83000»", "País: España, CP «28013»", "Toledo «45001»", "Lima «15001», Peru",
			"Apt 4, «13001» Marseille", "Zip «28013»\nMadrid\nSpain\n",
		},
		false: {
			"Naples, FL «34102»", "Paris, TX «75460»", "Madrid, NM «87010»", "Rome, GA «30161»", "Mexico, MO «65265»", "Boston, MA «02139».", "Dayton «45402»", "Toledo, Ohio «43604», USA",
			"New Mexico «87101»", "born in Spain, lives in Boston, MA «02139»", "ZIP «60614». Father from Germany.", "San Jose «95112»", "in «60614». Travelled to France.", "ZIP: «10115»", "Peru, Indiana «46970»",
			"Zip «28013». Language: Spanish", "Toledo «43604»", "Atlanta, Georgia «30303»", "IL «60614» Phone 555-0143", "Berlin «03570»", "Zip «60614»\nCountry: USA", "Country of birth: Mexico\nZip: «60614»",
			"in «02139-4307» Madrid", "«280» Madrid, Spain", "in «60614» and Spain", "MA «02139» United States",
		},
	} {
		for _, text := range texts {
			start, plain := strings.Index(text, "«"), strings.NewReplacer("«", "", "»", "").Replace(text)
			if got := m.IsAbroad(plain, start, strings.Index(text, "»")-len("«")); got != want {
				t.Errorf("%q is abroad: %v", text, got)
			}
		}
	}
}
