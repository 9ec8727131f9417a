// Package archived opens archives of text files that are part of the program, which are much smaller than the files. An archive is a zip file
// that is compressed as a whole by Brotli, because the files of a folder have much in common. Package archivetest makes them.
package archived

import (
	"archive/zip"
	"bytes"

	"github.com/andybalholm/brotli"
)

// ratio is a little more than how much smaller archives are than their files.
const ratio = 4

// Open opens an embedded archive. It panics if the archive is broken.
func Open(archive []byte) *zip.Reader {
	var files bytes.Buffer
	files.Grow(ratio * len(archive))
	if _, err := files.ReadFrom(brotli.NewReader(bytes.NewReader(archive))); err != nil {
		panic(err) // the archive is embedded
	}
	r, err := zip.NewReader(bytes.NewReader(files.Bytes()), int64(files.Len()))
	if err != nil {
		panic(err)
	}
	return r
}
