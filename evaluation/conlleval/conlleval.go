// Package conlleval computes the phrase scores of the CoNLL shared tasks as the
// script conlleval does (the version of 2004-01-26). They are also the scores of
// Szarvas et al. 2006.
//
// The script reads one token per line, in columns separated by one space. The
// last two columns are the gold label and the guess, such as B-DATE or O: a tag,
// a hyphen and a type. A blank line, or a line whose first column is -X-,
// separates sentences. A phrase is correct if its tokens and its type are. This
// package keeps the script's behaviour, so that its scores can be compared with
// published ones:
//
//   - Phrase borders are inferred leniently from pairs of labels (see begins and
//     ends): I-X after O or after another type begins a phrase. IOB1 and IOB2
//     therefore have the same scores except for the accuracy.
//   - BIOES is supported only in part: S or E next to B or S of the same type
//     neither ends nor begins a phrase, so the two phrases become one. Convert
//     labels to IOB2 before scoring them.
//   - A -DOCSTART- line counts as a token and does not end a sentence.
//   - The type is the part after the first hyphen. The type 0 is read as no type,
//     and labels without a type produce up to two identical lines in the table.
//   - Lines end with LF. The CR of CR LF is part of the last column.
package conlleval

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/tokenize"
	"github.com/lethe-deid/lethe/evaluation"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// maxLine is the maximum length of a line in bytes.
const maxLine = 1 << 20

// Options are the options of the script that change what it reads.
type Options struct {
	Raw       bool   // the script's -r: labels are bare types, and each token is a phrase
	Delimiter string // -d: a regular expression for the column separator; "": one space
	Outside   string // -o: with Raw, the label of tokens outside of phrases; "": O
	Corrected bool   // without the script's oddities: see Corrections
}

// Corrections describes what Options.Corrected changes.
var Corrections = []string{
	"labels are made IOB2 before they are compared, so that phrases in IOB1, IOB2 and BIOES are the same phrases",
	"a label without a type is outside of any phrase, and 0 is a type",
	"a line -DOCSTART- ends a sentence, and is not a token",
}

// Chunks counts phrases.
type Chunks struct {
	Gold    int // in the gold standard
	Found   int // in the guesses
	Correct int // in both
}

// PRF returns the scores, 0 for 0/0.
func (c Chunks) PRF() evaluation.PRF {
	return score([]float64{float64(c.Correct), float64(c.Found), float64(c.Gold)})
}

// Report is what the script prints. In JSON, shares are in [0, 1].
type Report struct {
	Tokens        int // lines except sentence boundaries
	CorrectTokens int // tokens whose two labels are equal
	Chunks
	Types       map[string]Chunks // by type
	Corrections []string          // Corrections, if Options.Corrected was set
	Lost        int               // spans that could not become phrases; see Scorer.Add
}

// First columns of a line between sentences, and of a line between documents.
const (
	boundary = "-X-"
	docStart = "-DOCSTART-"
)

// Read scores a file. name is used as the path in errors. It returns an error, as
// the script does, for a line with fewer than two columns or with a different
// number of columns than the first line, and also for lines with a carriage
// return inside, lines that are too long, and a delimiter that is not a regular
// expression.
func Read(in io.Reader, name string, opt Options) (*Report, error) {
	columns, err := splitter(cmp.Or(opt.Delimiter, " "))
	if err != nil {
		return nil, err
	}
	s := newScorer()
	token := func(gold, guess string) { s.token(parse(gold), parse(guess)) }
	sentenceEnd := s.sentenceEnd
	if opt.Corrected {
		var c sentence
		token, sentenceEnd = c.add, func() { c.addTo(s) }
		s.report.Corrections = Corrections
	}
	lines := bufio.NewReader(in)
	want, wantLine := 0, 0 // number of columns of the first non-blank line, and its line number
	for n := 1; ; n++ {
		raw, err := bounded.ReadLine(lines, maxLine)
		line := string(raw)
		if err == io.EOF && line == "" {
			if opt.Corrected {
				sentenceEnd()
			}
			return s.Report(), nil
		}
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("%s: cannot be read: %w", name, err)
		}
		if inside := strings.TrimRight(line, "\r\n"); strings.Contains(inside, "\r") {
			return nil, fmt.Errorf("%s:%d: carriage return inside the line: line ends must be LF or CR LF", name, n)
		}
		row := columns(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")) // the script reads CR as part of the last label, so that nothing is right
		for len(row) > 0 && row[len(row)-1] == "" {                              // as Perl does
			row = row[:len(row)-1]
		}
		if want == 0 {
			want, wantLine = len(row), n
		} else if len(row) > 0 && len(row) != want {
			return nil, fmt.Errorf("%s:%d: columns: %d, but line %d has %d", name, n, len(row), wantLine, want)
		}
		switch {
		case len(row) == 0 || row[0] == boundary || opt.Corrected && row[0] == docStart:
			sentenceEnd()
		case len(row) < 2:
			return nil, fmt.Errorf("%s:%d: the line has only one column", name, n)
		default:
			token(opt.label(row[len(row)-2]), opt.label(row[len(row)-1]))
		}
	}
}

// splitter returns a function that splits lines into columns.
func splitter(delimiter string) (func(line string) []string, error) {
	if regexp.QuoteMeta(delimiter) == delimiter {
		return func(line string) []string { return strings.Split(line, delimiter) }, nil
	}
	re, err := regexp.Compile(delimiter)
	if err != nil {
		return nil, errors.New("the delimiter is not a regular expression")
	}
	return func(line string) []string { return re.Split(line, -1) }, nil
}

// label returns the label for a bare type.
func (o Options) label(column string) string {
	switch {
	case !o.Raw:
		return column
	case column == "O" || o.Outside != "" && column == o.Outside:
		return "O"
	}
	return "B-" + column
}

// sentence collects the labels of one sentence, to be read by the rules of
// data.Scheme.Decode.
type sentence struct{ gold, guesses []string }

func (s *sentence) add(gold, guess string) {
	s.gold, s.guesses = append(s.gold, gold), append(s.guesses, guess)
}

func (s *sentence) addTo(to *Scorer) {
	n := len(s.gold)
	gold, guesses := iob2(n, data.BIOES.Decode(s.gold)), iob2(n, data.BIOES.Decode(s.guesses))
	for i := range n {
		to.token(gold[i], guesses[i])
	}
	to.sentenceEnd()
	s.gold, s.guesses = s.gold[:0], s.guesses[:0]
}

// iob2 returns IOB2 labels for n tokens.
func iob2(n int, spans []data.TokenSpan) []label {
	labels := slices.Repeat([]label{outside}, n)
	for _, s := range spans {
		for i := s.Start; i < s.End; i++ {
			labels[i] = label{"I", s.Type}
		}
		labels[s.Start].tag = "B"
	}
	return labels
}

// label is a label as the script parses it.
type label struct{ tag, typ string }

var outside = label{tag: "O"}

func parse(column string) label {
	tag, typ, _ := strings.Cut(column, "-")
	if typ == "0" { // false in Perl, as is ""
		typ = ""
	}
	return label{tag, typ}
}

// borders contains the pairs of tags between which a phrase begins or ends even
// if the type stays the same.
type borders map[[2]string]bool

var (
	beginnings = borders{
		{"O", "B"}: true, {"I", "B"}: true, {"B", "B"}: true, {"O", "I"}: true,
		{"O", "E"}: true, {"E", "E"}: true, {"E", "I"}: true, // IOE2 and the like, of Tjong Kim Sang and Veenstra 1999
	}
	endings = borders{
		{"B", "O"}: true, {"I", "O"}: true, {"I", "B"}: true, {"B", "B"}: true,
		{"E", "O"}: true, {"E", "E"}: true, {"E", "I"}: true,
	}
)

// begins reports whether a phrase begins with the label now, which follows last.
func begins(last, now label) bool {
	return beginnings[[2]string{last.tag, now.tag}] || now.bracket() || now.inside() && last.typ != now.typ
}

// ends reports whether a phrase ended with the label last, which now follows.
func ends(last, now label) bool {
	return endings[[2]string{last.tag, now.tag}] || last.bracket() || last.inside() && last.typ != now.typ
}

func (l label) inside() bool  { return l.tag != "O" && l.tag != "." }
func (l label) bracket() bool { return l.tag == "[" || l.tag == "]" } // a phrase of one token

// Scorer scores documents one by one.
type Scorer struct {
	report      Report
	gold, guess label // the labels of the last token
	open        bool  // a phrase of one type began on both sides at the same token, and has not differed so far

	tokens    tokenize.Tokenizer
	sentences tokenize.Splitter
}

// NewScorer returns a Scorer that sees documents as a sequence labeller does. It
// tokenizes their text and converts spans to IOB2 labels with data.AlignSpans,
// which flattens overlapping spans and moves borders out to token borders. No
// phrase crosses a sentence border.
func NewScorer(tokens tokenize.Tokenizer, sentences tokenize.Splitter) *Scorer {
	s := newScorer()
	s.tokens, s.sentences = tokens, sentences
	return s
}

func newScorer() *Scorer {
	return &Scorer{gold: outside, guess: outside, report: Report{Types: map[string]Chunks{}}}
}

// Add scores one document, with the text of gold. A span that overlaps a longer
// one, or that contains no token, becomes no phrase; Report.Lost counts such
// spans.
func (s *Scorer) Add(gold, system *data.Document) {
	tokens := s.tokens.Tokens(gold.Text, nil)
	wanted, found := s.align(tokens, gold.Spans), s.align(tokens, system.Spans)
	for _, r := range s.sentences.Sentences(gold.Text, tokens, nil) {
		for i := r.Start; i < r.End; i++ {
			s.token(wanted[i], found[i])
		}
		s.sentenceEnd()
	}
}

func (s *Scorer) align(tokens []data.Token, spans []data.Span) []label {
	phrases := data.AlignSpans(tokens, spans)
	type place struct {
		start, end int
		typ        string
	}
	distinct := map[place]bool{}
	for _, sp := range spans {
		distinct[place{sp.Start, sp.End, sp.Type}] = true
	}
	s.report.Lost += len(distinct) - len(phrases)
	return iob2(len(tokens), phrases)
}

// Report returns the scores of all documents added so far.
func (s *Scorer) Report() *Report {
	if s.open { // the end of the input closes an open phrase
		s.correct()
	}
	return &s.report
}

func (s *Scorer) token(gold, guess label) {
	s.report.Tokens++
	if gold == guess {
		s.report.CorrectTokens++
	}
	s.step(gold, guess)
}

func (s *Scorer) sentenceEnd() { s.step(outside, outside) }

func (s *Scorer) step(gold, guess label) {
	if gold == outside && guess == outside && s.gold == outside && s.guess == outside {
		return // fast path: for most tokens the rest would do nothing
	}
	if s.open {
		goldEnds, guessEnds := ends(s.gold, gold), ends(s.guess, guess)
		switch {
		case goldEnds && guessEnds && s.gold.typ == s.guess.typ:
			s.correct()
		case goldEnds != guessEnds || gold.typ != guess.typ:
			s.open = false
		}
	}
	goldBegins, guessBegins := begins(s.gold, gold), begins(s.guess, guess)
	if goldBegins && guessBegins && gold.typ == guess.typ {
		s.open = true
	}
	if goldBegins {
		s.count(gold.typ, Chunks{Gold: 1})
	}
	if guessBegins {
		s.count(guess.typ, Chunks{Found: 1})
	}
	s.gold, s.guess = gold, guess
}

// correct closes the open phrase.
func (s *Scorer) correct() {
	s.count(s.gold.typ, Chunks{Correct: 1})
	s.open = false
}

func (s *Scorer) count(typ string, c Chunks) {
	s.report.Chunks = s.report.plus(c)
	s.report.Types[typ] = s.report.Types[typ].plus(c)
}

func (c Chunks) plus(d Chunks) Chunks {
	return Chunks{c.Gold + d.Gold, c.Found + d.Found, c.Correct + d.Correct}
}

// WriteText writes the script's table, byte for byte, followed by the corrections
// if there are any.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "processed %d tokens with %d phrases; found: %d phrases; correct: %d.\n", r.Tokens, r.Gold, r.Found, r.Correct)
	if r.Tokens > 0 {
		fmt.Fprintf(&b, "accuracy: %6.2f%%; ", percent(r.CorrectTokens, r.Tokens))
		r.writeTo(&b)
		b.WriteByte('\n')
	}
	for typ, c := range r.lines {
		fmt.Fprintf(&b, "%s%s: ", strings.Repeat(" ", padding(typ, 17)), typ)
		c.writeTo(&b)
		fmt.Fprintf(&b, "  %d\n", c.Found)
	}
	for _, line := range evaluation.CorrectionLines("the script's", r.Corrections) {
		fmt.Fprintln(&b, line)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteLaTeX writes the rows of a LaTeX table that the script writes with -l,
// byte for byte. Like the script, it does not escape special characters in type
// names. The script leaves the formula in the first row unclosed; if Corrected
// was set, WriteLaTeX closes it and writes the corrections as comments.
func (r *Report) WriteLaTeX(w io.Writer) error {
	var b strings.Builder
	formula := `F$_{\beta=1}`
	if len(r.Corrections) > 0 {
		formula += "$"
	}
	fmt.Fprintf(&b, `        & Precision &  Recall  & %s \\\hline`, formula)
	row := func(name string, c Chunks) {
		p, r, f := c.percent()
		fmt.Fprintf(&b, "\n%s%s &  %6.2f\\%% & %6.2f\\%% & %6.2f \\\\", name, strings.Repeat(" ", padding(name, 7)), p, r, f)
	}
	for typ, c := range r.lines {
		row(typ, c)
	}
	b.WriteString(`\hline`)
	row("Overall", r.Chunks)
	b.WriteString("\\hline\n")
	for _, line := range evaluation.CorrectionLines("the script's", r.Corrections) {
		fmt.Fprintln(&b, "%", line)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// lines yields the lines of the table by type. As in the script, the types of
// both sides are sorted and one that equals its predecessor is left out unless
// the predecessor was empty.
func (r *Report) lines(yield func(typ string, c Chunks) bool) {
	for _, typ := range slices.Sorted(maps.Keys(r.Types)) {
		c := r.Types[typ]
		sides := min(c.Gold, 1) + min(c.Found, 1)
		if typ != "" {
			sides = min(sides, 1)
		}
		for range sides {
			if !yield(typ, c) {
				return
			}
		}
	}
}

// padding returns the number of spaces that pad name to width bytes. The script's
// widths are in bytes; those of fmt are in code points.
func padding(name string, width int) int { return max(0, width-len(name)) }

func (c Chunks) writeTo(b *strings.Builder) {
	p, r, f := c.percent()
	fmt.Fprintf(b, "precision: %6.2f%%; recall: %6.2f%%; FB1: %6.2f", p, r, f)
}

// percent returns the scores in percent. Like the script, it computes in percent
// from the start, so that rounding to two places yields the same numbers.
func (c Chunks) percent() (precision, recall, f1 float64) {
	p, r := percent(c.Correct, c.Found), percent(c.Correct, c.Gold)
	return p, r, harmonic(p, r)
}

func percent(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(100*a) / float64(b)
}

func harmonic(p, r float64) float64 {
	if p+r == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

// scored is the JSON form of Chunks.
type scored struct {
	evaluation.PRF
	Gold    int `json:"gold"`
	Found   int `json:"found"`
	Correct int `json:"correct"`
}

func (c Chunks) scored() scored { return scored{c.PRF(), c.Gold, c.Found, c.Correct} }

// MarshalJSON writes the counts together with precision, recall and f1.
func (c Chunks) MarshalJSON() ([]byte, error) { return json.Marshal(c.scored()) }

// MarshalJSON writes the tokens, the accuracy, the counts and scores of all
// phrases, and those of each type.
func (r *Report) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Tokens   int     `json:"tokens"`
		Accuracy float64 `json:"accuracy"`
		scored
		Types       map[string]Chunks `json:"types"`
		Corrections []string          `json:"corrections,omitempty"`
	}{r.Tokens, share(float64(r.CorrectTokens), float64(r.Tokens)), r.scored(), r.Types, r.Corrections})
}

// score returns the scores of a tally: the numbers of correct, found and gold
// phrases.
func score(total []float64) evaluation.PRF {
	p, r := share(total[0], total[1]), share(total[0], total[2])
	return evaluation.PRF{Precision: p, Recall: r, F1: harmonic(p, r)}
}

func share(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// Metrics returns one metric, conll: the phrase scores of documents, tokenized
// and split into sentences as for the network of Dernoncourt et al. 2016.
func Metrics() []evaluation.Metric {
	return []evaluation.Metric{{
		Name: "conll",
		Tally: func(gold, system *data.Document) []float64 {
			s := NewScorer(tokenize.PTB{}, tokenize.Rules{})
			s.Add(gold, system)
			c := s.Report().Chunks
			return []float64{float64(c.Correct), float64(c.Found), float64(c.Gold)}
		},
		Score: score,
	}}
}
