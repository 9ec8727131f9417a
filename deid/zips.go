package deid

import (
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/deid/safetynet"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// visibly gives ZIP codes of which a part would stay, and which only the tagger takes for such, the type of other values if there is no sign of an address around them. A laboratory
// value cut to three digits could not be told from another value; a number that is replaced as a whole is seen to be missing.
func (d *Deidentifier) visibly(text string, all []found) []found {
	for i, f := range all {
		if f.rank != byTagger || f.remains != replace.Part || d.sort(f.Type) != data.Zip || d.isInAddress(text, all, i) {
			continue
		}
		f.Type = safetynet.OtherType(d.Net.Types)
		if other := d.add(text, []data.Span{f.Span}, byTagger)[0]; other.remains == replace.Nothing {
			all[i] = other
		}
	}
	return all
}

// besideZIP is how many bytes before and after a ZIP code its town, state or street may be.
const besideZIP = 40

// isInAddress reports whether a label of ZIP codes, or a street, a town or a state stands beside span i, on its line or on the one before or after it.
func (d *Deidentifier) isInAddress(text string, all []found, i int) bool {
	s := all[i].Span
	if zipLabel.MatchString(before(text, s, besideZIP)) {
		return true
	}
	return slices.ContainsFunc(all[max(0, i-2):min(len(all), i+3)], func(f found) bool {
		return slices.Contains(ofAddress, d.sort(f.Type)) && isNear(text, f.Span, s)
	})
}

// ofAddress are the sorts of what a ZIP code stands beside.
var ofAddress = []data.Sort{data.Street, data.City, data.State, data.Country, data.Place, data.Landmark}

// isNear reports whether two spans are near each other in a text, with no empty line between them.
func isNear(text string, a, b data.Span) bool {
	if a.Start > b.Start {
		a, b = b, a
	}
	if b.Start < a.End || b.Start-a.End > besideZIP {
		return false
	}
	return strings.Count(text[a.End:b.Start], "\n") < 2
}

// zipLabel matches a label of ZIP codes, a verb of living somewhere, or the code of a state at the end of a text.
var zipLabel = lazyregexp.New(`(?i:zip(?:[ _-]?codes?)?|\bpostal(?:[ _-]?codes?)?|\bpost[ _-]?code|\bp\.?o\.? ?box|\bc\.p\.|\bc[óo]digo postal|\b(?:lives?|living|moved|resid(?:es|ing)) (?:in|from|to|at|near)|\baddress)(?i: (?:is|of|changed to))?\W{0,4}$|` +
	`\b(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADL]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|P[AR]|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]),? {1,3}$`)
