package job

import (
	"context"
	"iter"

	"github.com/lethe-deid/lethe/deid"
)

// Read yields the notes that Run would examine, with their patients and the known values in their records, and writes nothing.
// An error concerns a record or a file, and reading continues with the next; the last errors may be of the type [*LeftOut]. The fields of config that say what is PHI and what
// replaces it have no effect. Output must be the folder that the caller writes: it is an error if it is inside of an input.
func Read(ctx context.Context, config Config, events Events) (iter.Seq2[deid.Note, error], error) {
	c, err := config.check()
	if err != nil {
		return nil, err
	}
	c.reads = true
	files, err := c.findFiles(ctx, events)
	if err != nil {
		return nil, err
	}
	if err := c.checkFormats(files); err != nil {
		return nil, optionError(err)
	}
	if err := c.openFields(nil); err != nil {
		return nil, optionError(err)
	}
	r := &run{config: c, events: events}
	r.meter.measure(files)
	return func(yield func(deid.Note, error) bool) {
		all := everyKey
		for it := range r.items(ctx, files) {
			all = allHave(all, it.record)
			if it.err != nil && !yield(deid.Note{}, it.err) {
				return
			}
			for _, n := range it.notes {
				if n.note.Search != deid.Fully {
					continue // a field
				}
				if !yield(n.note, nil) {
					return
				}
				r.summary.Notes++
			}
			r.tell(it)
		}
		if err := r.keys.check(all, c.Config); err != nil {
			events.warn(err)
		}
		for _, left := range files.leftOut {
			if err := left.err(); err != nil && !c.SkipOthers && !yield(deid.Note{}, err) {
				return
			}
		}
	}, nil
}
