package wordnet

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
)

// sources are the files of each part of speech, by the ending of their names.
var sources = []struct {
	pos  POS
	name string
}{
	{Noun, "noun"}, {Verb, "verb"}, {Adjective, "adj"}, {Adverb, "adv"},
}

// Open reads the WordNet in a folder. For a file that breaks the format, the error is a
// *data.Error with file, line and byte offset. The files of irregular forms, such as
// noun.exc, may be missing, as in WordNet 3.1; irregular forms then have no lemma.
func Open(dir string) (*WordNet, error) { return read(os.DirFS(dir), dir) }

func read(files fs.FS, dir string) (*WordNet, error) {
	r := reader{
		files: files, dir: dir, sum: sha256.New(),
		net:  &WordNet{parts: map[POS]*part{}},
		from: map[POS]Synset{}, at: map[POS][]int{}, words: map[string]string{},
	}
	for _, s := range sources {
		if err := r.data(s.pos, "data."+s.name); err != nil {
			return nil, err
		}
	}
	if err := r.resolve(); err != nil {
		return nil, err
	}
	for _, s := range sources {
		r.net.parts[s.pos] = &part{senses: map[string][]Synset{}, exceptions: map[string][]string{}}
		if err := r.index(s.pos, "index."+s.name); err != nil {
			return nil, err
		}
		if err := r.exceptions(s.pos, s.name+".exc"); err != nil {
			return nil, err
		}
	}
	r.net.ids = r.ids.String()
	r.net.digest = hex.EncodeToString(r.sum.Sum(nil))
	return r.net, nil
}

// reader reads the files one after the other.
type reader struct {
	files fs.FS
	dir   string
	sum   hash.Hash
	net   *WordNet
	ids   strings.Builder
	from  map[POS]Synset // by part of speech: the first synset of its data file
	at    map[POS][]int  // by part of speech: byte offsets of its synsets
	words map[string]string
	up    []pointer
	split []string // fields of the current line
}

// pointer is a link from a synset to a hypernym, whose data file may not have been read
// yet.
type pointer struct {
	from   Synset
	pos    POS
	offset int
	line   line
}

// line is a position in a file, for errors.
type line struct {
	path   string
	number int
	offset int
}

func (l line) fail(format string, args ...any) error {
	return &data.Error{Path: l.path, Line: l.number, Offset: l.offset, Reason: fmt.Sprintf(format, args...)}
}

// each calls do for every line of a file except those of the licence, which begin with
// two spaces.
func (r *reader) each(name string, do func(line, string) error) error {
	l := line{path: filepath.Join(r.dir, name)}
	content, err := fs.ReadFile(r.files, name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w", l.path, fs.ErrNotExist)
		}
		return fmt.Errorf("%s: %w", l.path, err)
	}
	fmt.Fprintf(r.sum, "%s %d\n", name, len(content))
	r.sum.Write(content)
	for text := range strings.Lines(string(content)) {
		l.number++
		if !strings.HasPrefix(text, "  ") {
			if !utf8.ValidString(text) {
				return l.fail("invalid UTF-8")
			}
			if err := do(l, strings.TrimRight(text, " \r\n")); err != nil {
				return err
			}
		}
		l.offset += len(text)
	}
	return nil
}

// fields reads the fields of a line. After an error it returns empty fields.
type fields struct {
	rest []string
	err  error
}

// fields splits a line at spaces. The result is valid until the next line.
func (r *reader) fields(text string) fields {
	r.split = r.split[:0]
	for text != "" {
		field, rest, _ := strings.Cut(text, " ")
		if field != "" {
			r.split = append(r.split, field)
		}
		text = rest
	}
	return fields{rest: r.split}
}

func (f *fields) next() string {
	if len(f.rest) == 0 {
		f.err = errors.New("the line ends too early")
		return ""
	}
	s := f.rest[0]
	f.rest = f.rest[1:]
	return s
}

// number reads a number; what describes it in errors.
func (f *fields) number(what string, base int) int {
	n, err := strconv.ParseUint(f.next(), base, 31)
	if err != nil && f.err == nil {
		f.err = fmt.Errorf("%s is not a number", what)
	}
	return int(n)
}

// intern keeps one copy of each word, so that the rest of the file can be freed.
func (r *reader) intern(s string) string {
	if known, ok := r.words[s]; ok {
		return known
	}
	s = strings.Clone(s)
	r.words[s] = s
	return s
}

// data reads a file of synsets:
//
//	offset lex_filenum ss_type w_cnt word lex_id [word lex_id...] p_cnt [ptr...] [frames...] | gloss
//
// where w_cnt and lex_id are hexadecimal, and each ptr has four fields: symbol, offset,
// part of speech, and the words that it links.
func (r *reader) data(pos POS, name string) error {
	r.from[pos] = Synset(len(r.net.synsets))
	return r.each(name, func(l line, text string) error {
		text, _, _ = strings.Cut(text, "| ")
		f := r.fields(text)
		offset := f.number("the offset", 10)
		if f.err == nil && offset != l.offset {
			return l.fail("the synset states offset %d", offset)
		}
		f.number("the number of the lexicographers' file", 10)
		if typ := f.next(); f.err == nil && typ != string(pos) && (pos != Adjective || typ != "s") {
			return l.fail("the synset's type does not belong in this file")
		}
		self := Synset(len(r.net.synsets))
		var s synset
		words := f.count("the number of words", 16, 2)
		s.names = make([]string, 0, words)
		for range words {
			word, _, _ := strings.Cut(f.next(), "(") // without the position of an adjective, as in "galore(ip)"
			f.next()
			s.names = append(s.names, r.intern(word))
		}
		for range f.count("the number of pointers", 10, 4) {
			symbol, to := f.next(), f.number("a pointer's offset", 10)
			kind := f.next()
			f.next()
			if symbol == "@" || symbol == "@i" { // a hypernym, or the class of an instance
				if kind == "" {
					break
				}
				r.up = append(r.up, pointer{self, POS(kind[0]), to, l})
			}
		}
		if f.err == nil && len(s.names) == 0 {
			f.err = errors.New("the synset has no words")
		}
		if f.err != nil {
			return l.fail("%v", f.err)
		}
		if offset > 99_999_999 {
			return l.fail("the offset has more than 8 digits")
		}
		fmt.Fprintf(&r.ids, "%08d-%c", offset, pos)
		r.at[pos] = append(r.at[pos], offset)
		r.net.synsets = append(r.net.synsets, s)
		return nil
	})
}

// count reads the number of items that follow, each of this many fields. It fails if
// the line has fewer fields.
func (f *fields) count(what string, base, each int) int {
	n := f.number(what, base)
	if n*each > len(f.rest) {
		if f.err == nil {
			f.err = errors.New("the line ends too early")
		}
		return 0
	}
	return n
}

// synset returns the synset at an offset.
func (r *reader) synset(pos POS, offset int) (Synset, bool) {
	i, ok := slices.BinarySearch(r.at[pos], offset)
	return r.from[pos] + Synset(i), ok
}

// resolve sets the hypernyms after all synsets have been read.
func (r *reader) resolve() error {
	for _, p := range r.up {
		to, ok := r.synset(p.pos, p.offset)
		if !ok {
			return p.line.fail("a pointer leads to offset %d of part of speech %q, where no synset begins", p.offset, p.pos)
		}
		s := &r.net.synsets[p.from]
		s.hypernyms = append(s.hypernyms, to)
	}
	r.up = nil
	return nil
}

// index reads a file of lemmas:
//
//	lemma pos synset_cnt p_cnt [symbol...] sense_cnt tagsense_cnt offset [offset...]
func (r *reader) index(pos POS, name string) error {
	senses := r.net.parts[pos].senses
	return r.each(name, func(l line, text string) error {
		f := r.fields(text)
		lemma := f.next()
		if typ := f.next(); f.err == nil && typ != string(pos) {
			return l.fail("the part of speech does not belong in this file")
		}
		n := f.number("the number of synsets", 10)
		for range f.count("the number of pointers", 10, 1) {
			f.next()
		}
		f.next() // repeats the number of synsets
		f.next() // number of synsets that occur in tagged texts
		if f.err == nil && len(f.rest) != n {
			f.err = fmt.Errorf("%d offsets, but the line states %d", len(f.rest), n)
		}
		if f.err != nil {
			return l.fail("%v", f.err)
		}
		if _, ok := senses[lemma]; ok {
			return l.fail("duplicate lemma")
		}
		all := make([]Synset, 0, n)
		for range n {
			offset := f.number("an offset", 10)
			s, ok := r.synset(pos, offset)
			if f.err != nil {
				return l.fail("%v", f.err)
			}
			if !ok {
				return l.fail("no synset begins at offset %d", offset)
			}
			all = append(all, s)
		}
		senses[r.intern(lemma)] = all
		return nil
	})
}

// exceptions reads a file of irregular forms, with a form and its lemmas per line.
func (r *reader) exceptions(pos POS, name string) error {
	exceptions := r.net.parts[pos].exceptions
	err := r.each(name, func(l line, text string) error {
		words := strings.Fields(text)
		switch {
		case len(words) == 0:
			return nil
		case len(words) == 1:
			return l.fail("an irregular form without a lemma")
		}
		form := r.intern(words[0])
		for _, lemma := range words[1:] {
			exceptions[form] = append(exceptions[form], r.intern(lemma))
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
