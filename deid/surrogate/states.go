package surrogate

import (
	"slices"
	"strings"
	"sync"
)

// stateTable holds the states of a language. All forms of a state have one surrogate.
type stateTable struct {
	forms map[string]*stateForms // by every form, see stateKey
	all   *list
}

// stateForms are the ways to write a state.
type stateForms struct {
	full  string
	post  string // the postal abbreviation of two letters; may be empty
	short string // another abbreviation, such as Mass.; may be empty
}

// newStateTable reads lines such as "Ohio: OH". An abbreviation of two states belongs
// to the first.
func newStateTable(name, text string) *stateTable {
	table := &stateTable{forms: map[string]*stateForms{}, all: &list{name: name}}
	for line := range strings.Lines(text) {
		full, rest, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		state := &stateForms{full: full}
		table.all.add(full, fold(full))
		forms := []string{full}
		for form := range strings.SplitSeq(rest, ",") {
			form = strings.TrimSpace(form)
			forms = append(forms, form)
			switch {
			case len(form) == 2:
				state.post = form
			case state.short == "" && strings.HasSuffix(form, "."):
				state.short = form
			}
		}
		for _, form := range forms {
			if key := stateKey(form); key != "" && table.forms[key] == nil {
				table.forms[key] = state
			}
		}
	}
	return table
}

// find returns the state with a form; nil if there is none. The table itself may be nil.
func (t *stateTable) find(text string) *stateForms {
	if t == nil {
		return nil
	}
	return t.forms[stateKey(text)]
}

// knownState reports whether a text is a state of any language.
func (l *languages) knownState(text string) bool {
	return slices.ContainsFunc(l.all, func(lang *language) bool { return lang.states.find(text) != nil })
}

// stateKey folds a text without points and without blanks between single letters.
func stateKey(text string) string {
	words := strings.Fields(strings.ReplaceAll(fold(text), ".", " "))
	if slices.ContainsFunc(words, func(w string) bool { return len(w) > 2 }) {
		return strings.Join(words, " ")
	}
	return strings.Join(words, "")
}

// stateIn returns one name for all forms of a state or country, or the folded text if
// it is neither.
func (m *Maker) stateIn(text string) string {
	if same := m.countries[stateKey(text)]; same != "" {
		return same
	}
	if state := m.lang.states.find(text); state != nil {
		return fold(state.full)
	}
	return m.words.withoutArticle(strings.Join(strings.Fields(fold(text)), " "))
}

// stateInForm replaces a state with another in the same form.
func (p *Patient) stateInForm(text string) (string, bool) {
	trimmed := strings.TrimSpace(text)
	was := p.lang.states.find(trimmed)
	if was == nil {
		if len(stateKey(trimmed)) == 2 {
			return p.stateAbbreviation(text)
		}
		return p.listed(text, "state", p.list("state"))
	}
	had := func(s string) bool {
		now := p.lang.states.find(s)
		return p.places.states[p.stateIn(s)] || now != nil && (p.original(fold(now.post)) || p.taken[abbreviations+"\x00"+fold(now.post)] != "") // not MA if somebody is called Ma
	}
	made, ok := p.drawUnless("state", fold(was.full), p.list("state"), had)
	if !ok { // the notes contain most of the states on the list
		made, ok = p.drawUnless("state", fold(was.full), p.lang.states.all, had)
	}
	if !ok {
		made = p.invent("state", fold(was.full), p.list("state"))
	}
	if stateKey(trimmed) == fold(was.full) {
		return strings.Replace(text, trimmed, likeCase(made, trimmed), 1), true
	}
	now := p.lang.states.find(made)
	switch {
	case now == nil || now.post == "": // from a list of the user
		return p.stateAbbreviation(text)
	case strings.Contains(trimmed, ".") && now.short != "" && len(stateKey(trimmed)) > 2:
		return strings.Replace(text, trimmed, likeCase(now.short, trimmed), 1), true
	case len(stateKey(trimmed)) == 2:
		return lettersLike(now.post, text), true
	}
	return strings.Replace(text, trimmed, now.post, 1), true
}

// stateAbbreviation draws a surrogate for an abbreviation of two letters that is not a
// known state. It returns false if there is none left.
func (p *Patient) stateAbbreviation(text string) (string, bool) {
	ofState := func(s string) bool { // which another value has become
		state := p.lang.states.find(s)
		return state != nil && p.taken["state\x00"+fold(state.full)] != ""
	}
	for _, l := range []*list{p.lists[abbreviations], pairsOfLetters()} {
		if s, ok := p.drawUnless(abbreviations, stateKey(text), l, ofState); ok {
			return lettersLike(s, text), true
		}
	}
	return "", false
}

// pairsOfLetters are all that may abbreviate a state.
var pairsOfLetters = sync.OnceValue(func() *list {
	all := &list{name: abbreviations}
	for first := 'A'; first <= 'Z'; first++ {
		for second := 'A'; second <= 'Z'; second++ {
			all.add(string([]rune{first, second}), strings.ToLower(string([]rune{first, second})))
		}
	}
	return all
})

// lettersLike replaces the letters of text with those of s, in the case of the old
// ones: M.A. for C.T.
func lettersLike(s, text string) string {
	i := 0
	return strings.Map(func(r rune) rune {
		if !letterOrMark(r) || i == len(s) {
			return r
		}
		i++
		if lowerCase(string(r)) {
			return []rune(strings.ToLower(s[i-1 : i]))[0]
		}
		return rune(s[i-1])
	}, text)
}
