package text

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// pieceSize is the maximum size of a piece in bytes.
const pieceSize = 1 << 20

// Pieces reads files of any size, plain or gzipped, as documents of at most a
// megabyte, for uses that need the text but not the individual notes. It reads
// one file, the .txt files of a folder, or the .txt files in a tar archive
// (.tar, .tar.gz or .tgz), at any depth. A piece ends after a blank line if
// possible, else after a line, else after a space. The ID of a document is the
// path of the file, which for an archive begins with that of the archive.
//
// A file that is not UTF-8 yields a *data.Error with the line and byte offset
// (after decompression), and reading continues with the next file.
func Pieces(path string) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		notes.Walk(path, []string{Ext}, yield, func(file string) bool { return readPieces(file, yield) })
	}
}

// readPieces yields the pieces of one file. It returns false if yield did.
func readPieces(path string, yield notes.Yield) bool {
	f, err := bounded.OpenInput(path)
	if err != nil {
		return yield(nil, notes.Unreadable(path, err))
	}
	defer f.Close()
	in, err := Gunzip(f)
	if err != nil {
		return yield(nil, notes.Unreadable(path, err))
	}
	if archive.MatchString(path) {
		return members(in, path, yield)
	}
	return pieces(in, path, yield)
}

var archive = regexp.MustCompile(`(?i)\.(tar|tar\.gz|tgz)$`)

// members yields the pieces of the .txt files in an archive.
func members(in io.Reader, path string, yield notes.Yield) bool {
	found := false
	for files := tar.NewReader(in); ; {
		h, err := files.Next()
		switch {
		case err == io.EOF && !found:
			return yield(nil, notes.Unreadable(path, errors.New("the archive contains no "+Ext+" file")))
		case err == io.EOF:
			return true
		case err != nil:
			return yield(nil, notes.Unreadable(path, err))
		case h.Typeflag != tar.TypeReg || !strings.EqualFold(filepath.Ext(h.Name), Ext) || strings.HasPrefix(filepath.Base(h.Name), "."):
			continue
		}
		found = true
		if !pieces(files, path+"/"+h.Name, yield) {
			return false
		}
	}
}

// pieces yields the pieces of a stream.
func pieces(in io.Reader, path string, yield notes.Yield) bool {
	buf := make([]byte, pieceSize)
	held, lines, offset := 0, 0, 0
	for {
		var err error
		for held < len(buf) && err == nil { // not io.ReadFull, whose error would look like truncated gzip
			var n int
			n, err = in.Read(buf[held:])
			held += n
		}
		last := err == io.EOF
		if err != nil && !last {
			return yield(nil, notes.Unreadable(path, err))
		}
		piece := buf[:held]
		if !last {
			piece = piece[:pieceEnd(piece)]
		}
		if err := notes.CheckUTF8(path, piece); err != nil {
			if e, ok := errors.AsType[*data.Error](err); ok {
				e.Line += lines
				e.Offset += offset
			}
			return yield(nil, err)
		}
		if len(piece) > 0 && !yield(&data.Document{ID: path, Text: string(piece)}, nil) {
			return false
		}
		if last {
			return true
		}
		lines += bytes.Count(piece, []byte("\n"))
		offset += len(piece)
		held = copy(buf, buf[len(piece):held])
	}
}

// pieceEnd returns the best place to end a piece.
func pieceEnd(b []byte) int {
	for _, border := range []string{"\n\n", "\n", " "} {
		if i := bytes.LastIndex(b, []byte(border)); i >= 0 {
			return i + len(border)
		}
	}
	for end := len(b) - 1; end > len(b)-utf8.UTFMax; end-- {
		if utf8.RuneStart(b[end]) {
			return end
		}
	}
	return len(b)
}

// Gunzip decompresses the stream if its first two bytes are those of gzip.
// Otherwise it returns the stream unchanged.
func Gunzip(r io.Reader) (io.Reader, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	if magic, _ := in.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) { // an error returns when reading
		return in, nil
	}
	return gzip.NewReader(in)
}
