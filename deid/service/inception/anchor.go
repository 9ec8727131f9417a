package inception

import (
	"slices"
	"sort"

	"github.com/lethe-deid/lethe/deid/service/wire"
)

// anchor fits predictions to the granularity of a layer. INCEpTION drops a prediction that does not cover a token of a
// layer whose annotations consist of tokens, so such predictions are widened to all tokens that they touch.
func anchor(found []prediction, mode string, tokens []extent) ([]prediction, error) {
	switch mode {
	case "", "characters":
		return found, nil
	case "tokens", "singleToken":
	default:
		return nil, wire.Unprocessable("The granularity of the layer must be characters or tokens: annotations of whole sentences cannot mark PHI.")
	}
	if len(tokens) == 0 && len(found) > 0 {
		return nil, wire.Unprocessable("The document has no tokens, although the annotations of the layer must consist of tokens.")
	}
	var anchored []prediction
	for _, p := range found {
		touched := touching(tokens, p.extent)
		switch {
		case len(touched) == 0:
			anchored = append(anchored, p)
		case mode == "tokens":
			p.begin, p.end = min(p.begin, touched[0].begin), max(p.end, touched[len(touched)-1].end)
			anchored = append(anchored, p)
		default:
			for _, token := range touched {
				p.extent = token
				anchored = append(anchored, p)
			}
		}
	}
	return slices.CompactFunc(anchored, func(a, b prediction) bool { return a.extent == b.extent && a.label == b.label }), nil
}

// split divides predictions at the limits of sentences, for layers whose annotations must not cross them.
func split(found []prediction, sentences []extent) []prediction {
	var parts []prediction
	for _, p := range found {
		touched := touching(sentences, p.extent)
		if len(touched) < 2 {
			parts = append(parts, p)
			continue
		}
		for _, s := range touched {
			part := p
			part.begin, part.end = max(p.begin, s.begin), min(p.end, s.end)
			parts = append(parts, part)
		}
	}
	return parts
}

// touching returns the extents that overlap one. The extents are sorted and do not overlap.
func touching(extents []extent, e extent) []extent {
	from := sort.Search(len(extents), func(i int) bool { return extents[i].end > e.begin })
	to := from
	for to < len(extents) && extents[to].begin < e.end {
		to++
	}
	return extents[from:to]
}
