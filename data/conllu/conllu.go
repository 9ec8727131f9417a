// Package conllu reads treebanks in CoNLL-U, the format of Universal Dependencies
// (https://universaldependencies.org/format.html).
package conllu

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// Sentence is a sentence of a treebank.
type Sentence struct {
	Words        []Token
	Contractions []Contraction // sorted, not overlapping
}

// Token is a word of a treebank.
type Token struct {
	Form  string
	Lemma string // "" if the treebank has none
	UPOS  string // one of the 17
	XPOS  string // "" if the treebank has none
	Tense string // Past, Present, Future or ""
}

// Values of Token.Tense. Imperfect and pluperfect count as past.
const (
	Past    = "Past"
	Present = "Pres"
	Future  = "Fut"
)

// Contraction is a token of the text that the treebank splits into several words:
// Spanish del into de el, English don't into do n't. Form is the text of
// Words[First:End].
type Contraction struct {
	First, End int
	Form       string
}

// Surface returns the sentence as it is in the text: each contraction is one word, with
// the lemma and tags of its first part.
func (s Sentence) Surface() Sentence {
	if len(s.Contractions) == 0 {
		return s
	}
	var words []Token
	at := 0
	for _, c := range s.Contractions {
		words = append(words, s.Words[at:c.First+1]...)
		words[len(words)-1].Form = c.Form
		at = c.End
	}
	return Sentence{Words: append(words, s.Words[at:]...)}
}

// upos lists the parts of speech of Universal Dependencies.
var upos = []string{
	"ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM",
	"PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X",
}

// maxLine is the maximum length of a line of a treebank, in bytes.
const maxLine = 1 << 20

// Read reads a treebank, plain or gzipped. Of the ten columns it reads FORM, LEMMA, UPOS, XPOS, and Tense from FEATS. Lines with a range such as
// 3-4 are contractions; empty nodes such as 5.1 and comments are skipped. For a line
// that breaks the format, the error is a *data.Error with file and line.
func Read(path string) ([]Sentence, error) {
	f, err := bounded.OpenInput(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in, err := bounded.Gunzip(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return Decode(in, path)
}

// Decode is Read for text that is not a file of its own, such as a member of an
// archive. Errors call it path.
func Decode(in io.Reader, path string) ([]Sentence, error) {
	r := reader{path: path}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		r.line++
		line := strings.TrimSuffix(lines.Text(), "\r")
		if r.line == 1 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		if err := r.read(line); err != nil {
			return nil, err
		}
	}
	if err := lines.Err(); err != nil {
		r.line++
		if errors.Is(err, bufio.ErrTooLong) {
			return nil, r.fail("the line has more than %d bytes", maxLine)
		}
		return nil, &data.Error{Path: path, Line: r.line, Offset: -1, Reason: "cannot be read", Err: err}
	}
	if err := r.end(); err != nil {
		return nil, err
	}
	if len(r.all) == 0 {
		return nil, fmt.Errorf("%s: contains no sentences", path)
	}
	return r.all, nil
}

// reader collects sentences line by line.
type reader struct {
	path    string
	line    int
	all     []Sentence
	current Sentence
}

func (r *reader) fail(format string, args ...any) error {
	return &data.Error{Path: r.path, Line: r.line, Offset: -1, Reason: fmt.Sprintf(format, args...)}
}

func (r *reader) read(line string) error {
	switch {
	case strings.TrimSpace(line) == "":
		return r.end()
	case line[0] == '#':
		return nil
	case !utf8.ValidString(line):
		return r.fail("invalid UTF-8")
	}
	fields := strings.Split(line, "\t")
	if len(fields) != 10 {
		return r.fail("%d columns separated by tabs; CoNLL-U requires 10", len(fields))
	}
	id, form := fields[0], fields[1]
	if form == "" {
		return r.fail("FORM is empty")
	}
	if first, last, ok := strings.Cut(id, "-"); ok {
		return r.contraction(first, last, form)
	}
	if before, empty, ok := strings.Cut(id, "."); ok {
		if !number(before) || !number(empty) {
			return r.fail("ID is not a number, a range (3-4) or an empty node (5.1)")
		}
		return nil
	}
	if n, err := strconv.Atoi(id); err != nil || n != len(r.current.Words)+1 {
		return r.fail("ID is not %d, the number of the next word", len(r.current.Words)+1)
	}
	tense, err := tenseOf(fields[5])
	if err != nil {
		return r.fail("%v", err)
	}
	if !slices.Contains(upos, fields[3]) {
		return r.fail("UPOS is not one of the %d tags of Universal Dependencies", len(upos))
	}
	t := Token{Form: form, Lemma: filled(fields[2]), UPOS: fields[3], XPOS: filled(fields[4]), Tense: tense}
	if form == "_" {
		t.Lemma = "_" // the word is an underscore, or the treebank comes without its text
	}
	r.current.Words = append(r.current.Words, t)
	return nil
}

// contraction reads a line with a range such as 3-4.
func (r *reader) contraction(first, last, form string) error {
	a, errA := strconv.Atoi(first)
	b, errB := strconv.Atoi(last)
	switch {
	case errA != nil || errB != nil || a >= b:
		return r.fail("ID is not a range of words (3-4)")
	case a != len(r.current.Words)+1:
		return r.fail("the range of ID does not begin at %d, the number of the next word", len(r.current.Words)+1)
	}
	if c := r.current.Contractions; len(c) > 0 && c[len(c)-1].End >= a {
		return r.fail("the range of ID overlaps the one before it")
	}
	r.current.Contractions = append(r.current.Contractions, Contraction{First: a - 1, End: b, Form: form})
	return nil
}

// end finishes a sentence.
func (r *reader) end() error {
	s := r.current
	r.current = Sentence{}
	if c := s.Contractions; len(c) > 0 && c[len(c)-1].End > len(s.Words) {
		return r.fail("the sentence ends within the range %d-%d", c[len(c)-1].First+1, c[len(c)-1].End)
	}
	if len(s.Words) > 0 {
		r.all = append(r.all, s)
	}
	return nil
}

func number(s string) bool { _, err := strconv.ParseUint(s, 10, 31); return err == nil }

// filled returns the value of a column, or "" for the underscore.
func filled(field string) string {
	if field == "_" {
		return ""
	}
	return field
}

// tenseOf reads the tense from FEATS. If there are several, as in Tense=Past,Pres, it
// returns the first.
func tenseOf(feats string) (string, error) {
	if feats == "_" {
		return "", nil
	}
	for f := range strings.SplitSeq(feats, "|") {
		name, value, ok := strings.Cut(f, "=")
		if !ok {
			return "", errors.New("FEATS does not have the form Name=Value|Name=Value")
		}
		if name != "Tense" {
			continue
		}
		value, _, _ = strings.Cut(value, ",")
		switch value {
		case "Past", "Imp", "Pqp":
			return Past, nil
		case "Pres":
			return Present, nil
		case "Fut":
			return Future, nil
		}
	}
	return "", nil
}

// ReadAll reads several CoNLL-U files as one treebank.
func ReadAll(paths []string) ([]Sentence, error) {
	var all []Sentence
	for _, path := range paths {
		sentences, err := Read(path)
		if err != nil {
			return nil, err
		}
		all = append(all, sentences...)
	}
	return all, nil
}
