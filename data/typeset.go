package data

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Type is one kind of PHI.
type Type struct {
	Name     string
	Category string // as in the corpus's files, e.g. NAME for PATIENT
	HIPAA    bool   // one of the 18 identifiers that HIPAA's Safe Harbor names
}

// TypeSet is the PHI types a corpus uses.
type TypeSet struct {
	Name  string
	Types []Type
	open  bool
}

// Lookup finds a type by its exact name. The open set "any" knows every
// well-formed name, as its own category.
func (s *TypeSet) Lookup(name string) (Type, bool) {
	for _, t := range s.Types {
		if t.Name == name {
			return t, true
		}
	}
	if s.open && wellFormed(name) {
		return Type{Name: name, Category: name}, true
	}
	return Type{}, false
}

// Has says whether name is a type of the set.
func (s *TypeSet) Has(name string) bool { _, ok := s.Lookup(name); return ok }

// Used lists the types of the documents' spans: in the set's order and, of an
// open set, those without one by name.
func (s *TypeSet) Used(docs []*Document) []string {
	used := map[string]bool{}
	for _, d := range docs {
		for _, span := range d.Spans {
			used[span.Type] = true
		}
	}
	var types []string
	for _, t := range s.Types {
		if used[t.Name] {
			types = append(types, t.Name)
			delete(used, t.Name)
		}
	}
	return append(types, slices.Sorted(maps.Keys(used))...)
}

// wellFormed keeps text that is no label out of labels: a type name is at
// most 64 letters, digits, '_', '-' and '.', and starts with a letter.
func wellFormed(name string) bool {
	if name == "" || len(name) > 64 {
		return false
	}
	for i, r := range name {
		letter := r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789_-.", r)) {
			return false
		}
	}
	return true
}

// LookupTypeSet returns a built-in set: i2b2-2014, i2b2-2006, mimic, meddocan,
// conll, or any (every well-formed name).
func LookupTypeSet(name string) (*TypeSet, error) {
	for _, s := range typeSets {
		if s.Name == name {
			return s, nil
		}
	}
	return nil, fmt.Errorf("no type set %q (have %s)", name, strings.Join(TypeSetNames(), ", "))
}

// TypeSetNames lists the built-in sets.
func TypeSetNames() []string {
	var names []string
	for _, s := range typeSets {
		names = append(names, s.Name)
	}
	return names
}

// define builds a set from "CATEGORY: TYPE TYPE*" lines; a star marks HIPAA.
func define(name string, lines ...string) *TypeSet {
	s := &TypeSet{Name: name}
	for _, line := range lines {
		category, types, _ := strings.Cut(line, ":")
		for _, t := range strings.Fields(types) {
			plain := strings.TrimSuffix(t, "*")
			s.Types = append(s.Types, Type{Name: plain, Category: category, HIPAA: plain != t})
		}
	}
	slices.SortFunc(s.Types, func(a, b Type) int { return strings.Compare(a.Name, b.Name) })
	return s
}

// The HIPAA marks follow Dernoncourt et al. 2016, Table 1. An i2b2 scorer
// draws its own, slightly different line; that rule belongs to the scorer.
var typeSets = []*TypeSet{
	// i2b2/UTHealth 2014 track 1: the types of the annotation schema.
	define("i2b2-2014",
		"NAME: PATIENT* DOCTOR USERNAME",
		"PROFESSION: PROFESSION",
		"LOCATION: ROOM DEPARTMENT HOSPITAL ORGANIZATION* STREET* CITY* STATE COUNTRY ZIP* LOCATION-OTHER",
		"AGE: AGE*",
		"DATE: DATE*",
		"CONTACT: PHONE* FAX* EMAIL* URL* IPADDR*",
		"ID: SSN* MEDICALRECORD* HEALTHPLAN* ACCOUNT* LICENSE* VEHICLE* DEVICE* BIOID* IDNUM*",
		"OTHER: OTHER"),
	// i2b2 2006 de-identification challenge (Uzuner et al. 2007).
	define("i2b2-2006",
		"NAME: PATIENT* DOCTOR",
		"LOCATION: HOSPITAL LOCATION*",
		"AGE: AGE*", "DATE: DATE*", "CONTACT: PHONE*", "ID: ID*"),
	// The MIMIC de-identification dataset of Dernoncourt et al. 2016, Table 1.
	define("mimic",
		"NAME: PATIENT* DOCTOR",
		"LOCATION: HOSPITAL STREET* STATE COUNTRY ZIP* LOCATION-OTHER*",
		"AGE: AGE*", "DATE: DATE*", "CONTACT: PHONE*", "ID: IDNUM*"),
	// MEDDOCAN (Marimon et al. 2019): all 29 types of the annotation guide.
	define("meddocan",
		"NAME: NOMBRE_SUJETO_ASISTENCIA* NOMBRE_PERSONAL_SANITARIO",
		"PROFESSION: PROFESION",
		"LOCATION: HOSPITAL INSTITUCION* CALLE* TERRITORIO* PAIS CENTRO_SALUD",
		"AGE: EDAD_SUJETO_ASISTENCIA*",
		"DATE: FECHAS*",
		"CONTACT: NUMERO_TELEFONO* NUMERO_FAX* CORREO_ELECTRONICO* URL_WEB*",
		"ID: ID_ASEGURAMIENTO* ID_CONTACTO_ASISTENCIAL* NUMERO_BENEF_PLAN_SALUD* IDENTIF_VEHICULOS_NRSERIE_PLACAS* "+
			"IDENTIF_DISPOSITIVOS_NRSERIE* IDENTIF_BIOMETRICOS* ID_SUJETO_ASISTENCIA* ID_TITULACION_PERSONAL_SANITARIO "+
			"ID_EMPLEO_PERSONAL_SANITARIO OTRO_NUMERO_IDENTIF*",
		// An internet address is under OTHER in the corpus's own map, not under CONTACT as in i2b2.
		"OTHER: SEXO_SUJETO_ASISTENCIA FAMILIARES_SUJETO_ASISTENCIA OTROS_SUJETO_ASISTENCIA DIREC_PROT_INTERNET*"),
	// CoNLL-2002 and CoNLL-2003 named entities: not PHI, but the same task.
	define("conll", "PER: PER", "LOC: LOC", "ORG: ORG", "MISC: MISC"),
	{Name: "any", open: true},
}
