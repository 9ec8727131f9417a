package rtf

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/deid/notefile/internal/markup"

	textencoding "golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// destination says what happens to the content of a group.
type destination uint8

const (
	textual     destination = iota // it is text
	same                           // it is text at its place in the text around it, unless that is harmless
	separate                       // it is text apart from the text around it
	harmless                       // it is neither text nor changed
	fontTable                      // as harmless, and it declares code pages
	hexadecimal                    // as harmless, but must consist of hexadecimal digits
	personal                       // it is removed, because it may say who wrote the document, when or where
	author                         // as personal, and it is the name of a person
	authors                        // a list of authors, of which only the semicolons stay
	bookmark                       // a name that is replaced by a number
	opaque                         // it cannot be examined
	copied                         // as opaque, and a copy of another part
)

// destinations contains what happens to the groups that begin with a control word. Groups that begin with \* and an
// unknown word are separate. All others are text at their place.
var destinations = map[string]destination{}

func init() {
	for kind, list := range map[destination]string{
		same: `fldrslt listtext pntext result shprslt upr`,
		separate: `header headerl headerr headerf footer footerl footerr footerf footnote annotation shptxt dptxbxtext ud fldinst sn sv xe tc tcn txe rxe
			formfield ffname ffdeftext ffl ffstattext ffhelptext ffformat objname objclass objalias objsect hl hlloc hlsrc hlfr xmlname xmlattrname xmlattrvalue
			pntxta pntxtb pgptbl`,
		harmless: `colortbl expandedcolortbl stylesheet listtable listoverridetable rsidtbl generator latentstyles pgdsctbl fchars lchars mmathPr pnseclvl atnref
			atnparent atrfstart atrfend wgrffmtfilter blipuid shpgrp ebcstart ebcend password passwordhash writereservation writereservhash`,
		fontTable:   `fonttbl`,
		hexadecimal: `themedata colorschememapping`,
		personal: `info title subject category keywords comment doccomm company hlinkbase creatim revtim printim buptim atnid atndate atntime userprops docvar
			datastore datafield mailmerge template nextfile filetbl private xmlnstbl windowcaption`,
		author:   `author operator manager atnauthor`,
		authors:  `revtbl protusertbl`,
		bookmark: `bkmkstart bkmkend`,
		opaque:   `pict objdata shppict fontemb fontfile mmathPict svb`,
		copied:   `nonshppict`,
	} {
		for word := range markup.Words(list) {
			destinations[word] = kind
		}
	}
}

// dateWords are the control words whose number is the time of a revision.
var dateWords = markup.Words(`revdttm revdttmdel crdate dfrdate pnrdate prdate trdate cldeldttm clinsdttm clmrgddttm clsplitdttm`)

// character is a character or a line end that a control word or symbol represents.
type character struct {
	kind markup.RunKind
	text string
}

var characters = map[string]character{
	"emdash": {markup.Escape, "—"}, "endash": {markup.Escape, "–"}, "bullet": {markup.Escape, "•"}, "lquote": {markup.Escape, "‘"}, "rquote": {markup.Escape, "’"}, "ldblquote": {markup.Escape, "“"},
	"rdblquote": {markup.Escape, "”"}, "emspace": {markup.Escape, "\u2003"}, "enspace": {markup.Escape, "\u2002"}, "qmspace": {markup.Escape, "\u2005"},
	"tab": {markup.Markup, "\t"}, "cell": {markup.Markup, "\t"}, "nestcell": {markup.Markup, "\t"},
	"chdate": {markup.Markup, " "}, "chdpl": {markup.Markup, " "}, "chdpa": {markup.Markup, " "}, "chtime": {markup.Markup, " "}, "chpgn": {markup.Markup, " "}, "sectnum": {markup.Markup, " "},
}

var symbols = map[string]character{
	`\`: {markup.Escape, `\`}, "{": {markup.Escape, "{"}, "}": {markup.Escape, "}"}, "~": {markup.Escape, "\u00a0"}, "_": {markup.Escape, "\u2011"}, "\r": {markup.Markup, "\n"}, "\n": {markup.Markup, "\n"}, "\t": {markup.Markup, "\t"},
}

func init() {
	for word := range markup.Words(`par line sect page column softline softpage softcol row nestrow lbr`) {
		characters[word] = character{markup.Markup, "\n"}
	}
}

// codePage is the number of a code page of Windows, or 0 for none.
type codePage int

const (
	windows1252 codePage = 1252
	macintosh   codePage = 10000
	dos437      codePage = 437
	dos850      codePage = 850
	utf8Page    codePage = 65001
)

// charsets contains the code pages of \fcharset, except those of the document's own.
var charsets = map[int]codePage{
	0: windows1252, 77: macintosh, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874,
	238: 1250, 254: dos437, 255: dos850,
}

var pageEncodings = map[codePage]textencoding.Encoding{
	437: charmap.CodePage437, 850: charmap.CodePage850, 852: charmap.CodePage852, 855: charmap.CodePage855, 858: charmap.CodePage858, 860: charmap.CodePage860,
	862: charmap.CodePage862, 863: charmap.CodePage863, 865: charmap.CodePage865, 866: charmap.CodePage866, 874: charmap.Windows874,
	932: japanese.ShiftJIS, 936: simplifiedchinese.GBK, 949: korean.EUCKR, 950: traditionalchinese.Big5,
	1250: charmap.Windows1250, 1251: charmap.Windows1251, windows1252: charmap.Windows1252, 1253: charmap.Windows1253, 1254: charmap.Windows1254,
	1255: charmap.Windows1255, 1256: charmap.Windows1256, 1257: charmap.Windows1257, 1258: charmap.Windows1258, macintosh: charmap.Macintosh, utf8Page: textencoding.Nop,
}

// knownPage returns the code page of a number, or windows-1252.
func knownPage(number int) codePage {
	if page := codePage(number); pageEncodings[page] != nil {
		return page
	}
	return windows1252
}

// length returns the number of bytes of a character that begins with a byte.
func (p codePage) length(lead byte) int {
	double := false
	switch p {
	case 932:
		double = lead >= 0x81 && lead <= 0x9f || lead >= 0xe0 && lead <= 0xfc
	case 936, 949, 950:
		double = lead >= 0x81 && lead <= 0xfe
	case utf8Page:
		for n := 2; n <= 4; n++ {
			if lead>>(7-n) == 1<<(n+1)-2 {
				return n
			}
		}
	}
	if double {
		return 2
	}
	return 1
}

// decode returns the character that bytes represent. If they represent none, it returns U+FFFD and those of the
// other bytes that are ASCII.
func (p codePage) decode(raw []byte) string {
	if one, ok := pageEncodings[p].(*charmap.Charmap); ok && len(raw) == 1 {
		r := one.DecodeByte(raw[0])
		if r == utf8.RuneError {
			r = rune(raw[0])
		}
		return string(r)
	}
	if len(raw) == 1 && raw[0] < 0x80 {
		return string(rune(raw[0]))
	}
	text, err := pageEncodings[p].NewDecoder().Bytes(raw)
	if err == nil && utf8.Valid(text) && !strings.ContainsRune(string(text), utf8.RuneError) {
		return string(text)
	}
	rest := string(utf8.RuneError)
	for _, c := range raw[1:] {
		if c < 0x80 {
			rest += string(rune(c))
		}
	}
	return rest
}

// encode writes text as RTF. A character outside of ASCII is written as \uN, followed by what old readers show instead: the
// bytes of the character in the code page if that is as long as the document says, otherwise question marks.
func (c context) encode(text string) string {
	var b strings.Builder
	encoder := pageEncodings[c.page].NewEncoder()
	for _, r := range text {
		switch {
		case c.field && (r == '"' || r == '\\'): // would end the argument of a field
			b.WriteByte('\'')
		case r == '\\' || r == '{' || r == '}':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\line `)
		case r == '\r':
		case r == '\t':
			b.WriteString(`\tab `)
		case r == '\u00a0':
			b.WriteString(`\~`)
		case r < 0x80:
			b.WriteRune(r)
		default:
			units := []rune{r}
			if r > 0xffff {
				units = []rune{0xd800 + (r-0x10000)>>10, 0xdc00 + (r-0x10000)&0x3ff}
			}
			instead, err := encoder.Bytes([]byte(string(r)))
			if err != nil || len(instead) != c.uc || len(units) > 1 || c.page == utf8Page {
				instead = []byte(strings.Repeat("?", c.uc))
			}
			for _, u := range units {
				fmt.Fprintf(&b, `\u%d`, int16(u)) //nolint:gosec // RTF writes units of 16 bits with a sign
				if c.uc == 0 {
					b.WriteByte(' ')
				}
				for _, i := range instead {
					if i == '?' {
						b.WriteByte('?')
					} else {
						fmt.Fprintf(&b, `\'%02x`, i)
					}
				}
			}
		}
	}
	return b.String()
}
