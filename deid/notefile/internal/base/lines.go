package base

import (
	"bytes"
	"io"

	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"
)

// Hopeless is the maximum number of bad lines at the start of a file that are reported one by one.
// After these, the file is treated as one of another format.
const Hopeless = 10

// Lines reads one record per line. parse gets the number and the offset of the line. Blank lines
// are records without notes.
func Lines(in *Source, parse func(raw []byte, line, offset int) (*Record, error)) Records {
	return func(yield func(*Record, error) bool) {
		good, bad := 0, 0
		for {
			line, offset := in.Line, in.Offset
			raw, end := in.ReadLine()
			if end != nil && end != io.EOF {
				yield(nil, &Broken{Err: end})
				return
			}
			if len(raw) > 0 {
				record, err := &Record{Raw: raw, Line: line}, error(nil)
				if text := bytes.TrimSpace(raw); len(text) > 0 && (line > 1 || string(text) != markup.BOM) {
					if record, err = parse(raw, line, offset); err == nil {
						err = in.CheckTexts(record, true)
					}
					if err != nil {
						record = nil
					}
					if err == nil {
						good++
					} else if bad++; good == 0 && bad == Hopeless {
						err = &Broken{Err: err}
					}
				}
				if !yield(record, err) || err != nil && good == 0 && bad == Hopeless {
					return
				}
			}
			if end == io.EOF {
				return
			}
		}
	}
}
