package format_test

import (
	"strings"

	"github.com/lethe-deid/lethe/data/conll"
	"github.com/lethe-deid/lethe/data/format"
)

// rows returns lines whose columns are separated by tabs instead of blanks.
func rows(lines ...string) string {
	return strings.ReplaceAll(strings.Join(lines, "\n"), " ", "\t") + "\n"
}

var wrongCoNLL = []wrong{
	{
		what:  "a ragged row",
		files: file("train.conll", rows("Seen VBN O", "by IN O", "Amundsen B-DOCTOR")),
		want:  "train.conll:3: the line has 2 columns, and the first row of the file 3",
	},
	{
		what:  "a token without a label",
		files: file("train.conll", rows("Seen O", "by", "Amundsen B-DOCTOR")),
		want:  "train.conll:2: the line has only one column: columns are separated by tabs or spaces",
	},
	{
		what:  "a token with a blank",
		files: file("train.conll", "Dr.\tO\nZo Vance\tB-DOCTOR\n"),
		want:  "train.conll:2: the token is empty or contains white space, which separates tokens",
	},
	{
		what:   "a header line",
		files:  file("train.conll", rows("token label", "Seen O", "Amundsen B-DOCTOR")),
		want:   "train.conll:1: the label is neither O nor a type after B-, I-, E-, S-, L- or U-; if this is a line of column names, set header to true; if the label is in another column, set label",
		mended: format.Options{CoNLL: conll.Options{Header: true}},
	},
	{
		what:   "numbers in the first column",
		files:  file("train.conll", rows("1 Seen O", "2 by O", "3 Amundsen B-DOCTOR")),
		want:   "train.conll:3: up to this line, the first column only counts the tokens of each sentence: name the column of the tokens, as in token: 2",
		mended: format.Options{CoNLL: conll.Options{Token: 2}},
	},
	{
		what:   "labels with the prefix behind",
		files:  file("train.conll", rows("Seen O", "by O", "Amundsen DOCTOR-B")),
		want:   "train.conll:3: the label is neither O nor a type after B-, I-, E-, S-, L- or U-; for labels such as DOCTOR-B, set labels to suffix",
		mended: format.Options{CoNLL: conll.Options{Labels: "suffix"}},
	},
	{
		what:   "labels without a prefix",
		files:  file("train.conll", rows("Seen O", "by O", "Amundsen DOCTOR")),
		want:   "train.conll:3: the label is neither O nor a type after B-, I-, E-, S-, L- or U-; for labels without B- and I-, set labels to bare",
		mended: format.Options{CoNLL: conll.Options{Labels: "bare"}},
	},
	{
		what:  "BMEWO labels",
		files: file("train.conll", rows("Seen O", "by O", "Zo B-DOCTOR", "van M-DOCTOR", "Vance E-DOCTOR")),
		want:  "train.conll:4: the label is neither O nor a type after B-, I-, E-, S-, L- or U-; in labels of the scheme BMEWO, replace M- by I-, and W- by S-",
	},
	{
		what:  "labels with an underscore",
		files: file("train.conll", rows("Seen O", "by O", "Amundsen B_DOCTOR")),
		want:  "train.conll:3: the label is neither O nor a type after B-, I-, E-, S-, L- or U-; the prefix ends with -, not with _",
	},
	{
		what:   "the label is not in the last column",
		files:  file("train.conll", rows("Seen O VBN", "by O IN", "Amundsen B-DOCTOR NNP")),
		want:   "train.conll:1: the label is neither O nor a type after B-, I-, E-, S-, L- or U-; if this is a line of column names, set header to true; if the label is in another column, set label",
		mended: format.Options{CoNLL: conll.Options{Label: 2}},
	},
	{
		what:  "an unknown type",
		files: file("train.conll", rows("Seen O", "by O", "Amundsen B-PER")),
		want:  "train.conll:3: the type PER is not in the type set i2b2-2014",
	},
	{
		what:  "an ID twice",
		files: file("train.conll", rows("-DOCSTART- 110-04 O", "", "Seen X O", "", "-DOCSTART- 110-04 O", "", "Seen X O")),
		want:  "train.conll:5: duplicate id: an earlier document of these files has the same",
	},
	{
		what:   "a comment",
		files:  file("train.conll", "# id = 110-04\nSeen\tO\nAmundsen\tB-DOCTOR\n"),
		want:   `train.conll:1: the label is neither O nor a type after B-, I-, E-, S-, L- or U-; if this is a comment, set comments to "#"`,
		mended: format.Options{CoNLL: conll.Options{Comments: "# "}},
	},
	{
		what:  "comma-separated",
		files: file("train.conll", "Seen,O\nby,O\nAmundsen,B-DOCTOR\n"),
		want:  "train.conll:1: the line has only one column: columns are separated by tabs or spaces",
	},
	{
		what:  "Latin-1",
		files: file("train.conll", "Zo\xEB\tB-PATIENT\nVance\tI-PATIENT\n"),
		want:  "train.conll:1: invalid UTF-8: convert the file to UTF-8, probably from Latin-1 or Windows-1252 (offset 2)",
	},
	{
		what:  "UTF-16",
		files: file("train.conll", "\xFF\xFES\x00e\x00e\x00n\x00\t\x00O\x00\n\x00"),
		want:  "train.conll:1: invalid UTF-8: convert the file to UTF-8, probably from UTF-16 (offset 0)",
	},
	{
		what:  "line ends of old Macs",
		files: file("train.conll", "Seen\tO\rby\tO\rAmundsen\tB-DOCTOR\r"),
		want:  "train.conll:1: line end other than LF and CR LF inside the line: convert line ends to LF",
	},
	{
		what:  "an empty file",
		files: file("train.conll", ""),
		want:  "train.conll: no document in the file: it is empty",
	},
	{
		what:   "files of another extension",
		files:  file("train.txt", rows("Seen O")),
		want:   "CORPUS: the folder holds no .conll file: it holds files with the extension .txt",
		mended: format.Options{CoNLL: conll.Options{Extensions: []string{".txt"}}},
	},
	{
		what:  "a column that does not exist",
		files: file("train.conll", rows("Seen O", "Amundsen B-DOCTOR")),
		opt:   format.Options{CoNLL: conll.Options{Label: 4}},
		want:  "train.conll:1: the line has only 2 columns, fewer than the options token, label or id say",
	},
}
