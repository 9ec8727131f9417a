// Package archived opens archives of text files that are part of the program, which are much smaller than the files. An archive is a zip file
// that is compressed as a whole by Brotli, because the files of a folder have much in common. Package archivetest makes them.
package archived

import (
	"archive/zip"
	"bytes"
	"io"

	"github.com/andybalholm/brotli"
)

// Open opens an embedded archive. It panics if the archive is broken.
func Open(archive []byte) *zip.Reader {
	files, err := io.ReadAll(brotli.NewReader(bytes.NewReader(archive)))
	if err != nil {
		panic(err) // the archive is embedded
	}
	r, err := zip.NewReader(bytes.NewReader(files), int64(len(files)))
	if err != nil {
		panic(err)
	}
	return r
}
