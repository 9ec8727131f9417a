package evidence

import (
	"slices"

	"github.com/lethe-deid/lethe/data"
)

// identifier is one of the identifiers of 45 CFR 164.514(b)(2)(i).
type identifier struct {
	letter, name string
	sorts        []data.Sort // sorts of values that are such identifiers
	types        []string    // types that are such identifiers, whatever their sort; other types for numbers are general
}

// identifiers lists all of them. docs/policies.md explains which types belong to which.
var identifiers = []identifier{
	{"A", "Names", []data.Sort{data.Person, data.Username, data.Organization}, nil},
	{"B", "Geographic subdivisions smaller than a state, ZIP codes", []data.Sort{data.Street, data.City, data.Landmark, data.Place, data.Room, data.Zip}, []string{"INSTITUTION"}},
	{"C", "Dates except the year; ages over 89", []data.Sort{data.Date, data.Age}, nil},
	{"D", "Telephone numbers", []data.Sort{data.Phone}, nil},
	{"E", "Fax numbers", nil, []string{"FAX", "NUMERO_FAX"}},
	{"F", "E-mail addresses", []data.Sort{data.Email}, nil},
	{"G", "Social security numbers", nil, []string{"SSN"}},
	{"H", "Medical record numbers", nil, []string{"MEDICALRECORD", "ID_SUJETO_ASISTENCIA"}},
	{"I", "Health plan beneficiary numbers", nil, []string{"HEALTHPLAN", "ID_ASEGURAMIENTO", "NUMERO_BENEF_PLAN_SALUD"}},
	{"J", "Account numbers", nil, []string{"ACCOUNT"}},
	{"K", "Certificate and licence numbers", nil, []string{"LICENSE", "ID_TITULACION_PERSONAL_SANITARIO"}},
	{"L", "Vehicle identifiers, serial numbers and licence plates", nil, []string{"VEHICLE", "IDENTIF_VEHICULOS_NRSERIE_PLACAS"}},
	{"M", "Device identifiers and serial numbers", nil, []string{"DEVICE", "IDENTIF_DISPOSITIVOS_NRSERIE"}},
	{"N", "Web addresses (URLs)", []data.Sort{data.URL}, nil},
	{"O", "IP addresses", []data.Sort{data.IP}, nil},
	{"P", "Biometric identifiers, such as finger and voice prints", nil, []string{"BIOID", "IDENTIF_BIOMETRICOS"}},
	{"Q", "Full-face photographs and comparable images", nil, nil},
	{"R", "Any other unique identifying number, characteristic or code", []data.Sort{data.Number, data.Other, data.Profession}, nil},
}

// ofType returns the letter of the identifier that the values of a type are, or "" if they are none of the eighteen.
func ofType(t data.Type) string {
	for _, id := range identifiers {
		if slices.Contains(id.types, t.Name) {
			return id.letter
		}
	}
	for _, id := range identifiers {
		if slices.Contains(id.sorts, t.Sort) && !t.Clinician {
			return id.letter
		}
	}
	return ""
}

// general returns the types that stand for an identifier that has none of its own: a type for all numbers, or that which the
// safety net gives to such values.
func general(letter string, types []data.Type) (names []string) {
	set := data.TypeSet{Types: types}
	switch letter {
	case "D", "E":
		names = []string{set.OfSort(data.Phone)}
	case "F":
		names = []string{set.OfSort(data.Email)}
	case "N":
		names = []string{set.OfSort(data.URL)}
	case "O":
		names = []string{set.OfSort(data.IP)}
	case "G", "H", "I", "J", "K", "L", "M", "P":
		for _, t := range types {
			if t.Sort == data.Number && ofType(t) == "R" {
				names = append(names, t.Name)
			}
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}
