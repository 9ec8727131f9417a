package notefile

import (
	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
	"github.com/lethe-deid/lethe/deid/notefile/internal/htmltext"
	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
)

// readHTML reads the notes of a record that are HTML, wherever they stand, without their tags, which may divide a name. Of a record that marks its
// PHI, the texts stay as they are, because that is what the marks count.
func readHTML(in *base.Source, r *Record, o Options) error {
	if o.Marked {
		return nil
	}
	for _, n := range r.Notes {
		if n.Field != "" || !htmltext.Is(n.Text) {
			continue
		}
		x, err := htmltext.Inside(n.Text, o.Drop)
		if err != nil {
			return in.Defect(n.Line, -1, err.Error())
		}
		if markup.UnreadableText(x.Text, true) != "" {
			continue // it is examined with its tags
		}
		below := n.Below
		n.Tags, n.Without = n.Text, x.Spans
		n.Text, n.Always, r.Dropped = x.Text, n.Always || x.Always, r.Dropped+x.Dropped
		n.Below = func(edits []Edit) []Edit { return below(x.Below(edits)) }
	}
	return nil
}
