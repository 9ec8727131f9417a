// Package brat reads and writes brat standoff: each note is a text file, ID.txt,
// with an annotation file, ID.ann, that has lines such as
//
//	T1	PATIENT 10 19	John Smith
//
// Offsets count code points of the text file as it is, like brat itself: U+FEFF
// counts as one, and CR LF as two. (Programs that open the file in text mode,
// such as the MEDDOCAN scorer, count CR LF as one. For a text with CR they
// disagree with brat, and this package rejects annotations that were made with
// their offsets.)
package brat

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
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

// Read reads one note, given by either of its files, or all notes of a folder in
// the order of their names. It ignores hidden files and subfolders. The ID is the
// file name without extension; from names such as 110-04 it takes the patient,
// 110. A defective note yields a *data.Error, and reading continues with the next
// note. A missing path, or a folder without notes, yields one error.
//
// A note requires both files, as in brat: a missing .ann is an error and does not
// mean that the note has no PHI. (Package text reads texts alone.) Read parses
// the T lines, whose quoted text must be equal to the text of the note with line
// ends replaced by spaces. It ignores lines of relations, events, attributes,
// normalisations and notes (R E A M N # *). A span in fragments is read as one
// span if only line ends are between the fragments, which is how brat writes a
// span across a line end; otherwise it is an error.
func Read(path string, types *data.TypeSet) data.Documents {
	return func(yield func(*data.Document, error) bool) {
		stems, err := list(path)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, stem := range stems {
			if !yield(read(stem, types)) {
				return
			}
		}
	}
}

// list returns the paths of the notes without their extensions.
func list(path string) ([]string, error) {
	files, err := notes.List(path, Exts...)
	if err != nil {
		return nil, err
	}
	stems := make([]string, len(files))
	for i, f := range files {
		stems[i] = strings.TrimSuffix(f, filepath.Ext(f))
	}
	slices.Sort(stems) // "a-1.ann" sorts before "a.ann", but "a" before "a-1"
	return slices.Compact(stems), nil
}

func read(stem string, types *data.TypeSet) (*data.Document, error) {
	text, err := notes.ReadText(stem + textExt)
	if err != nil {
		return nil, err
	}
	raw, err := notes.ReadFile(stem + annotationExt)
	if err != nil {
		return nil, err
	}
	id := filepath.Base(stem)
	doc := &data.Document{ID: id, Patient: data.PatientOf(id), Text: text}
	doc.Spans, err = Decode(stem+annotationExt, raw, text, types)
	if err != nil {
		return nil, err
	}
	return doc, nil
}

// Decode reads an annotation file of a note with this text. The spans are sorted by data.SortSpans.
func Decode(path string, raw []byte, text string, types *data.TypeSet) ([]data.Span, error) {
	if err := notes.CheckUTF8(path, raw); err != nil {
		return nil, err
	}
	offsets := notes.NewOffsets(text)
	var spans []data.Span
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(string(raw), notes.BOM)) {
		n++
		line = strings.TrimSuffix(line, "\n")
		if strings.TrimSpace(line) == "" || strings.ContainsRune("REAMN#*", rune(line[0])) {
			continue
		}
		span, offset, err := parseSpan(line, text, offsets, types)
		if err != nil {
			return nil, notes.Defect(path, n, offset, err.Error())
		}
		spans = append(spans, span)
	}
	data.SortSpans(spans)
	return spans, nil
}

// parseSpan reads a T line. With an error it returns the code point that the
// error concerns, or -1.
func parseSpan(line, text string, offsets *notes.Offsets, types *data.TypeSet) (data.Span, int, error) {
	none := func(offset int, format string, args ...any) (data.Span, int, error) {
		return data.Span{}, offset, fmt.Errorf(format, args...)
	}
	fields := strings.SplitN(line, "\t", 3)
	if line[0] != 'T' || len(fields) < 3 {
		return none(-1, "not a brat annotation line")
	}
	typ, extent, _ := strings.Cut(fields[1], " ")
	if !types.Has(typ) {
		return none(-1, "%s", types.Lacks(typ))
	}
	span := data.Span{Type: typ, Score: 1}
	var quote []string // the text that the line should quote
	first := -1
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
		from, to, err := offsets.Bytes(start, end)
		if err != nil {
			return none(start, "%w", err)
		}
		if i == 0 {
			first, span.Start = start, from
		} else if from < span.End || strings.Trim(text[span.End:from], "\r\n") != "" {
			return none(start, "the span has fragments with more than a line end between them")
		}
		span.End = to
		quote = append(quote, flat(text[from:to]))
	}
	want := strings.Join(quote, " ")
	// The line may end with CR LF.
	if got := fields[2]; flat(got) != want && flat(strings.TrimSuffix(got, "\r")) != want {
		return none(first, "the line does not quote the text at its offsets, in code points")
	}
	return span, -1, nil
}

// flat returns the text as an annotation quotes it, in one line.
func flat(text string) string { return lineEnds.Replace(text) }

var lineEnds = strings.NewReplacer("\n", " ", "\r", " ")

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
