// Package brown puts words into clusters by the words beside them: the hierarchical clusters of Brown et al. 1992 ("Class-Based n-gram Models of Natural
// Language", section 3), which are features for taggers that learn. A cluster has a path, a string of bits: its way down the tree of
// clusters from the root, so that the first few bits are those of all clusters that are alike.
//
// Train is the algorithm of Brown et al. as Liang 2005 ("Semi-Supervised Learning for Natural Language", section 4.2) has it, with a limited number of
// clusters at a time. Read and File know the paths file of Liang's program, which others share:
//
//	0010110<TAB>lunes<TAB>1284
package brown

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/text"
	"github.com/lethe-deid/lethe/embeddings/internal/whole"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// Clusters says in which cluster each of some words is.
type Clusters struct {
	entries []Entry // by path, then the most frequent first, then by word
	index   map[string]int32
}

// Entry is a word in its cluster.
type Entry struct {
	Path  string // of the cluster: 0s and 1s; empty if there is but one cluster
	Word  string
	Count int // how often it was seen
}

// newClusters sorts the entries; no word is there twice.
func newClusters(entries []Entry) *Clusters {
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(b.Count, a.Count), strings.Compare(a.Word, b.Word))
	})
	c := &Clusters{entries, make(map[string]int32, len(entries))}
	for i, e := range entries {
		c.index[e.Word] = int32(i)
	}
	return c
}

// Path is the path of a word's cluster; false if the word, exactly as it is written, is in none.
func (c *Clusters) Path(word string) (path string, ok bool) {
	i, ok := c.index[word]
	if !ok {
		return "", false
	}
	return c.entries[i].Path, true
}

// Entries are all words, cluster by cluster. The caller must not change them.
func (c *Clusters) Entries() []Entry { return c.entries }

// Len is the number of clusters.
func (c *Clusters) Len() int {
	n := 0
	for i, e := range c.entries {
		if i == 0 || e.Path != c.entries[i-1].Path {
			n++
		}
	}
	return n
}

// Read reads a paths file, gzipped or not. A line has a path, a word and a count between tabs. An error names the file and the line.
func Read(path string) (*Clusters, error) {
	f, err := bounded.OpenInput(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in, err := text.Gunzip(f)
	if err != nil {
		return nil, &data.Error{Path: path, Offset: -1, Reason: "cannot be read", Err: err}
	}
	return read(in, path)
}

func read(in io.Reader, path string) (*Clusters, error) {
	lines := bufio.NewReaderSize(in, 1<<16)
	if mark, _ := lines.Peek(3); string(mark) == "\uFEFF" { // an error comes again when reading
		_, _ = lines.Discard(3)
	}
	var entries []Entry
	first := map[string]int{} // line of each word
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
				return nil, broken("has %d columns, where path, word and count are expected", len(columns))
			}
			e := Entry{Path: columns[0], Word: columns[1]}
			switch e.Count, err = strconv.Atoi(columns[2]); {
			case strings.Trim(e.Path, "01") != "":
				return nil, broken("the path is not made of 0 and 1")
			case e.Word == "" || !utf8.ValidString(e.Word):
				return nil, broken("the word is empty or not UTF-8")
			case err != nil || e.Count < 0:
				return nil, broken("the count is not a whole number of at least 0")
			case first[e.Word] > 0:
				return nil, broken("the word of line %d again", first[e.Word])
			}
			if p, ok := paths[e.Path]; ok { // one string for all its words
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
		return nil, &data.Error{Path: path, Offset: -1, Reason: "holds no word"}
	}
	return newClusters(entries), nil
}

// File is a paths file to be: hidden beside its path until Save.
type File struct{ file *whole.File }

// Create makes a File, and its folder if need be. A path that ends in .gz is gzipped.
func Create(path string) (*File, error) {
	f, err := whole.Create(path)
	if err != nil {
		return nil, err
	}
	return &File{f}, nil
}

// Save writes the clusters, which then are at the path. The same clusters give the same bytes.
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

// Abort removes what Save has not made final; after Save it does nothing.
func (f *File) Abort() error { return f.file.Abort() }
