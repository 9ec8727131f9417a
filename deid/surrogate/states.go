package surrogate

import (
	"slices"
	"strings"
)

// stateTable has the states of a language. A state is one place in all its forms.
type stateTable struct {
	forms map[string]*stateForms // by every form, see stateKey
	all   *list
}

// stateForms are the ways to write one state: in full, by the post, and the usual abbreviations.
type stateForms struct {
	full  string
	post  string // two letters, or empty
	short string // Mass., or empty
}

// newStateTable reads lines such as "Ohio: OH". Of two states with one abbreviation the first has it.
func newStateTable(name, text string) *stateTable {
	table := &stateTable{forms: map[string]*stateForms{}, all: &list{name: name}}
	for line := range strings.Lines(text) {
		full, rest, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		state := &stateForms{full: full}
		table.all.entries = append(table.all.entries, full)
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

// find returns the state that is written in some form; nil if there is none, as in a language without states.
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

// stateKey folds a text; points, and blanks between single letters, do not count.
func stateKey(text string) string {
	words := strings.Fields(strings.ReplaceAll(fold(text), ".", " "))
	if slices.ContainsFunc(words, func(w string) bool { return len(w) > 2 }) {
		return strings.Join(words, " ")
	}
	return strings.Join(words, "")
}

// stateIn is the state that a text names in any form; of one without a form of its own it is the text, folded.
func (m *Maker) stateIn(text string) string {
	if same := m.countries[stateKey(text)]; same != "" {
		return same
	}
	if state := m.lang.states.find(text); state != nil {
		return fold(state.full)
	}
	return m.words.withoutArticle(strings.Join(strings.Fields(fold(text)), " "))
}

// stateInForm replaces a state in the form in which it is written.
func (p *Patient) stateInForm(text string) (string, bool, error) {
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
		return p.places.states[p.stateIn(s)] || now != nil && p.original(now.post) // MA, where somebody is called Ma
	}
	made, err := p.drawUnless("state", fold(was.full), p.list("state"), had)
	if err != nil { // half of the states stand in the notes
		made, err = p.drawUnless("state", fold(was.full), p.lang.states.all, had)
	}
	if err != nil {
		return "", false, err
	}
	if stateKey(trimmed) == fold(was.full) {
		return strings.Replace(text, trimmed, likeCase(made, trimmed), 1), true, nil
	}
	now := p.lang.states.find(made)
	switch {
	case now == nil || now.post == "": // of a list of the user's own
		return p.stateAbbreviation(text)
	case strings.Contains(trimmed, ".") && now.short != "" && len(stateKey(trimmed)) > 2:
		return strings.Replace(text, trimmed, likeCase(now.short, trimmed), 1), true, nil
	case len(stateKey(trimmed)) == 2:
		return lettersLike(now.post, text), true, nil
	}
	return strings.Replace(text, trimmed, now.post, 1), true, nil
}

// stateAbbreviation draws an abbreviation for one of two letters that no known state has.
func (p *Patient) stateAbbreviation(text string) (string, bool, error) {
	s, err := p.draw(abbreviations, stateKey(text), p.lists[abbreviations])
	return lettersLike(s, text), err == nil, err
}

// lettersLike puts the two letters of s where those of text stand, in their case: M.A. for C.T.
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
