package job

import (
	"io"
	"os"
)

// meter measures how much of the input is read. Files that an earlier run has completed do not count.
type meter struct {
	done  int64 // number of bytes of the files that were read completely
	total int64 // number of bytes of all files to read, or 0 if it is unknown
}

// measure sets the total.
func (m *meter) measure(files *fileSet) {
	for _, file := range files.all {
		if !file.done {
			m.total += sizeOf(file)
		}
	}
}

// sizeOf returns the size of a file, or 0 if it is unknown.
func sizeOf(file noteFile) int64 {
	if file.in == Stdio {
		return 0
	}
	info, err := os.Stat(file.in)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// start returns a function that says how many bytes of this file and of all files before it were read. The bytes in a file of a
// format that seeks are not counted before its end.
func (m *meter) start(file noteFile, in io.Reader) (at func() int64) {
	before := m.done
	counted, ok := in.(interface{ consumed() int64 })
	if !ok || file.done {
		return func() int64 { return before }
	}
	return func() int64 { return before + counted.consumed() }
}

// end counts a file as read.
func (m *meter) end(file noteFile, at func() int64) int64 {
	if !file.done {
		m.done = max(at(), m.done+sizeOf(file))
	}
	return m.done
}

// tell reports the progress after an item.
func (r *run) tell(it item) {
	if r.events.Progress != nil {
		r.events.Progress(Progress{Notes: r.summary.Notes, Bytes: it.at, Total: r.meter.total})
	}
}
