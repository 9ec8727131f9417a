package gazetteer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/internal/recent"
)

const (
	maxLists = 1000
	// window is the number of tokens that are processed together, not counting those into which an entry may extend.
	window = 1 << 14
)

// Dictionary finds the entries of lists in texts. It does not change, so several goroutines may use it at once.
type Dictionary struct {
	lists    Lists
	automata []*automaton // one for each folding that a list uses, at most foldings
	longest  int          // number of pieces of the longest entry
	scanners sync.Pool    // idle scanners, as pointers
}

// Match is an occurrence of a list's entry in a text: tokens [Start, End).
type Match struct {
	Start, End int
	List       int // index of the list
}

// NewDictionary reads the lists and makes a dictionary of them. A list without entries after filtering is an error.
func NewDictionary(lists Lists) (*Dictionary, error) {
	if err := lists.Validate(); err != nil {
		return nil, err
	}
	d := &Dictionary{lists: slices.Clone(lists)}
	var built [foldings]*automaton
	var errs [foldings]error
	var building sync.WaitGroup
	for i, fold := range allFoldings {
		building.Go(func() { built[i], errs[i] = d.build(fold) })
	}
	building.Wait()
	for i, a := range built {
		if errs[i] != nil {
			return nil, errs[i]
		}
		if a != nil {
			d.automata = append(d.automata, a)
			d.longest = max(d.longest, a.longestEntry)
		}
	}
	left := make([]bool, len(lists))
	for _, a := range d.automata {
		for _, outputs := range a.outputs {
			for _, o := range outputs {
				left[o.list] = true
			}
		}
	}
	if i := slices.Index(left, false); i >= 0 {
		return nil, fmt.Errorf("list %s: no entries are left: the list is empty, or all of it is filtered out", lists[i].name())
	}
	return d, nil
}

// Lists returns the lists that the dictionary was made of.
func (d *Dictionary) Lists() Lists { return slices.Clone(d.lists) }

// build makes the automaton of the lists with one folding, or nil if there are none. Lists that only filter others have numbers from len(d.lists) on.
func (d *Dictionary) build(fold Fold) (*automaton, error) {
	var own Lists
	for _, l := range d.lists {
		if l.fold() == fold {
			own = append(own, l)
		}
	}
	if len(own) == 0 {
		return nil, nil
	}
	a := newBuilder(fold, own.size())
	filters := make([][]uint16, len(d.lists))
	hidden := Lists{}
	for i, l := range d.lists {
		if l.fold() != fold {
			continue
		}
		for _, f := range l.Filters {
			filters[i] = append(filters[i], d.filter(f, fold, &hidden))
		}
		if err := a.read(&l, uint16(i)); err != nil {
			return nil, err
		}
	}
	for i := range hidden {
		if err := a.read(&hidden[i], uint16(len(d.lists)+i)); err != nil {
			return nil, err
		}
	}
	if err := a.build(filters, len(d.lists)); err != nil {
		return nil, err
	}
	a.trim()
	return a.automaton, nil
}

// filter returns the number of a list that filters another. It may be one of the dictionary's lists, with the same folding or another, or a built-in
// one.
func (d *Dictionary) filter(name string, fold Fold, hidden *Lists) uint16 {
	l := List{Builtin: name}
	if i := slices.Index(d.lists.Names(), name); i >= 0 {
		if l = d.lists[i]; l.fold() == fold {
			return uint16(i)
		}
	}
	i := slices.Index(hidden.Names(), name)
	if i < 0 {
		i = len(*hidden)
		*hidden = append(*hidden, l)
	}
	return uint16(len(d.lists) + i)
}

// read adds the entries of a list.
func (b *builder) read(l *List, number uint16) error {
	var pieces []data.Token
	var folded []byte
	var words []uint32
	return l.each(func(entry []byte) error {
		s := unsafe.String(unsafe.SliceData(entry), len(entry)) // which is not kept, so that it need not be copied
		pieces = pieces[:0]
		if lower(s) { // one piece, like most entries of models
			pieces = append(pieces, data.Token{End: len(s)})
		} else {
			pieces = tokenize.LettersDigits{}.Tokens(s, pieces)
		}
		words = words[:0]
		for _, p := range pieces {
			folded = appendFolded(folded[:0], b.fold, s[p.Start:p.End])
			id, err := b.words.Add(string(folded))
			if err != nil {
				return fmt.Errorf("the lists contain %w", err)
			}
			words = append(words, id)
		}
		b.longestEntry = max(b.longestEntry, len(pieces))
		return b.add(words, number)
	})
}

// trim reduces the capacity of the arrays to their length, unless little is reserved.
func (a *automaton) trim() {
	a.words.Trim()
	for _, s := range []*[]uint32{&a.first, &a.parent, &a.label} {
		if cap(*s)-len(*s) > len(*s)/16 {
			*s = slices.Clip(slices.Clone(*s))
		}
	}
}

// Match returns the entries in a text, which the caller has split into tokens with nothing but white space between them. For each list, it finds the
// longest entry from left to right, without overlaps. Matches are sorted by start, then by list. Besides the matches, Match uses memory for one
// window of tokens.
func (d *Dictionary) Match(text string, tokens []data.Token) []Match {
	all := make([]Match, 0, len(tokens)) // most words are in some list
	s := d.scanner()
	defer d.scanners.Put(s)
	for from := 0; from < len(tokens); from += window {
		to := min(from+window, len(tokens))
		s.scan(text, tokens[from:min(to+d.longest, len(tokens))], to-from, func(start, end, list int) {
			all = append(all, Match{from + start, from + end, list})
		})
	}
	if len(d.automata) > 1 {
		slices.SortFunc(all, func(a, b Match) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.List, b.List)) })
	}
	return all
}

// scanner looks for entries in one text, stretch by stretch.
type scanner struct {
	*Dictionary
	free   []int // by list: the byte offset from which its next entry may begin
	pieces []data.Token
	folded []byte
	first  []int              // by token: its first piece; then the number of pieces
	words  [][foldings]uint32 // by piece: the number of its word in each automaton, or 0 if no entry has it
	states [][]uint32         // by automaton and piece
	recent *recent.Words[[foldings]uint32]
}

// scanner takes an idle scanner, or makes one. The caller puts it back into scanners.
func (d *Dictionary) scanner() *scanner {
	if s, ok := d.scanners.Get().(*scanner); ok {
		s.reset()
		return s
	}
	return &scanner{Dictionary: d, free: make([]int, len(d.lists)), states: make([][]uint32, len(d.automata)), recent: recent.New[[foldings]uint32]()}
}

// reset prepares for another text.
func (s *scanner) reset() { clear(s.free) }

// scan finds the entries that begin at one of the first tokens; begins is their number.
func (s *scanner) scan(text string, tokens []data.Token, begins int, found func(start, end, list int)) {
	s.read(text, tokens)
	for t := range begins {
		for k, a := range s.automata {
			state := s.states[k][s.first[t]]
			for _, o := range a.outputs[a.out[state]] {
				if tokens[t].Start < s.free[o.list] || s.lists[o.list].Capital && !capital(text[tokens[t].Start:]) {
					continue
				}
				length := a.longest(state, o.list, func(n int) bool { return s.after(t, n) > 0 })
				if length > 0 {
					end := s.after(t, length)
					s.free[o.list] = tokens[end-1].End
					found(t, end, int(o.list))
				}
			}
		}
	}
}

// maxToken is the size in bytes from which a token is skipped: no entry is that long, in whatever form its letters are written.
const maxToken = 16 * maxEntry

// read splits tokens into pieces and runs the automata over them, from the last to the first.
func (s *scanner) read(text string, tokens []data.Token) {
	s.first, s.pieces = s.first[:0], s.pieces[:0]
	for _, token := range tokens {
		s.first = append(s.first, len(s.pieces))
		if token.End-token.Start > maxToken {
			s.pieces = append(s.pieces, token)
			continue
		}
		from := len(s.pieces)
		s.pieces = tokenize.LettersDigits{}.Tokens(text[token.Start:token.End], s.pieces)
		for i := range s.pieces[from:] {
			s.pieces[from+i].Start += token.Start
			s.pieces[from+i].End += token.Start
		}
	}
	s.first = append(s.first, len(s.pieces))
	s.words = s.words[:0]
	for _, p := range s.pieces {
		s.words = append(s.words, s.numbers(text[p.Start:p.End]))
	}
	for k, a := range s.automata {
		states := append(s.states[k][:0], make([]uint32, len(s.pieces)+1)...)
		for t := len(tokens) - 1; t >= 0; t-- {
			state := states[s.first[t+1]]
			if t+1 < len(tokens) && blankLine(text[tokens[t].End:tokens[t+1].Start]) {
				state = 0
			}
			for p := s.first[t+1] - 1; p >= s.first[t]; p-- {
				state = a.step(state, s.words[p][k])
				states[p] = state
			}
		}
		s.states[k] = states
	}
}

// numbers returns the number of a piece's word in each automaton.
func (s *scanner) numbers(piece string) [foldings]uint32 {
	value, known := s.recent.At(piece)
	switch {
	case value == nil:
		return s.look(piece)
	case !known:
		*value = s.look(piece)
	}
	return *value
}

// look looks a piece's word up in each automaton.
func (s *scanner) look(piece string) (numbers [foldings]uint32) {
	if len(piece) > maxToken {
		return numbers
	}
	for k, a := range s.automata {
		s.folded = appendFolded(s.folded[:0], a.fold, piece)
		numbers[k] = a.words.Find(string(s.folded))
	}
	return numbers
}

// after returns the token after this many pieces from token t on, or 0 if they end within a token.
func (s *scanner) after(t, pieces int) int {
	want := s.first[t] + pieces
	to := min(t+pieces, len(s.first)-1)
	if s.first[to] == want { // each token is one piece
		return to
	}
	if i, ok := slices.BinarySearch(s.first[t:to], want); ok {
		return t + i
	}
	return 0
}

// blankLine reports whether the space between two tokens contains an empty line.
func blankLine(space string) bool { return len(space) > 1 && strings.Count(space, "\n") > 1 }

// capital reports whether a text begins with an upper-case or title-case letter.
func capital(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(r) || unicode.IsTitle(r)
}
