package presidio

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/deid/service/wire"
)

// A recognizer with context words raises the score of a finding if one of them is near: within the five words before it, without function words,
// or among the context words of the request. These are the figures of Presidio, which compares lemmas; Lethe compares words.
const (
	wordsBefore    = 5
	contextGain    = 0.35
	contextAtLeast = 0.4
)

// enhance raises the scores of findings that have a context word near.
func (a *analysis) enhance(ctx context.Context, text *points, all []*finding) error {
	near := words{points: text, language: a.language}
	for _, f := range all {
		if f.from == nil || len(f.from.context) == 0 {
			continue
		}
		if err := wire.Interrupted(ctx); err != nil {
			return err
		}
		word := supporting(append(near.around(f.start), a.context...), f.from.context)
		if word == "" {
			continue
		}
		original, _ := real(f.score)
		score := min(max(original+contextGain, contextAtLeast), 1)
		why := *f.why // other findings of the pattern have the same
		why.score, why.improvement, why.word = score, score-original, word
		f.score, f.why = score, &why
	}
	return nil
}

// supporting returns the first of a recognizer's words that is in one of the words of a text.
func supporting(words, wanted []string) string {
	for _, w := range wanted {
		for _, word := range words {
			if strings.Contains(word, strings.ToLower(w)) {
				return w
			}
		}
	}
	return ""
}

// token is a part of a text between blanks.
type token struct {
	start, end int
	text       string // in lower case
	counts     bool   // whether it is a word that is no function word
}

// words are the words of a text. Only those of a part of the text are in memory.
type words struct {
	*points
	language string
	tokens   []token
	from, to int // the part with these tokens, in code points
}

const (
	reach = 1024  // number of bytes on each side of a finding in which words are looked for
	part  = 65536 // number of code points in memory
)

// around returns the words before and at a code point.
func (w *words) around(point int) []string {
	if point-w.from < 2*reach && w.from > 0 || point+2*reach > w.to && w.to < w.count() || w.tokens == nil {
		w.from, w.to = max(0, point-4*reach), min(w.count(), point+part)
		start := w.byteAt(w.from)
		w.tokens = tokenize(w.text[start:w.byteAt(w.to)], w.language)
		for i := range w.tokens {
			w.tokens[i].start += start
			w.tokens[i].end += start
		}
	}
	at := w.byteAt(point)
	index, _ := slices.BinarySearchFunc(w.tokens, at+1, func(t token, at int) int { return cmp.Compare(t.end, at) })
	var near []string
	for i, left := min(index, len(w.tokens)-1), wordsBefore+1; i >= 0 && left > 0 && w.tokens[i].end > at-reach; i-- {
		if w.tokens[i].counts {
			near = append(near, w.tokens[i].text)
			left--
		}
	}
	for _, t := range w.tokens[index:] {
		if t.start > at+reach {
			break
		}
		if t.counts {
			return append(near, t.text)
		}
	}
	return near
}

// tokenize splits a text like the tokenizer of spaCy, which Presidio uses: at spaces and punctuation, but not within numbers, addresses and
// times. White space other than single spaces counts as a word.
func tokenize(text, language string) []token {
	var tokens []token
	add := func(start, end int) {
		if start < end {
			word := strings.ToLower(text[start:end])
			tokens = append(tokens, token{start, end, word, !isPunctuation(word) && !strings.Contains(word, ":") && !functionWords[language][word]})
		}
	}
	for at := 0; at < len(text); {
		blank := at + len(text[at:]) - len(strings.TrimLeftFunc(text[at:], unicode.IsSpace))
		if strings.HasPrefix(text[at:blank], " ") {
			at++
		}
		add(at, blank)
		end := len(text)
		if n := strings.IndexFunc(text[blank:], unicode.IsSpace); n >= 0 {
			end = blank + n
		}
		split(text, blank, end, add)
		at = end
	}
	return tokens
}

func isPunctuation(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsPunct(r) })
}

// split divides a text without white space.
func split(text string, start, end int, add func(start, end int)) {
	for start < end {
		r, size := utf8.DecodeRuneInString(text[start:end])
		if !unicode.IsPunct(r) && !unicode.IsSymbol(r) {
			break
		}
		add(start, start+size)
		start += size
	}
	last := end // everything from here on is punctuation after the word
	for start < last {
		r, size := utf8.DecodeLastRuneInString(text[start:last])
		before, _ := utf8.DecodeLastRuneInString(text[start : last-size])
		if !unicode.IsPunct(r) && !unicode.IsSymbol(r) || r == '.' && unicode.IsDigit(before) {
			break
		}
		last -= size
	}
	if !strings.Contains(text[start:last], "@") {
		for i, r := range text[start:last] {
			if at := start + i; i > 0 && divides(text[:last], at, r) {
				add(start, at)
				add(at, at+utf8.RuneLen(r))
				split(text, at+utf8.RuneLen(r), last, add)
				start = last
				break
			}
		}
	}
	if stem, ok := strings.CutSuffix(strings.ToLower(text[start:last]), "n't"); ok && len(stem) == last-start-len("n't") {
		add(start, start+len(stem))
		start += len(stem)
	}
	add(start, last)
	for last < end {
		_, size := utf8.DecodeRuneInString(text[last:end])
		add(last, last+size)
		last += size
	}
}

// divides reports whether a sign within a word divides it.
func divides(text string, at int, r rune) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at+utf8.RuneLen(r):])
	switch r {
	case ':', '<', '>', '=', '/':
		return (unicode.IsLetter(before) || unicode.IsDigit(before)) && unicode.IsLetter(after)
	case '-', '–', '—', ',', '~':
		return unicode.IsLetter(before) && unicode.IsLetter(after)
	}
	return false
}

// functionWords contains, by language, words that carry no context.
var functionWords = map[string]map[string]bool{
	"en": wordlists.Set(`a about above after again all also am an and any are as at be because been before being below between both but by can could did do does doing down
		during each few for from further had has have having he her here hers him his how i if in into is it its just me more most my no nor not now of off on once only or
		other our out over own same she should so some such than that the their them then there these they this those through to too under until up very was we were what
		when where which while who whom why will with would you your n't 's`),

	"es": wordlists.Set(`a al ante aunque bajo cada como con contra cual cuando de del desde donde durante e el ella ellas ellos en entre era es esa ese eso esta está este esto
		fue ha han hasta hay la las le les lo los más me mi mientras muy ni no nos o otra otro para pero poco por porque que quien se según ser si sí sin sobre son su sus
		también tan te tras tu u un una unas uno unos y ya`),
}
