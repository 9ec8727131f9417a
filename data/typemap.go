package data

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// TypeMap maps types to types, so that corpora with different type sets can be
// compared.
type TypeMap struct {
	Name  string
	Types *TypeSet // the set of the resulting types; nil: any
	// To maps each type to its replacement; "" drops its spans. A type that is
	// only a replacement, not a key, maps to itself.
	To map[string]string
}

// Check returns an error if a key or replacement is not a well-formed type name,
// or if a replacement is not in Types.
func (m *TypeMap) Check() error {
	for _, from := range slices.Sorted(maps.Keys(m.To)) {
		switch to := m.To[from]; {
		case !wellFormed(from):
			return fmt.Errorf("%q cannot be the name of a type", from)
		case to != "" && !wellFormed(to):
			return fmt.Errorf("%s: %q cannot be the name of a type", from, to)
		case to != "" && m.Types != nil && !m.Types.Has(to):
			return fmt.Errorf("%s: %s is not in the type set %s", from, to, m.Types.Name)
		}
	}
	return nil
}

// Lookup returns the replacement of a type, and whether the map knows the type.
func (m *TypeMap) Lookup(name string) (to string, known bool) {
	if to, known = m.To[name]; known {
		return to, true
	}
	for _, to := range m.To {
		if to == name {
			return name, true
		}
	}
	return "", false
}

// LeftOut counts the spans that a TypeMap drops, by type: those that it drops on
// purpose, and those of types that it does not know.
type LeftOut struct {
	Dropped map[string]int `json:"dropped"`
	Unknown map[string]int `json:"unknown"`
}

// Lines returns up to two lines for people: one with the spans that the map drops
// on purpose, and one with those of unknown types. source names their
// documents. Lines returns none if nothing was left out.
func (l *LeftOut) Lines(source string) (lines []string) {
	for _, part := range []struct {
		counts map[string]int
		why    string
	}{{l.Dropped, "by the map"}, {l.Unknown, "because the map does not know them"}} {
		var names []string
		for _, name := range slices.Sorted(maps.Keys(part.counts)) {
			names = append(names, fmt.Sprintf("%s %d", name, part.counts[name]))
		}
		if len(names) > 0 {
			lines = append(lines, fmt.Sprintf("left out of %s %s: %s", source, part.why, strings.Join(names, ", ")))
		}
	}
	return lines
}

// Apply yields copies of the documents with their types mapped. Spans that the
// map drops, or whose type it does not know, are left out and counted in left,
// which must not be nil. Spans that become equal are merged.
func (m *TypeMap) Apply(docs Documents, left *LeftOut) Documents {
	if left.Dropped == nil {
		left.Dropped, left.Unknown = map[string]int{}, map[string]int{}
	}
	known := map[string]bool{}
	to := map[string]string{}
	return func(yield func(*Document, error) bool) {
		for doc, err := range docs {
			if err == nil {
				mapped := *doc
				mapped.Spans = nil
				for _, s := range doc.Spans {
					if _, seen := known[s.Type]; !seen {
						to[s.Type], known[s.Type] = m.Lookup(s.Type)
					}
					switch {
					case !known[s.Type]:
						left.Unknown[s.Type]++
					case to[s.Type] == "":
						left.Dropped[s.Type]++
					default:
						s.Type = to[s.Type]
						mapped.Spans = append(mapped.Spans, s)
					}
				}
				SortSpans(mapped.Spans)
				mapped.Spans = slices.CompactFunc(mapped.Spans, func(a, b Span) bool {
					return a.Start == b.Start && a.End == b.End && a.Type == b.Type
				})
				doc = &mapped
			}
			if !yield(doc, err) {
				return
			}
		}
	}
}

// LookupTypeMap returns a built-in map: i2b2-2006, mimic, meddocan or i2b2-2014,
// each named after its target type set; mist, the eight labels of MIST; anonym,
// the six types of Zuccon et al. 2014; or category, which maps each type to its
// category. It returns an error for other names.
func LookupTypeMap(name string) (*TypeMap, error) {
	for _, m := range typeMaps {
		if m.Name == name {
			return m, nil
		}
	}
	return nil, fmt.Errorf("no type map %q (have %s)", name, strings.Join(TypeMapNames(), ", "))
}

// TypeMapNames returns the names of the built-in maps.
func TypeMapNames() []string {
	var names []string
	for _, m := range typeMaps {
		names = append(names, m.Name)
	}
	return names
}

// becomes returns the map of the lines "TO: FROM FROM". If TO is empty, the types
// are dropped.
func becomes(name string, types *TypeSet, lines ...string) *TypeMap {
	m := &TypeMap{Name: name, Types: types, To: map[string]string{}}
	for _, line := range lines {
		to, from, _ := strings.Cut(line, ":")
		for _, f := range strings.Fields(from) {
			m.To[f] = to
		}
	}
	return m
}

// byCategory maps the types of all built-in sets to their categories.
func byCategory() *TypeMap {
	m := &TypeMap{Name: "category", To: map[string]string{}}
	for _, set := range typeSets {
		for _, t := range set.Types {
			m.To[t.Name] = t.Category
		}
	}
	return m
}

var typeMaps = []*TypeMap{
	// To the types of i2b2 2006. Its guide (Uzuner et al. 2007) counts rooms as
	// hospitals, all parts of an address as locations, and pagers and faxes as
	// phones. It does not annotate user names, professions, employers or network
	// addresses.
	becomes("i2b2-2006", I2B22006,
		"PATIENT: PATIENT", "DOCTOR: DOCTOR", "AGE: AGE", "DATE: DATE",
		"HOSPITAL: HOSPITAL ROOM",
		"LOCATION: STREET CITY STATE COUNTRY ZIP LOCATION-OTHER",
		"PHONE: PHONE FAX",
		"ID: SSN MEDICALRECORD HEALTHPLAN ACCOUNT LICENSE VEHICLE DEVICE BIOID IDNUM",
		":USERNAME PROFESSION DEPARTMENT ORGANIZATION EMAIL URL IPADDR OTHER"),
	// To the eight labels of MIST, which are the types of i2b2 2006, following
	// Dernoncourt et al. 2016, Table A3 and Appendix 2: a type without a label of its
	// own takes its category's, if MIST has that label; user names become IDs, and
	// faxes phones. The last two lines extend this rule to the types of i2b2 2014 that
	// the table does not list.
	becomes("mist", I2B22006,
		"DATE: DATE", "DOCTOR: DOCTOR", "PATIENT: PATIENT", "HOSPITAL: HOSPITAL", "AGE: AGE",
		"LOCATION: STREET CITY STATE ORGANIZATION ZIP COUNTRY LOCATION-OTHER",
		"ID: MEDICALRECORD IDNUM DEVICE USERNAME",
		"PHONE: PHONE FAX",
		":EMAIL PROFESSION",
		"LOCATION: ROOM DEPARTMENT", "ID: SSN HEALTHPLAN ACCOUNT LICENSE VEHICLE BIOID",
		":URL IPADDR OTHER"),
	// To the types of MIMIC, following Dernoncourt et al. 2016, Table 1. Types
	// without a mark in the column MIMIC are dropped. Wards count as hospitals.
	becomes("mimic", MIMIC,
		"PATIENT: PATIENT", "DOCTOR: DOCTOR", "AGE: AGE", "DATE: DATE", "STREET: STREET", "STATE: STATE", "COUNTRY: COUNTRY", "ZIP: ZIP",
		"HOSPITAL: HOSPITAL DEPARTMENT",
		"LOCATION-OTHER: LOCATION-OTHER CITY",
		"PHONE: PHONE FAX",
		"IDNUM: IDNUM SSN ACCOUNT LICENSE MEDICALRECORD VEHICLE DEVICE HEALTHPLAN",
		":USERNAME PROFESSION ORGANIZATION ROOM EMAIL URL IPADDR BIOID OTHER"),
	// From i2b2 2014 to MEDDOCAN, by the map that comes with the corpus. Where
	// that map names no type, or one that the corpus does not have (OTRO), the
	// map below uses the nearest type or drops the spans.
	becomes("meddocan", MEDDOCAN,
		"NOMBRE_SUJETO_ASISTENCIA: PATIENT", "NOMBRE_PERSONAL_SANITARIO: DOCTOR", "PROFESION: PROFESSION",
		"HOSPITAL: HOSPITAL", "INSTITUCION: ORGANIZATION", "CALLE: STREET", "TERRITORIO: CITY STATE ZIP", "PAIS: COUNTRY",
		"EDAD_SUJETO_ASISTENCIA: AGE", "FECHAS: DATE",
		"NUMERO_TELEFONO: PHONE", "NUMERO_FAX: FAX", "CORREO_ELECTRONICO: EMAIL", "URL_WEB: URL", "DIREC_PROT_INTERNET: IPADDR",
		"ID_ASEGURAMIENTO: SSN", "ID_CONTACTO_ASISTENCIAL: MEDICALRECORD", "NUMERO_BENEF_PLAN_SALUD: HEALTHPLAN",
		"IDENTIF_VEHICULOS_NRSERIE_PLACAS: VEHICLE", "IDENTIF_DISPOSITIVOS_NRSERIE: DEVICE", "IDENTIF_BIOMETRICOS: BIOID",
		"OTRO_NUMERO_IDENTIF: ACCOUNT LICENSE IDNUM",
		"CENTRO_SALUD: CENTRO_SALUD", "ID_SUJETO_ASISTENCIA: ID_SUJETO_ASISTENCIA",
		"ID_TITULACION_PERSONAL_SANITARIO: ID_TITULACION_PERSONAL_SANITARIO", "ID_EMPLEO_PERSONAL_SANITARIO: ID_EMPLEO_PERSONAL_SANITARIO",
		"SEXO_SUJETO_ASISTENCIA: SEXO_SUJETO_ASISTENCIA", "FAMILIARES_SUJETO_ASISTENCIA: FAMILIARES_SUJETO_ASISTENCIA",
		"OTROS_SUJETO_ASISTENCIA: OTROS_SUJETO_ASISTENCIA OTHER",
		":USERNAME ROOM DEPARTMENT LOCATION-OTHER"),
	// From MEDDOCAN to i2b2 2014, by the map that comes with the corpus. It is
	// coarse: a TERRITORIO may be a city or a postal code, but becomes a state.
	becomes("i2b2-2014", I2B2,
		"PATIENT: NOMBRE_SUJETO_ASISTENCIA", "DOCTOR: NOMBRE_PERSONAL_SANITARIO", "PROFESSION: PROFESION",
		"HOSPITAL: HOSPITAL", "ORGANIZATION: INSTITUCION", "STREET: CALLE", "STATE: TERRITORIO", "COUNTRY: PAIS",
		"AGE: EDAD_SUJETO_ASISTENCIA", "DATE: FECHAS",
		"PHONE: NUMERO_TELEFONO", "FAX: NUMERO_FAX", "EMAIL: CORREO_ELECTRONICO", "URL: URL_WEB",
		"SSN: ID_ASEGURAMIENTO", "MEDICALRECORD: ID_CONTACTO_ASISTENCIAL", "HEALTHPLAN: NUMERO_BENEF_PLAN_SALUD",
		"VEHICLE: IDENTIF_VEHICULOS_NRSERIE_PLACAS", "DEVICE: IDENTIF_DISPOSITIVOS_NRSERIE", "BIOID: IDENTIF_BIOMETRICOS",
		"IDNUM: ID_SUJETO_ASISTENCIA ID_TITULACION_PERSONAL_SANITARIO ID_EMPLEO_PERSONAL_SANITARIO OTRO_NUMERO_IDENTIF",
		"OTHER: CENTRO_SALUD SEXO_SUJETO_ASISTENCIA FAMILIARES_SUJETO_ASISTENCIA OTROS_SUJETO_ASISTENCIA DIREC_PROT_INTERNET",
		"USERNAME: USERNAME", "ROOM: ROOM", "DEPARTMENT: DEPARTMENT", "CITY: CITY", "ZIP: ZIP", "LOCATION-OTHER: LOCATION-OTHER",
		"IPADDR: IPADDR", "ACCOUNT: ACCOUNT", "LICENSE: LICENSE"),
	// The six types of Zuccon et al. 2014, Table 6. Names of patients and of
	// doctors are one type (section 4.1), and so are hospitals and other places.
	becomes("anonym", Anonym,
		"NAME: PATIENT DOCTOR NOMBRE_SUJETO_ASISTENCIA NOMBRE_PERSONAL_SANITARIO",
		"INSTITUTION: HOSPITAL DEPARTMENT ROOM ORGANIZATION LOCATION STREET CITY STATE COUNTRY ZIP LOCATION-OTHER "+
			"INSTITUCION CENTRO_SALUD CALLE TERRITORIO PAIS",
		"AGE: AGE EDAD_SUJETO_ASISTENCIA", "DATE: DATE FECHAS", "PHONE: PHONE FAX NUMERO_TELEFONO NUMERO_FAX",
		"ID: ID SSN MEDICALRECORD HEALTHPLAN ACCOUNT LICENSE VEHICLE DEVICE BIOID IDNUM "+
			"ID_ASEGURAMIENTO ID_CONTACTO_ASISTENCIAL NUMERO_BENEF_PLAN_SALUD IDENTIF_VEHICULOS_NRSERIE_PLACAS IDENTIF_DISPOSITIVOS_NRSERIE "+
			"IDENTIF_BIOMETRICOS ID_SUJETO_ASISTENCIA ID_TITULACION_PERSONAL_SANITARIO ID_EMPLEO_PERSONAL_SANITARIO OTRO_NUMERO_IDENTIF",
		":USERNAME PROFESSION EMAIL URL IPADDR OTHER PROFESION CORREO_ELECTRONICO URL_WEB DIREC_PROT_INTERNET "+
			"SEXO_SUJETO_ASISTENCIA FAMILIARES_SUJETO_ASISTENCIA OTROS_SUJETO_ASISTENCIA"),
	byCategory(),
}
