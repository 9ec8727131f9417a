package feature

import (
	"fmt"

	"github.com/lethe-deid/lethe/taggers/crf/pos"
)

// withPOS makes a family require parts of speech.
func withPOS(f family) family {
	columns := f.columns
	f.needs = "pos"
	f.columns = func(s Spec, r *Resources) ([]column, error) {
		all, err := columns(s, r)
		for i := range all {
			values := all[i].values
			all[i].values = func(x *Text, put func(int, string)) {
				x.tag(r.pos)
				values(x, put)
			}
		}
		return all, err
	}
	return f
}

// tag finds the parts of speech of all tokens, sentence by sentence. It does so only
// once per text.
func (x *Text) tag(tagger *pos.Tagger) {
	keep(x, "pos", func() []pos.Word {
		all := make([]pos.Word, 0, len(x.Tokens))
		var buffer []pos.Word
		for _, s := range x.Sentences {
			buffer = tagger.Tag(x.words[s.Start:s.End], buffer)
			all = append(all, buffer...)
		}
		return all
	})
}

// tagged returns the result of tag.
func (x *Text) tagged() []pos.Word { return x.kept["pos"].([]pos.Word) }

// part returns the treebank's own tag, which is finer, or the universal tag if there is
// none.
func part(x *Text, t int) string {
	if w := x.tagged()[t]; w.XPOS != "" {
		return w.XPOS
	}
	return x.tagged()[t].UPOS
}

// posFamily has the tags, and sequences of up to Size tags.
func posFamily() family {
	const about = "part of speech, and sequences of up to size parts of speech within the window (Liu et al. 2017, section 3.3: 3 within 2); 1 by default"
	return family{about: about, size: 1, maximum: 5, columns: func(s Spec, _ *Resources) ([]column, error) {
		if 2*s.Window+1 < s.Size {
			return nil, fmt.Errorf("size: %d does not fit into window %d", s.Size, s.Window)
		}
		var all []column
		for n := 1; n <= s.Size; n++ {
			name := s.Family
			if n > 1 {
				name += fmt.Sprint(n)
			}
			all = append(all, column{name: name, lo: -s.Window, hi: s.Window - n + 1, values: grams(n, part)})
		}
		return all, nil
	}}
}

// wordPOS joins the token with its own tag and those of its neighbours.
func wordPOS() family {
	const about = "the token with its own part of speech and those of its neighbours (Liu et al. 2017, section 3.3)"
	return family{about: about, columns: func(s Spec, _ *Resources) ([]column, error) {
		return []column{{name: s.Family, values: func(x *Text, put func(int, string)) {
			for t := range x.Tokens {
				at := func(o int) string {
					if k := t + o; k >= 0 && k < len(x.Tokens) && x.sentence()[k] == x.sentence()[t] {
						return part(x, k)
					}
					return "_"
				}
				w, before, own, after := x.lower()[t], at(-1), at(0), at(1)
				for _, v := range [...]string{before + " . .", ". " + own + " .", ". . " + after, before + " " + own + " .", ". " + own + " " + after, before + " " + own + " " + after} {
					put(t, w+" "+v)
				}
			}
		}}}, nil
	}}
}
