// Package brat reads and writes brat standoff: each note is a text file, ID.txt,
// with an annotation file, ID.ann, that has lines such as
//
//	T1	PATIENT 10 19	John Smith
//
// Offsets count code points of the text file as it is, like brat itself: U+FEFF
// counts as one, and CR LF as two. (Programs that open the file in text mode,
// such as the MEDDOCAN scorer, count CR LF as one. For a text with CR they
// disagree with brat, and annotations that were made with
// their offsets require data.ReadOptions.Offsets.)
package brat

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/internal/notes"
)

// Exts are the extensions of the files of this format in a folder.
var Exts = []string{textExt, annotationExt}

const (
	textExt       = ".txt"
	annotationExt = ".ann"
)

// Read reads one note, given by either of its files, or all notes of a folder and
// its subfolders in the order of their paths. It ignores hidden files and folders, and
// links to folders. The ID is the path within the folder without extension, as in
// ward/110-04; from file names such as 110-04 it takes the patient, 110. A defective note yields a *data.Error, and reading continues with the next
// note. A missing path, or a folder without notes, yields one error.
//
// A note requires both files, as in brat: a missing .ann is an error and does not
// mean that the note has no PHI. (Package text reads texts alone.) Read parses
// the T lines, whose quoted text must be equal to the text of the note with line
// ends replaced by spaces. If it is not, the error says what the offsets of the file
// probably count. Read ignores lines of relations, events, attributes,
// normalisations and notes (R E A M N # *). A span in fragments is read as one
// span if only line ends are between the fragments, which is how brat writes a
// span across a line end; opt.Fragments says what becomes of others.
func Read(path string, opt data.ReadOptions) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		stems, err := list(path)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, stem := range stems {
			doc, err := read(stem, opt)
			if err == nil {
				doc.ID = notes.IDWithin(path, stem+textExt)
			}
			if !yield(doc, err) {
				return
			}
		}
	}
}

// list returns the paths of the notes without their extensions.
func list(path string) ([]string, error) {
	files, err := notes.Tree(path, Exts...)
	if err != nil {
		return nil, err
	}
	if len(files) == 1 && !slices.Contains(Exts, notes.Ext(files[0])) {
		return nil, notes.Defect(path, 0, -1, "not a file of brat, which has the extension .txt or .ann: the file is in another format")
	}
	stems := make([]string, len(files))
	for i, f := range files {
		stems[i] = notes.Stem(f)
	}
	slices.Sort(stems) // "a-1.ann" sorts before "a.ann", but "a" before "a-1"
	return slices.Compact(stems), nil
}

func read(stem string, opt data.ReadOptions) (*data.Document, error) {
	textFile, err := given(stem+textExt, "a note of brat requires its text, too")
	if err != nil {
		return nil, err
	}
	text, err := notes.ReadText(textFile)
	if err != nil {
		return nil, err
	}
	annotations, err := given(stem+annotationExt, "a note of brat requires its annotations, too, in a file that is empty if there are none")
	if err != nil {
		return nil, err
	}
	raw, err := notes.ReadFile(annotations)
	if err != nil {
		return nil, err
	}
	id := filepath.Base(stem)
	doc := &data.Document{ID: id, Patient: data.PatientOf(id), Text: text}
	if err := decode(doc, annotations, raw, opt); err != nil {
		return nil, err
	}
	return doc, nil
}

// given returns the path of one of the two files of a note, which exists, or an error that says why it must.
func given(path, why string) (string, error) {
	found, err := notes.Given(path)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(found); errors.Is(err, fs.ErrNotExist) {
		e := notes.Defect(path, 0, -1, why)
		e.Err = fs.ErrNotExist
		return "", e
	}
	return found, nil
}

// Decode reads an annotation file of a note with this text, by the default options. The spans are sorted by data.SortSpans.
func Decode(path string, raw []byte, text string, types *data.TypeSet) ([]data.Span, error) {
	doc := &data.Document{Text: text}
	err := decode(doc, path, raw, data.ReadOptions{Types: types})
	return doc.Spans, err
}

// decode reads an annotation file and sets the spans of its note, whose text is given.
func decode(doc *data.Document, path string, raw []byte, opt data.ReadOptions) error {
	if err := notes.CheckUTF8(path, raw); err != nil {
		return err
	}
	p := parser{offsets: notes.Counting(doc.Text, opt.Offsets), opt: opt}
	ids := map[string]int{} // line of each
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(string(raw), notes.BOM)) {
		n++
		line = strings.TrimSuffix(line, "\n")
		if strings.TrimSpace(line) == "" || strings.ContainsRune("REAMN#*", rune(line[0])) {
			continue
		}
		spans, offset, err := p.parse(line)
		if err == nil {
			id, _, _ := strings.Cut(line, "\t")
			if before := ids[id]; before > 0 {
				offset, err = -1, fmt.Errorf("duplicate ID %s, which line %d has, too: the file was probably written twice, or put together of two", id, before)
			}
			ids[id] = n
		}
		if err != nil {
			reason := err.Error()
			if offset >= 0 {
				reason += notes.LikelyCause(doc.Text, quotations(string(raw)), opt.Offsets)
			}
			return notes.Defect(path, n, offset, reason)
		}
		if p.apart {
			doc.Fragmented++
		}
		doc.Spans = append(doc.Spans, spans...)
	}
	data.SortSpans(doc.Spans)
	return nil
}

var (
	// quoting matches a T line without fragments.
	quoting = regexp.MustCompile(`(?m)^T[^\t\n]*\t\S+ (\d{1,12}) (\d{1,12})\t([^\r\n]*)`)
	// blankInType matches the second field of a T line whose type contains blanks.
	blankInType = regexp.MustCompile(`^(\S+(?: +[^\s\d]\S*)+) \d+ \d+(?:;\d+ \d+)*$`)
	// blanksForTabs matches a T line with blanks where tabs should be.
	blanksForTabs = regexp.MustCompile(`^T\d+\s+\S+\s+\d+\s+\d+\s`)
)

// quotations returns what the T lines without fragments quote.
func quotations(annotations string) (all []notes.Quotation) {
	for _, m := range quoting.FindAllStringSubmatch(annotations, -1) {
		start, _ := strconv.Atoi(m[1])
		end, _ := strconv.Atoi(m[2])
		all = append(all, notes.Quotation{Start: start, End: end, Text: m[3]})
	}
	return all
}

// parser reads T lines.
type parser struct {
	offsets *notes.Offsets
	opt     data.ReadOptions
	apart   bool // the last span was in fragments with other text between them
}

// parse reads a T line. With an error it returns the offset in the text that the
// error concerns, or -1.
func (p *parser) parse(line string) ([]data.Span, int, error) {
	none := func(offset int, format string, args ...any) ([]data.Span, int, error) {
		return nil, offset, fmt.Errorf(format, args...)
	}
	fields := strings.SplitN(line, "\t", 3)
	switch {
	case line[0] == 'T' && len(fields) < 3 && blanksForTabs.MatchString(line):
		return none(-1, "not a brat annotation line: its fields must be separated by tabs, as in T1, tab, PATIENT 4 11, tab, text")
	case line[0] == 'T' && len(fields) == 2:
		return none(-1, "not a brat annotation line: the text of the span is missing after the offsets and a tab")
	case line[0] != 'T' || len(fields) < 3:
		return none(-1, "not a brat annotation line, such as T1, tab, PATIENT 4 11, tab, text")
	}
	typ, extent, _ := strings.Cut(fields[1], " ")
	if m := blankInType.FindStringSubmatch(fields[1]); m != nil {
		return none(-1, "the type %s contains a blank, which brat does not allow: write %s", m[1], strings.Join(strings.Fields(m[1]), "_"))
	}
	if !p.opt.Types.Has(typ) {
		return none(-1, "%s", p.opt.Types.Lacks(typ))
	}
	text := p.offsets.Text()
	var fragments []data.Span
	var quote []string // the text that the line should quote
	first := -1
	apart := false
	for i, fragment := range strings.Split(extent, ";") {
		left, right, _ := strings.Cut(fragment, " ")
		start, err := notes.Offset(left)
		if err != nil {
			return none(-1, "start: %w", err)
		}
		end, err := notes.Offset(right)
		if err != nil {
			return none(-1, "end: %w", err)
		}
		from, to, err := p.offsets.Bytes(start, end)
		if err != nil {
			return none(start, "%w", err)
		}
		if i == 0 {
			first = start
		} else if before := fragments[i-1].End; from < before {
			return none(-1, "the fragments of the span are not in the order of the text")
		} else if strings.Trim(text[before:from], "\r\n") != "" {
			apart = true
		}
		fragments = append(fragments, data.Span{Start: from, End: to, Type: typ, Score: 1})
		quote = append(quote, flat(text[from:to]))
	}
	want := strings.Join(quote, " ")
	// The line may end with CR LF.
	if got := fields[2]; flat(got) != want && flat(strings.TrimSuffix(got, "\r")) != want {
		return none(first, "the line does not quote the text at its offsets, in %s", p.offsets.Unit())
	}
	if p.apart = apart; !apart {
		fragments, _ = data.HullOfFragments.Join(fragments)
		return fragments, -1, nil
	}
	spans, err := p.opt.Fragments.Join(fragments)
	return spans, -1, err
}

// flat returns the text as an annotation quotes it, in one line.
func flat(text string) string { return lineEnds.Replace(text) }

var lineEnds = strings.NewReplacer("\n", " ", "\r", " ")

// Annotated reports whether a file is the annotation file of a note, or a text with one beside it.
func Annotated(path string) bool {
	annotations, err := notes.Given(notes.Stem(path) + annotationExt)
	if ext := notes.Ext(path); err != nil || ext != textExt && ext != annotationExt {
		return false
	}
	_, err = os.Stat(annotations)
	return err == nil
}

// Create returns a writer of notes into a folder, as ID.txt and ID.ann, with the
// annotations in reading order. A span across a line end is written as one span
// and quoted with a space. The format cannot store scores, or a patient that does
// not follow from the ID.
func Create(dir string, types *data.TypeSet) (data.Writer, error) {
	return notes.NewFolder(dir, types, func(doc *data.Document) ([]notes.Part, error) {
		return []notes.Part{
			{Ext: annotationExt, Content: Encode(doc)}, // first, so that no text is ever without annotations
			{Ext: textExt, Content: []byte(doc.Text)},
		}, nil
	})
}

// Encode returns the annotation file of a document, as Create writes it.
func Encode(doc *data.Document) []byte {
	spans := slices.Clone(doc.Spans)
	data.SortSpans(spans)
	offsets := notes.NewOffsets(doc.Text)
	var b bytes.Buffer
	for i, s := range spans {
		fmt.Fprintf(&b, "T%d\t%s %d %d\t%s\n", i+1, s.Type,
			offsets.CodePoint(s.Start), offsets.CodePoint(s.End), flat(doc.Text[s.Start:s.End]))
	}
	return b.Bytes()
}
