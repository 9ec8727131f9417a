package markup

import (
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/safetynet"
)

// Inside is the text of a note within a value that is text itself, such as RTF in a column.
type Inside struct {
	Text    string
	Below   func([]Edit) []Edit           // translates edits of the text into edits of the value
	Spans   func([]data.Span) []data.Span // returns where spans of the value are in the text; may be nil
	Always  bool                          // Below returns edits even if the text has none
	Dropped int                           // number of parts that Below removes
	Known   []safetynet.Value             // values that the value contains outside of the text
}
