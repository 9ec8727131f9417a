// Command rtf checks "lethe deidentify --format rtf" on files that LibreOffice writes:
//
//	go build -o lethe ./cmd/lethe && go run ./scripts/rtf -lethe ./lethe -work /tmp/rtf
//
// It makes documents with names in many places (body, tables, lists, headers, footers, footnotes, endnotes, comments, text boxes, hidden
// text, tracked changes, links, properties), converts them to RTF with soffice, which must be installed, and checks that
//
//   - a run that keeps all PHI changes nothing but what says who wrote the document, and a second such run changes nothing
//   - after a run that replaces PHI, LibreOffice finds none of the names, and the same text apart from the PHI
//   - a file with a picture is refused, or written without it
//   - files that are cut off or otherwise broken are refused
//
// Everything in the documents is invented.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	lethe := flag.String("lethe", "./lethe", "the program to check")
	work := flag.String("work", "", "folder for the files; it must not exist")
	flag.Parse()
	if err := run(*lethe, *work); err != nil {
		fmt.Fprintln(os.Stderr, "rtf:", err)
		os.Exit(1)
	}
}

func run(lethe, work string) error {
	if lethe, err := filepath.Abs(lethe); err != nil {
		return err
	} else if err := os.Mkdir(work, 0o755); err != nil {
		return err
	} else if err := makeFiles(work); err != nil {
		return err
	} else {
		return check(&folder{dir: work, lethe: lethe})
	}
}

// canaries are the names, by place. None may be left in the output.
var canaries = map[string]string{
	"body": "Zqbody Qwyxen", "bold": "Zqbold Qwyxen", "cell": "Zqcell Qwyxen", "item": "Zqitem Qwyxen", "header": "Zqheader Qwyxen", "footer": "Zqfooter Qwyxen",
	"footnote": "Zqfootnote Qwyxen", "endnote": "Zqendnote Qwyxen", "comment": "Zqcomment Qwyxen", "author": "Zqauthor Qwyxen", "creator": "Zqcreator Qwyxen",
	"inserted": "Zqinserted Qwyxen", "deleted": "Zqdeleted Qwyxen", "reviser": "Zqreviser Qwyxen", "link": "zqlink.qwyxen", "hidden": "Zqhidden Qwyxen",
	"box": "Zqbox Qwyxen", "title": "Zqtitle Qwyxen", "accents": "Zqáccéntş Ğwyxen", "greek": "Ζκγρεεκ Φωυξεν", "cjk": "関雪 王芳", "bookmark": "Zqmark",
}

// document returns a flat ODT document. Parts are its optional parts.
func document(n int, parts map[string]bool) string {
	var b strings.Builder
	add := func(part, text string) {
		if parts[part] {
			b.WriteString(text)
		}
	}
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"
 xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"
 office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text">
<office:meta><meta:initial-creator>` + canaries["author"] + `</meta:initial-creator><dc:creator>` + canaries["author"] + `</dc:creator><dc:title>` + canaries["title"] + `</dc:title>
<meta:creation-date>2071-03-02T10:00:00</meta:creation-date><meta:user-defined meta:name="MRN">` + canaries["title"] + `</meta:user-defined></office:meta>
<office:automatic-styles><style:style style:name="B" style:family="text"><style:text-properties fo:font-weight="bold" fo:font-size="14pt"/></style:style>
<style:style style:name="I" style:family="text"><style:text-properties fo:font-style="italic" fo:color="#880000"/></style:style>
<style:style style:name="H" style:family="text"><style:text-properties text:display="none"/></style:style>
<style:page-layout style:name="pm"><style:header-style/><style:footer-style/></style:page-layout></office:automatic-styles>
<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="pm">`)
	add("header", `<style:header><text:p>Ward 7: `+canaries["header"]+`</text:p></style:header><style:footer><text:p>By `+canaries["footer"]+`, page <text:page-number>1</text:page-number></text:p></style:footer>`)
	b.WriteString(`</style:master-page></office:master-styles><office:body><office:text>`)
	change := func(id, kind, text string) string {
		return `<text:changed-region text:id="` + id + `"><text:` + kind + `><office:change-info><dc:creator>` + canaries["reviser"] + `</dc:creator><dc:date>2071-03-05T09:00:00</dc:date></office:change-info>` + text + `</text:` + kind + `></text:changed-region>`
	}
	add("tracked", `<text:tracked-changes text:track-changes="false">`+change("ct1", "insertion", "")+change("ct2", "deletion", `<text:p>`+canaries["deleted"]+` was struck out</text:p>`)+`</text:tracked-changes>`)
	fmt.Fprintf(&b, `<text:h text:outline-level="1">Progress note %d</text:h><text:p>`, n)
	b.WriteString(canaries["body"] + ` is a 60 y.o. man with “chest pain” — worse at night… <text:span text:style-name="B">` + strings.Replace(canaries["bold"], "bold", `b<text:span text:style-name="I">ol</text:span>d`, 1) + `</text:span> called.`)
	add("footnote", ` Troponin 0.04<text:note text:id="f1" text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>Per `+canaries["footnote"]+`</text:p></text:note-body></text:note> and a plan<text:note text:id="e1" text:note-class="endnote"><text:note-citation>i</text:note-citation><text:note-body><text:p>Per `+canaries["endnote"]+`</text:p></text:note-body></text:note>.`)
	add("comment", ` See<office:annotation><dc:creator>`+canaries["creator"]+`</dc:creator><dc:date>2071-03-04T08:30:00</dc:date><text:p>Ask `+canaries["comment"]+` about it</text:p></office:annotation> below.`)
	add("tracked", ` Now <text:change-start text:change-id="ct1"/>with `+canaries["inserted"]+`<text:change-end text:change-id="ct1"/> and <text:change text:change-id="ct2"/>alone.`)
	add("link", ` <text:a xlink:href="mailto:`+canaries["link"]+`@example.org">Write</text:a> <text:bookmark-start text:name="`+canaries["bookmark"]+`"/>here<text:bookmark-end text:name="`+canaries["bookmark"]+`"/>.`)
	add("hidden", ` <text:span text:style-name="H">Hidden: `+canaries["hidden"]+`. </text:span>`)
	add("box", `<draw:frame text:anchor-type="as-char" svg:width="5cm" svg:height="2cm" draw:z-index="0"><draw:text-box><text:p>Box of `+canaries["box"]+`</text:p></draw:text-box></draw:frame>`)
	b.WriteString(`</text:p>`)
	add("languages", `<text:p>Naïve café: `+canaries["accents"]+` saw `+canaries["greek"]+` and `+canaries["cjk"]+` 😀; 体温 37.2 ℃, β-blocker, ½ tablet, Straße.</text:p>`)
	add("table", `<table:table table:name="T"><table:table-column table:number-columns-repeated="2"/><table:table-row><table:table-cell><text:p>Drug</text:p></table:table-cell><table:table-cell><text:p>By</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell><text:p>Lisinopril 10 mg {po}</text:p></table:table-cell><table:table-cell><text:p>`+canaries["cell"]+`</text:p></table:table-cell></table:table-row></table:table>`)
	add("list", `<text:list><text:list-item><text:p>Rest</text:p></text:list-item><text:list-item><text:p>Call `+canaries["item"]+`\tomorrow</text:p></text:list-item></text:list>`)
	add("picture", `<text:p><draw:frame text:anchor-type="as-char" svg:width="1cm" svg:height="1cm"><draw:image><office:binary-data>iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==</office:binary-data></draw:image></draw:frame> scan</text:p>`)
	b.WriteString(`<text:p>Follow-up in two weeks; 5 &lt; 7 &amp; stable.<text:tab/>End<text:line-break/>of note.</text:p></office:text></office:body></office:document>`)
	return b.String()
}

// makeFiles writes 30 files in RTF to in, and two with a picture to pictures.
func makeFiles(work string) error {
	every := []string{"header", "footnote", "comment", "tracked", "link", "hidden", "box", "languages", "table", "list"}
	write := func(folder, name, content string) error {
		if err := os.MkdirAll(filepath.Join(work, folder), 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(work, folder, name), []byte(content), 0o644)
	}
	var errs []error
	for n := range 18 { // single parts, all, and every second
		parts := map[string]bool{}
		for i, part := range every {
			parts[part] = n == i || n == 10 || n > 10 && (i+n)%3 != 0
		}
		folder := "odt"
		if n >= 12 {
			folder = "viaword"
		}
		errs = append(errs, write(folder, fmt.Sprintf("n%02d.fodt", n), document(n, parts)))
	}
	for n := range 6 {
		page := fmt.Sprintf(`<html><head><title>%s</title><meta name="author" content="%s"></head><body><h2>Note %d</h2><p>Seen with <b>%s</b>%s &amp; caf&eacute;.</p>
<table border=1><tr><td>BP</td><td>120/80</td></tr><tr><td>By</td><td>%s</td></tr></table><ul><li>Rest</li><li>%s</li></ul><p><a href="mailto:%s@example.org">Mail</a> %s</p></body></html>`,
			canaries["title"], canaries["author"], n, canaries["bold"], strings.Repeat(" again and again,", n), canaries["cell"], canaries["item"], canaries["link"], canaries["greek"])
		errs = append(errs, write("html", fmt.Sprintf("h%02d.html", n), page))
		text := fmt.Sprintf("Note %d\n\n%s was seen.\nC:\\Users\\x {a} 5%%\n%s and %s\n%s", n, canaries["body"], canaries["accents"], canaries["cjk"], strings.Repeat("Stable.\n", n))
		errs = append(errs, write("text", fmt.Sprintf("t%02d.txt", n), text))
	}
	for n := range 2 {
		errs = append(errs, write("picture", fmt.Sprintf("p%02d.fodt", n), document(n, map[string]bool{"picture": true, "header": true, "link": n == 1})))
	}
	var deny strings.Builder
	for _, c := range canaries {
		fmt.Fprintln(&deny, c)
	}
	errs = append(errs, write(".", "deny.txt", deny.String()),
		office(work, "odt", "in", "rtf"), office(work, "viaword", "word", "docx"), office(work, "word", "in", "rtf"),
		office(work, "html", "in", "rtf", "--infilter=HTML (StarWriter)"), office(work, "text", "in", "rtf", "--infilter=Text (encoded):UTF8"),
		office(work, "picture", "pictures", "rtf"))
	return errors.Join(errs...)
}

// office converts the files of a folder with LibreOffice.
func office(work, from, to, format string, more ...string) error {
	files, err := filepath.Glob(filepath.Join(work, from, "*.*"))
	if err != nil {
		return err
	}
	args := append([]string{"-env:UserInstallation=file://" + filepath.Join(work, "profile"), "--headless", "--convert-to", format, "--outdir", filepath.Join(work, to)}, more...)
	out, err := exec.Command("soffice", append(args, files...)...).CombinedOutput() //nolint:gosec // the arguments are made above
	if err != nil {
		return fmt.Errorf("soffice: %w\n%s", err, out)
	}
	return nil
}

// folder is a folder of files, and what the checks found.
type folder struct {
	dir, lethe string
	failed     int
}

func (f *folder) path(parts ...string) string {
	return filepath.Join(append([]string{f.dir}, parts...)...)
}

func (f *folder) report(ok bool, format string, args ...any) {
	result := "ok    "
	if !ok {
		result = "FAILED"
		f.failed++
	}
	fmt.Println(result, fmt.Sprintf(format, args...))
}

// deidentify runs the program and returns its exit code.
func (f *folder) deidentify(from, to string, more ...string) int {
	args := append([]string{"deidentify", "--format", "rtf", "--policy", "all", "--quiet", "--output", f.path(to)}, more...)
	cmd := exec.Command(f.lethe, append(args, f.path(from))...) //nolint:gosec // the program to check
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	_ = cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		_ = os.WriteFile(f.path(to+".log"), stderr.Bytes(), 0o644)
		return code
	}
	return 0
}

func (f *folder) names(of string) []string {
	files, _ := filepath.Glob(f.path(of, "*.*"))
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	return files
}

func (f *folder) read(parts ...string) string {
	raw, err := os.ReadFile(f.path(parts...))
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

func check(f *folder) error {
	names := f.names("in")
	f.report(len(names) == 30, "%d files made by LibreOffice", len(names))
	f.checkPlanted(names)
	f.checkKeep(names)
	if err := f.checkClean("in", "clean", names); err != nil {
		return err
	}
	code := f.deidentify("pictures", "refused", "--replace", "tag")
	f.report(code == 2, "pictures are refused (exit code %d)", code)
	if err := f.checkClean("pictures", "dropped", f.names("pictures"), "--unexamined", "drop"); err != nil {
		return err
	}
	f.checkBroken(names)
	if f.failed > 0 {
		return fmt.Errorf("%d checks failed", f.failed)
	}
	return nil
}

// checkPlanted checks that every name is in the files, so that a file without names means something.
func (f *folder) checkPlanted(names []string) {
	all := ""
	for _, name := range names {
		all += f.read("in", name)
	}
	for place, c := range canaries {
		first, _, _ := strings.Cut(c, " ")
		f.report(first[0] >= 0x80 || place == "accents" || strings.Contains(all, first), "a name in the place: %s", place)
	}
}

func (f *folder) checkKeep(names []string) {
	first, second := f.deidentify("in", "keep", "--replace", "keep"), f.deidentify("keep", "keep2", "--replace", "keep")
	f.report(first == 0 && second == 0, "runs that keep PHI (exit codes %d and %d)", first, second)
	same, twice := 0, 0
	for _, name := range names {
		kept := f.read("keep", name)
		if cut(f.read("in", name)) == cut(kept) {
			same++
		} else {
			f.report(false, "%s: changed", name)
		}
		if kept == f.read("keep2", name) {
			twice++
		}
	}
	f.report(same == len(names), "identical apart from metadata: %d of %d", same, len(names))
	f.report(twice == len(names), "identical after the second run: %d of %d", twice, len(names))
}

var (
	metadata  = regexp.MustCompile(`\{(?:\\\*)?\\(?:info|revtbl|atnid|atnauthor|atndate|atntime|userprops|bkmkstart|bkmkend|datafield|docvar)[^a-z]`)
	timeStamp = regexp.MustCompile(`\\(revdttm(?:del)?|crdate)-?\d+`)
)

// cut removes metadata from RTF: it is the only thing that may change.
func cut(rtf string) string {
	for {
		at := metadata.FindStringIndex(rtf)
		if at == nil {
			return timeStamp.ReplaceAllString(rtf, "")
		}
		depth, end := 0, at[0]
		for ; end < len(rtf); end++ {
			if rtf[end] == '{' && rtf[end-1] != '\\' {
				depth++
			} else if rtf[end] == '}' && rtf[end-1] != '\\' {
				if depth--; depth == 0 {
					break
				}
			}
		}
		rtf = rtf[:at[0]] + rtf[end+1:]
	}
}

// checkClean replaces the PHI of a folder, and lets LibreOffice read the output.
func (f *folder) checkClean(from, to string, names []string, more ...string) error {
	code := f.deidentify(from, to, append([]string{"--replace", "tag", "--deny", f.path("deny.txt")}, more...)...)
	f.report(code == 0, "%s: a run that replaces PHI (exit code %d)", from, code)
	for _, folder := range []string{from, to} {
		if err := errors.Join(office(f.dir, folder, folder+"-txt", "txt:Text (encoded):UTF8"), office(f.dir, folder, folder+"-fodt", "fodt")); err != nil {
			return err
		}
	}
	clean, text, body := 0, 0, 0
	for _, name := range names {
		base := strings.TrimSuffix(name, ".rtf")
		odt, raw := f.read(to+"-fodt", base+".fodt"), strings.NewReplacer("\r", "", "\n", "").Replace(f.read(to, name))
		left := []string{}
		for place, c := range canaries {
			if strings.Contains(raw, c) || strings.Contains(odt, c) || strings.Contains(tags.ReplaceAllString(odt, ""), c) {
				left = append(left, place)
			}
		}
		slices.Sort(left)
		if len(left) == 0 {
			clean++
		} else {
			f.report(false, "%s: names are left in: %s", name, strings.Join(left, ", "))
		}
		if unchanged(f.read(from+"-txt", base+".txt"), f.read(to+"-txt", base+".txt")) {
			text++
		} else {
			f.report(false, "%s: the text has changed", name)
		}
		if unchanged(bodyOf(f.read(from+"-fodt", base+".fodt")), bodyOf(odt)) {
			body++
		} else {
			f.report(false, "%s: the text of headers, notes or comments has changed", name)
		}
	}
	f.report(clean == len(names), "%s: without names in %d of %d", to, clean, len(names))
	f.report(text == len(names), "%s: the same text apart from PHI in %d of %d", to, text, len(names))
	f.report(body == len(names), "%s: the same headers, notes and comments apart from PHI in %d of %d", to, body, len(names))
	return nil
}

var (
	tags    = regexp.MustCompile(`<[^>]*>`)
	outside = regexp.MustCompile(`(?s)<office:change-info>.*?</office:change-info>|<dc:creator>.*?</dc:creator>|<dc:date>.*?</dc:date>|<meta:creator-initials>.*?</meta:creator-initials>|<loext:sender-initials>.*?</loext:sender-initials>|<office:binary-data>.*?</office:binary-data>`)
	blank   = regexp.MustCompile(`\s+`)
	tag     = regexp.MustCompile(`\[[A-Z_]+\]`)
)

// bodyOf returns all text of a flat ODT document that people see.
func bodyOf(odt string) string {
	at := strings.Index(odt, "<office:master-styles>")
	if at < 0 {
		return "no document"
	}
	return blank.ReplaceAllString(html.UnescapeString(tags.ReplaceAllString(outside.ReplaceAllString(odt[at:], ""), " ")), " ")
}

// unchanged reports whether two texts are the same except for the tags in the second.
func unchanged(before, after string) bool {
	parts := tag.Split(after, -1)
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	pattern, err := regexp.Compile("(?s)^" + strings.Join(parts, ".+?") + "$")
	return err == nil && len(after) > 20 && pattern.MatchString(before)
}

// checkBroken damages files in six ways, all of which must be refused.
func (f *folder) checkBroken(names []string) {
	refused, all := 0, 0
	for i, name := range names {
		rtf := f.read("in", name)
		for how, broken := range map[string]string{
			"third": rtf[:len(rtf)/3], "half": rtf[:len(rtf)/2], "end": rtf[:strings.LastIndex(rtf, "}")], "brace": rtf + "}",
			"head": rtf[4:], "bin": strings.Replace(rtf, `\par`, `\bin99999999 \par`, 1),
		} {
			file := fmt.Sprintf("broken-%d-%s.rtf", i, how)
			if err := os.WriteFile(f.path(file), []byte(broken), 0o644); err != nil {
				f.report(false, "%v", err)
			}
			code := f.deidentify(file, "out-"+file, "--replace", "tag")
			_, err := os.Stat(f.path("out-" + file))
			if all++; code == 2 && err != nil {
				refused++
			} else {
				f.report(false, "%s, %s: exit code %d", name, how, code)
			}
		}
		if i == 4 {
			break
		}
	}
	f.report(refused == all, "broken files refused: %d of %d", refused, all)
}
