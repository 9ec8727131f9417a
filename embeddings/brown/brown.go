// Package brown clusters words by the words next to them: the hierarchical
// clusters of Brown et al. 1992 ("Class-Based n-gram Models of Natural Language",
// section 3), which are features for learning taggers. A cluster is identified by
// its path, a string of bits that leads from the root of the tree of clusters to
// it. Similar clusters share the first bits of their paths.
//
// Train implements the algorithm of Brown et al. with a limited number of
// clusters at a time, as in Liang 2005 ("Semi-Supervised Learning for Natural
// Language", section 4.2). Read and File use the paths file of Liang's program,
// which other programs share:
//
//	0010110<TAB>lunes<TAB>1284
package brown

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/embeddings/internal/whole"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/sorting"
)

// Clusters maps words to their clusters.
type Clusters struct {
	entries []Entry // sorted by path, then by descending count, then by word
	index   map[string]int32
}

// Entry is a word with its cluster.
type Entry struct {
	Path  string // path of the cluster: 0s and 1s; empty if there is only one cluster
	Word  string
	Count int // number of occurrences
}

// newClusters returns the clusters of the entries, which it sorts. The words must
// be distinct.
func newClusters(entries []Entry) *Clusters {
	sorting.By(entries, func(a, b Entry) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(b.Count, a.Count), strings.Compare(a.Word, b.Word))
	})
	c := &Clusters{entries, make(map[string]int32, len(entries))}
	for i, e := range entries {
		c.index[e.Word] = int32(i)
	}
	return c
}

// Path returns the path of the cluster of a word, in exactly this spelling. ok is
// false if the word is in no cluster.
func (c *Clusters) Path(word string) (path string, ok bool) {
	i, ok := c.index[word]
	if !ok {
		return "", false
	}
	return c.entries[i].Path, true
}

// Entries returns all words, cluster by cluster. The caller must not modify them.
func (c *Clusters) Entries() []Entry { return c.entries }

// Len returns the number of clusters.
func (c *Clusters) Len() int {
	n := 0
	for i, e := range c.entries {
		if i == 0 || e.Path != c.entries[i-1].Path {
			n++
		}
	}
	return n
}

// Read reads a paths file, plain or gzipped. A line has a path, a word and a
// count, separated by tabs. Errors are of type *data.Error and name the file and
// the line.
func Read(path string) (*Clusters, error) {
	f, err := bounded.OpenInput(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in, err := bounded.Gunzip(f)
	if err != nil {
		return nil, &data.Error{Path: path, Offset: -1, Reason: "cannot be read", Err: err}
	}
	return read(in, path)
}

func read(in io.Reader, path string) (*Clusters, error) {
	lines := bufio.NewReaderSize(in, 1<<16)
	if mark, _ := lines.Peek(3); string(mark) == "\uFEFF" { // an error returns when reading
		_, _ = lines.Discard(3)
	}
	var entries []Entry
	first := map[string]int{} // line number of each word
	paths := map[string]string{}
	for line := 1; ; line++ {
		broken := func(reason string, args ...any) error {
			return &data.Error{Path: path, Line: line, Offset: -1, Reason: fmt.Sprintf(reason, args...)}
		}
		raw, err := lines.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			return nil, broken("is longer than %d bytes", lines.Size())
		} else if err != nil && err != io.EOF {
			return nil, &data.Error{Path: path, Line: line, Offset: -1, Reason: "cannot be read", Err: err}
		}
		if raw = bytes.TrimRight(raw, "\r\n"); len(raw) > 0 {
			columns := strings.Split(string(raw), "\t")
			if len(columns) != 3 {
				return nil, broken("requires path, word and count, but has %d columns", len(columns))
			}
			e := Entry{Path: columns[0], Word: columns[1]}
			switch e.Count, err = strconv.Atoi(columns[2]); {
			case strings.Trim(e.Path, "01") != "":
				return nil, broken("the path does not consist of 0 and 1")
			case e.Word == "" || !utf8.ValidString(e.Word):
				return nil, broken("the word is empty or not UTF-8")
			case err != nil || e.Count < 0:
				return nil, broken("the count is not a whole number of at least 0")
			case first[e.Word] > 0:
				return nil, broken("duplicate word, first in line %d", first[e.Word])
			}
			if p, ok := paths[e.Path]; ok { // share one string among the words of a cluster
				e.Path = p
			} else {
				paths[e.Path] = e.Path
			}
			e.Word = strings.Clone(e.Word)
			first[e.Word] = line
			entries = append(entries, e)
		}
		if err == io.EOF {
			break
		}
	}
	if len(entries) == 0 {
		return nil, &data.Error{Path: path, Offset: -1, Reason: "no words"}
	}
	return newClusters(entries), nil
}

// File is a paths file that is being written. It is hidden next to its path until
// Save.
type File struct{ file *whole.File }

// Create creates a File, and its folder if necessary. If the path ends in .gz,
// the file is gzipped.
func Create(path string) (*File, error) {
	f, err := whole.Create(path)
	if err != nil {
		return nil, err
	}
	return &File{f}, nil
}

// Save writes the clusters and moves the file to its path. The same clusters give
// the same bytes.
func (f *File) Save(c *Clusters) error {
	return f.file.Write(func(w io.Writer) error {
		for _, e := range c.entries {
			if _, err := fmt.Fprintf(w, "%s\t%s\t%d\n", e.Path, e.Word, e.Count); err != nil {
				return err
			}
		}
		return nil
	})
}

// Abort removes the file if it has not been saved. After Save it does nothing.
func (f *File) Abort() error { return f.file.Abort() }
