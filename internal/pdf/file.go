// Package pdf writes files of PDF 1.7 (ISO 32000-1): a File of objects, and a Font that is embedded in it.
package pdf

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"unicode/utf16"
)

// File is a file of numbered objects. Create it with New.
type File struct {
	out     bytes.Buffer
	offsets []int
}

// New returns a file without objects.
func New() *File {
	f := &File{}
	f.out.WriteString("%PDF-1.7\n")
	return f
}

// Next returns the number of the next object, from 1.
func (f *File) Next() int { return len(f.offsets) + 1 }

// Object adds an object, and returns its number.
func (f *File) Object(format string, args ...any) int {
	f.offsets = append(f.offsets, f.out.Len())
	fmt.Fprintf(&f.out, "%d 0 obj\n"+format+"\nendobj\n", append([]any{len(f.offsets)}, args...)...)
	return len(f.offsets)
}

// Stream adds an object of data, which it compresses, and returns its number.
func (f *File) Stream(data []byte) int {
	var compressed bytes.Buffer
	z := zlib.NewWriter(&compressed)
	_, _ = z.Write(data) // a buffer returns no errors
	_ = z.Close()
	return f.Object("<< /Length %d /Length1 %d /Filter /FlateDecode >>\nstream\n%s\nendstream", compressed.Len(), len(data), compressed.Bytes())
}

// Finish adds the table of objects, and returns the file. catalog and info are the numbers of objects.
func (f *File) Finish(catalog, info int) []byte {
	start := f.out.Len()
	fmt.Fprintf(&f.out, "xref\n0 %d\n0000000000 65535 f \n", len(f.offsets)+1)
	for _, at := range f.offsets {
		fmt.Fprintf(&f.out, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&f.out, "trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(f.offsets)+1, catalog, info, start)
	return f.out.Bytes()
}

// Text returns a text as a string of an object, such as a title.
func Text(s string) string { return fmt.Sprintf("<%X>", bigEndian("\uFEFF"+s)) }

// bigEndian returns a text as big-endian UTF-16.
func bigEndian(s string) (encoded []byte) {
	for _, unit := range utf16.Encode([]rune(s)) {
		encoded = append(encoded, byte(unit>>8), byte(unit))
	}
	return encoded
}
