package notefile

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// epicRTF looks like the notes that Epic keeps: RichEdit's RTF with a table and formatting in the middle of words.
const epicRTF = `{\rtf1\epic10403\ansi\ansicpg1252\deff0\nouicompat\deflang1033{\fonttbl{\f0\fnil\fcharset0 Segoe UI;}{\f1\fnil\fcharset2 Symbol;}}` + "\r\n" +
	`{\colortbl ;\red0\green0\blue0;}` + "\r\n" + `\viewkind4\uc1` + "\r\n" +
	`\pard\widctlpar\cf1\b\f0\fs20 Progress Note\b0\par` + "\r\n" +
	`Mr. A{\b n}a Gil\rquote s is a 60 y.o.\~man, \i seen\i0  by Dr.\_Roy \emdash  3/4.\line Wife: Zo\'eb\tab (555) 555-0188\par` + "\r\n" +
	`\trowd\cellx2000\cellx4000\intbl BP\cell 120/80\cell\row` + "\r\n" +
	`\pard{\pntext\f1\'B7\tab}{\*\pn\pnlvlblt\pnf1\pnindent0{\pntxtb\'B7}}\fi-360\li720 Lisinopril 10 mg \{po\}\par}` + "\r\n\x00"

func rtfText(t *testing.T, source string) string {
	t.Helper()
	return readAll(t, example{"rtf", "a.rtf", source, Options{}})[0].Notes[0].Text
}

func TestTextOfRTF(t *testing.T) {

	for in, want := range map[string]string{
		epicRTF: "Progress Note\nMr. Ana Gil’s is a 60 y.o.\u00a0man, seen by Dr.\u2011Roy — 3/4.\nWife: Zoë\t(555) 555-0188\nBP\t120/80\t\n·\tLisinopril 10 mg {po}\n",
		`{\rtf1 a\u8217?b\u-3913?\uc0\u233 \u233x\uc2\u26085\'93\'fa.}`:            "a’b\uf0b7ééx日.",
		`{\rtf1 \u55357?\u56832?\u-10179\'3f\u-8704\'3f\u55357?x}`:                 "😀😀\ufffdx",
		`{\rtf1 a\emdash b\bullet  c\endash\lquote d\rdblquote e\~f\-g\enspace h}`: "a—b• c–‘d”e\u00a0fg\u2002h",
		"{\\rtf1 a\\\nb\\\r\nc\nd\\\te\\par\\page f}":                              "a\nb\ncd\te\n\nf",
		`{\rtf1\mac caf\'8e}`:                                             "café",
		"{\\rtf1 caf\u00e9 日}":                                            "café 日",
		`{\rtf1 x\v hidden\v0 {\deleted gone}}`:                           "xhiddengone",
		`{\rtf1{\header H}b{\footnote\ftnalt F{\b f}}c{\*\annotation A}}`: "bc\n\nH\n\nFf\n\nA",
		`{\rtf1{\field{\*\fldinst{HYPERLINK "mailto:ana@x.org"}}{\fldrslt{mail}}}{\field{\*\fldinst PAGE \\* MERGEFORMAT}{\fldrslt 1}}}`:                    "mail1\n\nHYPERLINK \"mailto:ana@x.org\"",
		`{\rtf1{\shp{\*\shpinst\shpleft1{\sp{\sn shapeType}{\sv 202}}{\sp{\sn wzDescription}{\sv 4711}}{\sp{\sn x}{\sv Gil}}{\shptxt T\par}}{\shprslt R}}}`: "R\n\n4711\n\nGil\n\nT\n",
		`{\rtf1{\*\unknown U{\b u}}a C:\Users\Smith\b b}`: "a C:\\Users\\Smithb\n\nUu",
		`{\rtf1{\upr{A}{\*\ud{\u233 ?}}}}`:                "A\n\né",
		`{\rtf1}`:                                         "",
	} {
		if got := rtfText(t, in); got != want {
			t.Errorf("%s:\n%q, want\n%q", in, got, want)
		}
	}
	// Halves of characters that no other half follows are no characters, and take nothing with them.
	if got, want := rtfText(t, `{\rtf1\ansi\ansicpg932 \'93\'fa\'96{\b\'7b}\'83A\'81!\'93\'fa}`), "日\ufffd{ア\ufffd!日"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// An edit replaces characters and leaves all control words.
func TestEditsOfRTF(t *testing.T) {
	for _, tc := range [][4]string{
		{`{\rtf1\b A{\i n}a\b0  Gil}`, "Ana Gil", "[X]", `{\rtf1\b [X]{\i }\b0 }`},
		{`{\rtf1\b\'41na was}`, "Ana", "", `{\rtf1\b  was}`},
		{`{\rtf1\b\'41nas}`, "Ana", "", `{\rtf1\b s}`},
		{`{\rtf1\fs20\'41na7}`, "Ana", "", `{\rtf1\fs20 7}`},
		{`{\rtf1\fs20\'41na7}`, "Ana", "Eva", `{\rtf1\fs20 Eva7}`},
		{`{\rtf1\u65?na7\par}`, "Ana7", "", `{\rtf1\par}`},
		{`{\rtf1 \\b\'41na7}`, "Ana", "", `{\rtf1 \\b7}`},
		{`{\rtf1 Ana}`, "Ana", "{é\\\n日\t😀\u00a0}", `{\rtf1 \{\u233\'e9\\\line \u26085?\tab \u-10179?\u-8704?\~\}}`},
		{`{\rtf1\uc0 Ana}`, "Ana", "é1", `{\rtf1\uc0 \u233 1}`},
		{`{\rtf1\uc2 Ana}`, "Ana", "é", `{\rtf1\uc2 \u233??}`},
		{`{\rtf1{\fonttbl{\f0\fcharset204 A;}}\f0 Ana}`, "Ana", "Же", `{\rtf1{\fonttbl{\f0\fcharset204 A;}}\f0 \u1046\'c6\u1077\'e5}`},
		{`{\rtf1 An\u225?\par Gil}`, "Aná\nGil", "[X]", `{\rtf1 [X]\par }`},
		{`{\rtf1{\field{\*\fldinst HYPERLINK "a:Ana"}}}`, "Ana", `"x\`, `{\rtf1{\field{\*\fldinst HYPERLINK "a:'x'"}}}`},
		{`{\rtf1 C:\Users\Ana\b b}`, "Ana", "X", `{\rtf1 C:\Users\\X\b b}`},
		{`{\rtf1\ansicpg932 \'83A\'96\'d8}`, "木", "", `{\rtf1\ansicpg932 \'83A}`},
	} {
		e := example{"rtf", "a.rtf", tc[0], Options{}}
		if got := encode(readAll(t, e), each(tc[1], tc[2])); got != tc[3] {
			t.Errorf("%s: %s, want %s", tc[0], got, tc[3])
		}
	}
}

// What says who wrote a document is removed, even if the note has no PHI; the names are known values.
func TestMetadataOfRTFIsRemoved(t *testing.T) {
	const in = `{\rtf1\ansi{\fonttbl{\f0 Arial;}}{\*\revtbl {Unknown;}{Ana ` + canary + `;}{\'41\u225?;}}` +
		`{\info{\title ` + canary + `}{\author Eva ` + canary + `}{\creatim\yr2026\mo3}{\*\company c}}{\*\userprops {\propname p}\proptype30{\staticval ` + canary + `}}` +
		`{\*\template C:\\Users\\` + canary + `}\revised\revauth1\revdttm-1234\revised0 x{\*\bkmkstart Gil}y{\*\bkmkend Gil}{\*\bkmkstart _Toc12}{\*\bkmkend _Toc12}` +
		`{\*\atnid AG}{\*\atnauthor Ana ` + canary + `}\chatn{\*\annotation{\*\atndate 5}{\*\atnref 1}Seen}{\*\datastore 0102}}`
	const want = `{\rtf1\ansi{\fonttbl{\f0 Arial;}}{\*\revtbl {Unknown;}{;}{;}}` +
		`{\info}{\*\userprops }{\*\template }\revised\revauth1\revdttm0\revised0 x{\*\bkmkstart bookmark1}y{\*\bkmkend bookmark1}{\*\bkmkstart _Toc12}{\*\bkmkend _Toc12}` +
		`{\*\atnid }{\*\atnauthor }\chatn{\*\annotation{\*\atndate }{\*\atnref 1}Seen}{\*\datastore }}`
	records := readAll(t, example{"rtf", "a.rtf", in, Options{}})
	if got := encode(records, none); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	var names []string
	for _, v := range records[0].Notes[0].Known {
		names = append(names, v.Text)
	}
	if want := []string{"Ana " + canary, "Eva " + canary, "Ana " + canary}; !slices.Equal(names, want) {
		t.Errorf("known: %q", names)
	}
}

func TestRTFThatIsRefused(t *testing.T) {
	for in, want := range map[string]string{
		"":                                    `not RTF: it does not begin with {\rtf`,
		"Ana":                                 `not RTF: it does not begin with {\rtf`,
		`{\rtf1 Ana`:                          "RTF that is cut off: 1 groups are never closed",
		`{\rtf1 {\b Ana}`:                     "RTF that is cut off: 1 groups are never closed",
		`{\rtf1 Ana\`:                         "RTF that is cut off after a backslash",
		`{\rtf1 Ana}}`:                        "text after the end of the RTF, or a closing brace too many",
		`{\rtf1 Ana} Gil`:                     "text after the end of the RTF, or a closing brace too many",
		`{\rtf1 \'4x}`:                        `\' without two hexadecimal digits`,
		`{\rtf1 {\*\x\bin9 Ana}}`:             `\bin with more bytes than the file has`,
		`{\rtf1 {\*\x\bin3 Ana}}`:             `\bin outside of a picture or an object`,
		`{\rtf1 {\pict\bin3 A{a}}`:            `RTF with a picture, an object or other data that cannot be examined (\pict)`,
		`{\rtf1 {\*\shppict{\pict 00}}}`:      `RTF with a picture, an object or other data that cannot be examined (\shppict)`,
		`{\rtf1 {\object{\*\objdata 00}}}`:    `RTF with a picture, an object or other data that cannot be examined (\objdata)`,
		`{\rtf1 {\*\themedata 0a Ana}}`:       `text in \themedata, which cannot be examined`,
		`{\rtf1 \uc99 Ana}`:                   `\uc with a number that is not from 0 to 32`,
		`{\rtf1 ` + strings.Repeat("{", 2000): "groups nested more than 1000 deep",
		`{\rtf1 \` + strings.Repeat("a", 40):  "a control word of more than 32 letters",
		`{\rtf1 Saved to C:\private\Ana}`:     `\private in the middle of a group`,
		`{\rtf1 \b12345678901 }`:              "a control word with a number of more than 10 digits",
	} {
		o := replaceCanaries(example{"rtf", "a.rtf", in, Options{}})
		if len(o.errs) != 1 {
			t.Errorf("%s: %d errors", in, len(o.errs))
			continue
		}
		if e, ok := errors.AsType[*data.Error](o.errs[0]); !ok || e.Reason != want || e.Offset < 0 {
			t.Errorf("%s: %v, want %s", in, o.errs[0], want)
		}
	}
}

func TestPartsOfRTFThatAreDropped(t *testing.T) {
	for in, want := range map[string]string{
		`{\rtf1\b{\pict\wmetafile8 0a0b}Ana}`:                                  `{\rtf1\b Ana}`,
		`{\rtf1 a{\*\shppict{\pict\bin3 {}}}}{\nonshppict{\pict 00}}b}`:        `{\rtf1 ab}`,
		`{\rtf1 {\f0\pict 0a}x}`:                                               `{\rtf1 {\f0}x}`,
		`{\rtf1 {\object\objemb{\*\objclass W}{\*\objdata 00}{\result Ana}}x}`: `{\rtf1 {\object\objemb{\*\objclass W}{\result Ana}}x}`,
	} {
		records := readAll(t, example{"rtf", "a.rtf", in, Options{Drop: true}})
		if got := encode(records, none); got != want || records[0].Dropped != 1 {
			t.Errorf("%s: %s (%d dropped), want %s", in, got, records[0].Dropped, want)
		}
	}
	if o := replaceCanaries(example{"rtf", "a.rtf", `{\rtf1\pict 00}`, Options{Drop: true}}); len(o.errs) != 1 {
		t.Errorf("a picture that is the document: %d errors", len(o.errs))
	}
}

// RTF within other formats is examined as RTF, and what says who wrote it is removed even without other edits.
func TestRTFInOtherFormats(t *testing.T) {
	const in = `{\rtf1{\info{\author Eva}}\b A{\i n}a\b0  "Gil"\par}`
	const want = `{\rtf1{\info}\b [X]{\i }\b0  "Gil"\par}`
	quoted := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
	for name, wrap := range map[string]func(rtf string) example{
		"csv": func(rtf string) example {
			return example{"csv", "n.csv", "id,note\n1," + quoted(rtf) + "\n2,Ana\n", Options{Columns: []string{"note"}}}
		},
		"jsonl": func(rtf string) example {
			return example{"jsonl", "n.jsonl", `{"text":` + string(asJSON(rtf)) + `,"n":1}`, Options{}}
		},
		"fhir": func(rtf string) example {
			return example{"fhir", "d.json", fhirBinary("application/rtf", rtf), Options{}}
		},
		"fhir, as text": func(rtf string) example { return example{"fhir", "d.json", fhirBinary("text/plain", rtf), Options{}} },
		"hl7": func(rtf string) example {
			return example{"hl7", "m.hl7", msg("OBX|1|ED|||a^application^rtf^Base64^" + b64(rtf)), Options{}}
		},
		"hl7, as text": func(rtf string) example {
			return example{"hl7", "m.hl7", msg("OBX|1|ED|||a^TEXT^RTF^Base64^" + b64(rtf)), Options{}}
		},
	} {
		e := wrap(in)
		records := readAll(t, e)
		note := slices.Concat(records[0].Notes, records[len(records)-1].Notes)[0]
		for _, r := range records {
			for _, n := range r.Notes {
				if strings.Contains(n.Text, "Gil") {
					note = n
				}
			}
		}
		if note.Text != "Ana \"Gil\"\n" {
			t.Errorf("%s: the text is %q", name, note.Text)
		}
		wanted := strings.Replace(wrap(want).file, "2,Ana", "2,[X]", 1)
		if got := encode(records, each("Ana", "[X]")); got != wanted {
			t.Errorf("%s: %s, want\n%s", name, got, wanted)
		}
		if got := encode(records, none); got != wrap(strings.Replace(in, `{\author Eva}`, "", 1)).file {
			t.Errorf("%s: without edits: %s", name, got)
		}
		// A picture refuses the record, or is dropped from the RTF.
		e = wrap(`{\rtf1 Ana{\pict 0a}}`)
		if o := replaceCanaries(e); len(o.errs) != 1 {
			t.Errorf("%s, a picture: %d errors", name, len(o.errs))
		}
		e.options.Drop = true
		dropped := 0
		for _, r := range readAll(t, e) {
			dropped += r.Dropped
		}
		if got := encode(readAll(t, e), none); got != wrap(`{\rtf1 Ana}`).file || dropped != 1 {
			t.Errorf("%s, a picture: %d dropped, %s", name, dropped, got)
		}
		// Broken RTF is not examined as if it were plain text.
		e = wrap(`{\rtf1 Ana`)
		if e.options.Drop = false; len(replaceCanaries(e).errs) != 1 {
			t.Errorf("%s: broken RTF is accepted", name)
		}
	}
}
