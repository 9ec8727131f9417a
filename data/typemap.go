package data

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// TypeMap maps types to types, so that corpora with different type sets can be
// compared, or a system learns fewer types than a corpus has.
type TypeMap struct {
	Name  string
	Types *TypeSet // the set of the resulting types; nil: see Result
	// To maps each type to its replacement; "" drops its spans. A type that is
	// only a replacement, not a key, maps to itself.
	To     map[string]string
	Others Others // what becomes of all other types; "" is DropOthers
	// Own reports whether a user wrote the map, and not Lethe.
	Own bool
}

// Others says what becomes of the types that a TypeMap does not know.
type Others string

// The values of Others.
const (
	KeepOthers   Others = "keep"   // they stay as they are
	DropOthers   Others = "drop"   // their spans are left out
	RefuseOthers Others = "refuse" // they are an error
)

// Check returns an error if a key or replacement is not a well-formed type name,
// if a replacement is not in Types, or if it is itself replaced or dropped: a
// span's type is replaced once.
func (m *TypeMap) Check() error {
	switch m.Others {
	case "", KeepOthers, DropOthers, RefuseOthers:
	default:
		return fmt.Errorf("others: %q is not keep, drop or refuse", m.Others)
	}
	for _, from := range slices.Sorted(maps.Keys(m.To)) {
		to := m.To[from]
		next, again := m.To[to]
		switch {
		case !wellFormed(from):
			return fmt.Errorf("types: %q cannot be the name of a type", from)
		case to != "" && !wellFormed(to):
			return fmt.Errorf("types.%s: %q cannot be the name of a type", from, to)
		case to != "" && m.Types != nil && !m.Types.Has(to):
			return fmt.Errorf("types.%s: %s is not in the type set %s", from, to, m.Types.Name)
		case to != "" && again && next == "":
			return fmt.Errorf("types.%s: becomes %s, which the map drops: drop both or neither", from, to)
		case to != "" && again && next != to:
			return fmt.Errorf("types.%s: becomes %s, which becomes %s: give both the type %s", from, to, next, next)
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

// For returns the map for files with the types of a set. It is m itself, except
// for the built-in map category, to which it adds the categories of the set.
func (m *TypeMap) For(from *TypeSet) *TypeMap {
	if m.Own || m.Name != categoryMap {
		return m
	}
	of := *m
	of.To = maps.Clone(m.To)
	for _, t := range from.Types {
		of.To[t.Name] = t.Category
	}
	return &of
}

// Result returns the set of the types that the map makes of those of a set: Types
// or, if that is nil, a set with the replacements and, for KeepOthers, all other
// types of from. A replacement that from lacks is described as in the
// built-in sets or else by what the types have in common that become it. It is
// HIPAA's if one of these types is. Result returns an error if the map was written
// for another set: it replaces a type that from does not have, or drops all types.
func (m *TypeMap) Result(from *TypeSet) (*TypeSet, error) {
	if m.Types != nil {
		return m.Types, nil
	}
	if from.open {
		return from, nil
	}
	m = m.For(from)
	if m.Own {
		for _, name := range slices.Sorted(maps.Keys(m.To)) {
			if !from.Has(name) {
				return nil, fmt.Errorf("types: %s is not in the type set %s", name, from.Name)
			}
		}
	}
	joined := map[string][]Type{}
	for _, t := range from.Types {
		to, known := m.Lookup(t.Name)
		if !known && m.Others == KeepOthers {
			to = t.Name
		}
		if to != "" {
			joined[to] = append(joined[to], t)
		}
	}
	if len(joined) == 0 {
		return nil, fmt.Errorf("the map %s drops all types of %s", m.Name, from.Name)
	}
	set := &TypeSet{Name: from.Name + "." + m.Name, Preferred: map[Sort]string{}, Language: from.Language, Rules: from.Rules}
	if !wellFormed(set.Name) {
		set.Name = ownName
	}
	for _, to := range slices.Sorted(maps.Keys(joined)) {
		set.Types = append(set.Types, from.join(to, joined[to]))
	}
	for sort, name := range from.Preferred {
		if to, known := m.Lookup(name); known {
			name = to
		}
		if t, ok := set.Lookup(name); ok && t.Sort == sort {
			set.Preferred[sort] = name
		}
	}
	return set, nil
}

// join describes a type that replaces others.
func (s *TypeSet) join(name string, all []Type) Type {
	t := s.Describe(name)
	if t.Sort == "" {
		t = all[0]
		t.Name = name
		for _, other := range all[1:] {
			switch {
			case other.Sort == t.Sort:
			case isPlace(t.Sort) && isPlace(other.Sort):
				t.Sort = Place
			default:
				t.Sort = Other
			}
			if other.Category != t.Category {
				t.Category = name
			}
		}
	}
	t.Clinician = t.Sort == Person && !slices.ContainsFunc(all, func(a Type) bool { return !a.Clinician })
	t.HIPAA = slices.ContainsFunc(all, func(a Type) bool { return a.HIPAA })
	return t
}

// MapCounts counts what a TypeMap did to the spans of documents, by their types
// in the files.
type MapCounts struct {
	Kept    map[string]int `json:"-"`       // of types that stayed
	Changed map[string]int `json:"-"`       // of types that were replaced
	Equal   int            `json:"-"`       // of these two, spans that became equal to another one, and were merged with it
	Dropped map[string]int `json:"dropped"` // left out on purpose
	Unknown map[string]int `json:"unknown"` // left out because the map does not know the type
}

// Lines returns up to two lines for people: one with the spans that the map drops
// on purpose, and one with those of unknown types. source names their
// documents. Lines returns none if nothing was left out.
func (c *MapCounts) Lines(source string) (lines []string) {
	for _, part := range []struct {
		counts map[string]int
		why    string
	}{{c.Dropped, "by the map"}, {c.Unknown, "because the map does not know them"}} {
		if len(part.counts) > 0 {
			lines = append(lines, fmt.Sprintf("left out of %s %s: %s", source, part.why, counted(part.counts)))
		}
	}
	return lines
}

// Summary returns a line for people about everything that the map changed, or "".
func (c *MapCounts) Summary(m *TypeMap) string {
	changed := map[string]map[string]int{} // by the new type
	for from, n := range c.Changed {
		to := m.To[from]
		if changed[to] == nil {
			changed[to] = map[string]int{}
		}
		changed[to][from] = n
	}
	var parts []string
	for _, to := range slices.Sorted(maps.Keys(changed)) {
		if n := c.Kept[to]; n > 0 {
			changed[to][to] = n
		}
		parts = append(parts, fmt.Sprintf("%s of %s", to, counted(changed[to])))
	}
	if len(c.Dropped) > 0 {
		parts = append(parts, "dropped "+counted(c.Dropped))
	}
	if len(c.Unknown) > 0 {
		parts = append(parts, "dropped because the map does not know them "+counted(c.Unknown))
	}
	if c.Equal > 0 {
		parts = append(parts, fmt.Sprintf("merged with an equal span %d", c.Equal))
	}
	return strings.Join(parts, "; ")
}

// Add adds the counts of other documents.
func (c *MapCounts) Add(other MapCounts) {
	c.init()
	for _, pair := range [][2]map[string]int{{c.Kept, other.Kept}, {c.Changed, other.Changed}, {c.Dropped, other.Dropped}, {c.Unknown, other.Unknown}} {
		for name, n := range pair[1] {
			pair[0][name] += n
		}
	}
	c.Equal += other.Equal
}

func (c *MapCounts) init() {
	if c.Dropped == nil {
		c.Kept, c.Changed, c.Dropped, c.Unknown = map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	}
}

// Absent lists the types that a user's map replaces or drops and that none of the
// counted spans has, which may be misspelt. It returns none for a map of Lethe's
// own, which is made for more types than a corpus has.
func (m *TypeMap) Absent(counts MapCounts) (names []string) {
	if !m.Own {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(m.To)) {
		if counts.Kept[name]+counts.Changed[name]+counts.Dropped[name] == 0 {
			names = append(names, name)
		}
	}
	return names
}

// counted lists types with their numbers: "CITY 3, ZIP 1".
func counted(counts map[string]int) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		names = append(names, fmt.Sprintf("%s %d", name, counts[name]))
	}
	return strings.Join(names, ", ")
}

// Apply yields copies of the documents with their types mapped, and counts in
// counts, which must not be nil, what becomes of the spans. Spans that become
// equal are merged. A document with a type that the map refuses, or that it keeps
// although Types lacks it, yields an error.
func (m *TypeMap) Apply(docs Documents, counts *MapCounts) Documents {
	counts.init()
	return func(yield func(*Document, error) bool) {
		for doc, err := range docs {
			if err == nil {
				doc, err = m.apply(doc, counts)
			}
			if !yield(doc, err) {
				return
			}
		}
	}
}

func (m *TypeMap) apply(doc *Document, counts *MapCounts) (*Document, error) {
	mapped := *doc
	mapped.Spans = nil
	var refused, foreign []string
	for _, s := range doc.Spans {
		to, known := m.Lookup(s.Type)
		switch {
		case !known && m.Others == RefuseOthers:
			refused = append(refused, s.Type)
			continue
		case !known && m.Others == KeepOthers && m.Types != nil && !m.Types.Has(s.Type):
			foreign = append(foreign, s.Type)
			continue
		case !known && m.Others == KeepOthers:
			to = s.Type
		case !known:
			counts.Unknown[s.Type]++
			continue
		case to == "":
			counts.Dropped[s.Type]++
			continue
		}
		if to == s.Type {
			counts.Kept[to]++
		} else {
			counts.Changed[s.Type]++
		}
		s.Type = to
		mapped.Spans = append(mapped.Spans, s)
	}
	switch {
	case refused != nil:
		return nil, fmt.Errorf("document %s: the map %s does not know the type %s: add it to the map, or say with others what becomes of such types", doc.ID, m.Name, strings.Join(distinct(refused), ", "))
	case foreign != nil:
		return nil, fmt.Errorf("document %s: the map %s keeps the type %s, which is not in the type set %s", doc.ID, m.Name, strings.Join(distinct(foreign), ", "), m.Types.Name)
	}
	SortSpans(mapped.Spans)
	all := len(mapped.Spans)
	mapped.Spans = slices.CompactFunc(mapped.Spans, func(a, b Span) bool {
		return a.Start == b.Start && a.End == b.End && a.Type == b.Type
	})
	counts.Equal += all - len(mapped.Spans)
	return &mapped, nil
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

// categoryMap is the name of the map that byCategory returns.
const categoryMap = "category"

// byCategory maps the types of all built-in sets to their categories.
func byCategory() *TypeMap {
	m := &TypeMap{Name: categoryMap, To: map[string]string{}}
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
