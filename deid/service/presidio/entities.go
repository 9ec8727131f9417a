package presidio

import (
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
)

// entityType is a type of Presidio's, and what it stands for in Lethe's types.
type entityType struct {
	name  string
	sort  data.Sort              // of its values
	sorts []data.Sort            // the sorts of the types that it stands for
	types []string               // only these types of the sorts, if the model has any of them; nil means all
	form  func(text string) bool // whether a number of another type is one of this type; nil means that it never is
}

// entityTypes lists Presidio's types. If several of them stand for a type of Lethe's, the first in this list that a request names
// applies.
var entityTypes = []entityType{
	{name: "PERSON", sort: data.Person, sorts: []data.Sort{data.Person}},
	{name: "LOCATION", sort: data.Place, sorts: []data.Sort{data.Street, data.City, data.State, data.Country, data.Zip, data.Place, data.Landmark, data.Room, data.Hospital}},
	{name: "ORGANIZATION", sort: data.Organization, sorts: []data.Sort{data.Organization, data.Department, data.Hospital}},
	{name: "DATE_TIME", sort: data.Date, sorts: []data.Sort{data.Date}},
	{name: "AGE", sort: data.Age, sorts: []data.Sort{data.Age}},
	{name: "PHONE_NUMBER", sort: data.Phone, sorts: []data.Sort{data.Phone}},
	{name: "EMAIL_ADDRESS", sort: data.Email, sorts: []data.Sort{data.Email}},
	{name: "URL", sort: data.URL, sorts: []data.Sort{data.URL}},
	{name: "IP_ADDRESS", sort: data.IP, sorts: []data.Sort{data.IP}},
	{name: "US_SSN", sort: data.Number, sorts: numbers, types: []string{"SSN"}, form: isSSN},
	{name: "CREDIT_CARD", sort: data.Number, sorts: numbers, types: []string{"ACCOUNT"}, form: isCard},
	{name: "IBAN_CODE", sort: data.Number, sorts: numbers, types: []string{"ACCOUNT"}, form: isIBAN},
	{name: "US_BANK_NUMBER", sort: data.Number, sorts: numbers, types: []string{"ACCOUNT"}},
	{name: "MEDICAL_LICENSE", sort: data.Number, sorts: numbers, types: []string{"LICENSE", "ID_TITULACION_PERSONAL_SANITARIO"}},
	{name: "US_DRIVER_LICENSE", sort: data.Number, sorts: numbers, types: []string{"LICENSE"}},
	{name: "ID", sort: data.Number, sorts: []data.Sort{data.Number, data.Username}},
}

var numbers = []data.Sort{data.Number}

// covers reports whether the entity type stands for a type of a set.
func (e *entityType) covers(types *data.TypeSet, typ string) bool {
	if !slices.Contains(e.sorts, types.SortOf(typ)) {
		return false
	}
	return slices.Contains(e.types, typ) || !slices.ContainsFunc(e.types, types.Has)
}

// supported reports whether a model with these types can find an entity type of either world.
func supported(types *data.TypeSet, name string) bool {
	if types.Has(name) {
		return true
	}
	i := slices.IndexFunc(entityTypes, func(e entityType) bool { return e.name == name })
	return i >= 0 && slices.ContainsFunc(types.Types, func(t data.Type) bool { return entityTypes[i].covers(types, t.Name) })
}

// supportedEntities lists the types of both worlds that a model with these types can find.
func supportedEntities(types *data.TypeSet) []string {
	var names []string
	for _, t := range types.Types {
		names = append(names, t.Name)
	}
	for _, e := range entityTypes {
		if supported(types, e.name) {
			names = append(names, e.name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// nameOf returns the name of a span in the response to a request that asks for some types, or false if it asks for none that
// the span has. If asked is nil, the request asks for everything, and the span has its own name.
func nameOf(types *data.TypeSet, asked map[string]bool, typ, text string) (string, bool) {
	if asked == nil || asked[typ] {
		return typ, true
	}
	for _, e := range entityTypes {
		if asked[e.name] && (e.covers(types, typ) || e.form != nil && hasDigits(types, typ) && e.form(text)) {
			return e.name, true
		}
	}
	return "", false
}

// hasDigits reports whether the values of a type are numbers, or are easily taken for them.
func hasDigits(types *data.TypeSet, typ string) bool {
	sort := types.SortOf(typ)
	return sort == data.Number || sort == data.Phone
}

// otherNames lists Presidio's types that stand for a type of Lethe's.
func otherNames(typ string) []string {
	var names []string
	for _, e := range entityTypes {
		if e.covers(data.I2B2, typ) || e.covers(data.MEDDOCAN, typ) {
			names = append(names, e.name)
		}
	}
	return names
}

var ssn = regexp.MustCompile(`^\d{3}[- ]\d{2}[- ]\d{4}$`)

func isSSN(text string) bool { return ssn.MatchString(text) }

// isCard reports whether a number can be that of a payment card: it has 13 to 19 digits, and the check digit of Luhn (ISO/IEC 7812-1).
func isCard(text string) bool {
	digits := strings.NewReplacer(" ", "", "-", "").Replace(text)
	if len(digits) < 13 || len(digits) > 19 {
		return false
	}
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i]) - '0'
		if d < 0 || d > 9 {
			return false
		}
		if i%2 == 1 {
			d = 2*d/10 + 2*d%10
		}
		sum += d
	}
	return sum%10 == 0
}

var iban = regexp.MustCompile(`^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$`)

// isIBAN reports whether a number is an international bank account number with the right check digits (ISO 13616).
func isIBAN(text string) bool {
	text = strings.ReplaceAll(text, " ", "")
	if !iban.MatchString(text) {
		return false
	}
	var digits strings.Builder
	for _, r := range text[4:] + text[:4] {
		if r >= 'A' {
			digits.WriteString(str(int(r-'A') + 10))
		} else {
			digits.WriteRune(r)
		}
	}
	n, _ := new(big.Int).SetString(digits.String(), 10) // it has only digits
	return new(big.Int).Mod(n, big.NewInt(97)).Int64() == 1
}
