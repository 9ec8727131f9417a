package notefile

import (
	"github.com/lethe-deid/lethe/deid/notefile/internal/base"
	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
)

// The types that all formats share.
type (
	// Record is a part of a file that is written completely or not at all.
	Record = base.Record
	// Named says which of the keys that the options name a record has.
	Named = base.Named
	// Note is one text of a record.
	Note = base.Note
	// Edit replaces a part of a note's text.
	Edit = markup.Edit
	// Options describe properties of a file that it does not declare itself. The zero value selects the defaults.
	Options = base.Options
	// Records yields the records of a file. A *data.Error concerns one record, and reading continues with the next. A *Broken is the last item.
	Records = base.Records
	// Broken means that the rest of a file cannot be read.
	Broken = base.Broken
	// Writer writes the records of a file whose format has more than these, such as a footer.
	Writer = base.Writer
)
