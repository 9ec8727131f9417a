// Package archived opens archives of text files that are part of the program, which are much smaller than the files. Package archivetest
// makes them.
package archived

import (
	"archive/zip"
	"bytes"
)

// Open opens an embedded archive. It panics if the archive is broken.
func Open(archive []byte) *zip.Reader {
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		panic(err) // the archive is embedded
	}
	return r
}
