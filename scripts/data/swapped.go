package main

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/i2b2"
)

// swappedNeeds are the items from which dev_swapped is made, besides dev: the values of train, which are avoided, and the lists
// from which other values are drawn.
var swappedNeeds = []string{meddocanTrain, femaleNames, maleNames, surnames, worldCities}

// makeSwapped writes the notes of dev with other values than those that they have: names, places and institutions consist of
// words that do not occur in the spans of train, and digits are others. Everything else stays. The same notes and lists
// yield the same values.
func makeSwapped(output, to string) error {
	in := func(item string) string { return filepath.Join(output, filepath.FromSlash(item)) }
	seen := map[string]bool{}
	for doc, err := range i2b2.Read(in(meddocanTrain), data.ReadOptions{Types: data.MEDDOCAN}) {
		if err != nil {
			return err
		}
		for _, s := range doc.Spans {
			for _, w := range word.FindAllString(doc.Text[s.Start:s.End], -1) {
				seen[strings.ToLower(w)] = true
			}
		}
	}
	var lists values
	for _, file := range []string{femaleNames, maleNames, surnames} {
		names, err := column(in(file), 0)
		if err != nil {
			return err
		}
		lists.names = append(lists.names, unseen(names, seen)...)
	}
	cities, err := column(in(worldCities), 0)
	if err != nil {
		return err
	}
	countries, err := column(in(worldCities), 1)
	if err != nil {
		return err
	}
	lists.cities, lists.countries = unseen(cities, seen), unseen(countries, seen)
	if len(lists.names) == 0 || len(lists.cities) == 0 || len(lists.countries) == 0 {
		return fmt.Errorf("%s: the lists contain no value that does not occur in train", output)
	}
	_, err = rewrite(in(meddocanDev), to, lists.swap)
	return err
}

// column returns the distinct values of a column of a CSV file with a header.
func column(file string, n int) ([]string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(bufio.NewReader(f)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var values []string
	for i, row := range rows {
		if i == 0 {
			continue
		}
		if n >= len(row) {
			return nil, fmt.Errorf("%s:%d: no column %d", file, i+1, n+1)
		}
		values = append(values, row[n])
	}
	slices.Sort(values)
	return slices.Compact(values), nil
}

// unseen returns the values that are one word of three or more letters that train does not contain, with a capital.
func unseen(values []string, seen map[string]bool) []string {
	var left []string
	for _, v := range values {
		if lower := strings.ToLower(v); utf8.RuneCountInString(v) >= 3 && word.FindString(v) == v && !seen[lower] {
			left = append(left, capital(lower))
		}
	}
	return left
}

func capital(w string) string {
	first, n := utf8.DecodeRuneInString(w)
	return string(unicode.ToUpper(first)) + w[n:]
}

// values are the lists from which values are drawn.
type values struct{ names, cities, countries []string }

// stay are the words of names of streets, hospitals and institutions that are no names.
var stay = map[string]bool{
	"calle": true, "av": true, "avda": true, "avenida": true, "plaza": true, "pza": true, "paseo": true, "pº": true, "carretera": true, "ctra": true, "camino": true,
	"ronda": true, "rambla": true, "pasaje": true, "urbanización": true, "urb": true, "edificio": true, "bloque": true, "portal": true, "piso": true, "bajo": true,
	"hospital": true, "hospitalario": true, "complejo": true, "universitario": true, "universitari": true, "universidad": true, "instituto": true, "centro": true,
	"clínica": true, "fundación": true, "servicio": true, "departamento": true, "general": true, "regional": true, "nacional": true, "provincial": true,
	"salud": true, "médico": true, "facultad": true, "laboratorios": true, "dr": true, "dra": true, "d": true, "don": true, "doña": true, "sr": true, "sra": true,
}

var (
	word  = regexp.MustCompile(`\p{L}+`)
	piece = regexp.MustCompile(`\p{L}+|[0-9]+`)
)

// swap returns a copy of a note with other values. A word or number has the same replacement in all values of the note.
func (v values) swap(doc *data.Document) *data.Document {
	var out edit
	end := 0
	for _, s := range doc.Spans {
		if s.Start < end {
			continue // part of a value that has been replaced
		}
		out.replace(s.Start, s.End, v.other(doc.ID, s.Type, doc.Text[s.Start:s.End]))
		end = s.End
	}
	return out.apply(doc)
}

// other returns another value of a type.
func (v values) other(id, kind, value string) string {
	change, tail := otherNumber, ""
	switch kind {
	case "SEXO_SUJETO_ASISTENCIA", "FAMILIARES_SUJETO_ASISTENCIA", "PROFESION", "OTROS_SUJETO_ASISTENCIA", "ID_EMPLEO_PERSONAL_SANITARIO":
		return value
	case "PAIS":
		return v.countries[draw(id, value).IntN(len(v.countries))]
	case "FECHAS":
		change = otherDate
	case "EDAD_SUJETO_ASISTENCIA":
		change = otherAge
	case "TERRITORIO":
		change = func(r *rand.Rand, w string) string { return otherWord(r, w, v.cities) }
	case "NOMBRE_SUJETO_ASISTENCIA", "NOMBRE_PERSONAL_SANITARIO", "CALLE", "HOSPITAL", "INSTITUCION", "CENTRO_SALUD":
		change = func(r *rand.Rand, w string) string { return otherWord(r, w, v.names) }
	case "CORREO_ELECTRONICO", "URL_WEB", "DIREC_PROT_INTERNET":
		if dot := strings.LastIndexByte(value, '.'); dot >= 0 {
			value, tail = value[:dot], value[dot:]
		}
		change = func(r *rand.Rand, w string) string {
			return strings.ToLower(otherWord(r, capital(w), v.names))
		}
	}
	return piece.ReplaceAllStringFunc(value, func(w string) string { return change(draw(id, w), w) }) + tail
}

// draw returns the random numbers for a word of a note.
func draw(id, w string) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %s", id, strings.ToLower(w))
	return rand.New(rand.NewPCG(1, h.Sum64()))
}

func isNumber(w string) bool { return unicode.IsDigit(rune(w[0])) }

// otherNumber replaces each digit of a number, except for a zero at its start.
func otherNumber(r *rand.Rand, w string) string {
	if !isNumber(w) {
		return w
	}
	b := []byte(w)
	for i := range b {
		if b[i] != '0' || i > 0 {
			b[i] = '0' + byte(r.IntN(10))
		}
	}
	return string(b)
}

// otherWord replaces a number, or a word with a capital that may be part of a name.
func otherWord(r *rand.Rand, w string, from []string) string {
	first, _ := utf8.DecodeRuneInString(w)
	switch {
	case isNumber(w):
		return otherNumber(r, w)
	case !unicode.IsUpper(first) || utf8.RuneCountInString(w) == 1 || stay[strings.ToLower(w)]:
		return w
	}
	drawn := from[r.IntN(len(from))]
	if w == strings.ToUpper(w) {
		return strings.ToUpper(drawn)
	}
	return drawn
}

func otherAge(r *rand.Rand, w string) string {
	if !isNumber(w) {
		return w
	}
	return strconv.Itoa(2 + r.IntN(88))
}

var months = []string{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"}

// otherDate replaces a part of a date: a year, a day or month in digits (both at most 12), or the name of a month.
func otherDate(r *rand.Rand, w string) string {
	switch {
	case isNumber(w) && len(w) == 4:
		return strconv.Itoa(1935 + r.IntN(84))
	case isNumber(w) && len(w) <= 2:
		return fmt.Sprintf("%0*d", len(w), 1+r.IntN([...]int{9, 12}[len(w)-1]))
	case slices.Contains(months, strings.ToLower(w)):
		return months[r.IntN(len(months))]
	}
	return w
}
