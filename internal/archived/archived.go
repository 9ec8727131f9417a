// Package archived opens archives of text files that are part of the program, which are much smaller than the files. An archive is a zip file
// that is compressed as a whole by zstd, because the files of a folder have much in common. Package archivetest makes them.
package archived

import (
	"archive/zip"
	"bytes"

	"github.com/klauspost/compress/zstd"
)

// Open opens an embedded archive. It panics if the archive is broken.
func Open(archive []byte) *zip.Reader {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		panic(err) // the options are constant
	}
	defer decoder.Close()
	files, err := decoder.DecodeAll(archive, nil)
	if err != nil {
		panic(err) // the archive is embedded
	}
	r, err := zip.NewReader(bytes.NewReader(files), int64(len(files)))
	if err != nil {
		panic(err)
	}
	return r
}
