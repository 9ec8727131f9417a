package system

// The kinds of taggers that a system can contain, besides trained. Each new kind
// requires a line here.
import (
	_ "github.com/lethe-deid/lethe/taggers/ann"
	_ "github.com/lethe-deid/lethe/taggers/corrected"
	_ "github.com/lethe-deid/lethe/taggers/crf"
	_ "github.com/lethe-deid/lethe/taggers/cued"
	_ "github.com/lethe-deid/lethe/taggers/ensemble"
	_ "github.com/lethe-deid/lethe/taggers/gazetteer"
	_ "github.com/lethe-deid/lethe/taggers/hf"
	_ "github.com/lethe-deid/lethe/taggers/predicted"
	_ "github.com/lethe-deid/lethe/taggers/rules"
	_ "github.com/lethe-deid/lethe/taggers/secondpass"
	_ "github.com/lethe-deid/lethe/taggers/trees"
)
