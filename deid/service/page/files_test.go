package page_test

import (
	"archive/zip"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/format"
)

// write writes files into a new folder and returns it.
func write(t testing.TB, name string, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	for path, content := range files {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// names returns what the list of notes shows.
func (t *tab) names() string {
	t.Helper()
	return t.text(`[...document.querySelectorAll("#notes-list .row")].sort((a, b) => a.dataset.index - b.dataset.index).map((e) => e.textContent).join("|")`)
}

func (t *tab) wantNames(want string) {
	t.Helper()
	got := ""
	for range 200 {
		if got = t.names(); got == want {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.Fatalf("the list shows %q, want %q", got, want)
}

var folder = map[string]string{
	"b.txt": "Ida Berg", "a.txt": "Oda Lund", "sub/a.txt": "Elm Hospital", "scan.pdf": "%PDF", ".hidden.txt": "x", "bad.txt": "\xff\xfe", "odd.txt": "UNEXAMINABLE",
}

const listed = "ward/a.txt 0 of 1 checked|ward/b.txt 0 of 1 checked|ward/bad.txt Not examined|ward/odd.txt Not examined|ward/sub/a.txt 0 of 1 checked"

func TestFolderIsOpened(t *testing.T) {
	tab := open(t, newFake(t), wide)
	tab.run(chromedp.SetUploadFiles(chromedp.CSS("#folder"), []string{write(t, "ward", folder)}, chromedp.NodeReady))
	tab.wantNames(listed)
	tab.expect(`document.querySelector("#warnings p").textContent`,
		"2 files were left out, because only .txt files of a folder are taken as notes: ward/.hidden.txt, ward/scan.pdf.")
	tab.picture("folder")
	tab.accessible("folder")
	tab.press("jj")
	tab.expect(`document.getElementById("note-alert").textContent`, "This note has not been examined. The file is not text in UTF-8.")
	tab.press("j")
	tab.expect(`document.getElementById("note-alert").textContent`, "This note has not been examined. the note has a sentence that is too longTry again")
	tab.picture("failed-note")
	tab.accessible("failed note")
	tab.panel("result")
	tab.expect(`document.getElementById("result-status").textContent`, "The note could not be examined, so there is no result.")
	tab.press("k")
	tab.expect(`document.getElementById("note-title").textContent`, "ward/bad.txt")
}

func TestFolderIsDropped(t *testing.T) {
	tab := open(t, newFake(t), wide)
	drag := &input.DragData{Items: []*input.DragDataItem{}, Files: []string{write(t, "ward", folder)}, DragOperationsMask: 1}
	for _, typ := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
		call(tab, input.DispatchDragEvent, input.DispatchDragEventParams{Type: typ, X: 300, Y: 300, Data: drag})
		if typ == input.DispatchDragEventTypeDragOver {
			tab.wait(`!document.getElementById("drop").hidden`)
			tab.picture("drop")
		}
	}
	tab.wantNames(listed)
	tab.expect(`document.getElementById("drop").hidden`, "true")
}

func TestFilesAreOpened(t *testing.T) {
	tab := open(t, newFake(t), wide)
	dir := write(t, "ward", map[string]string{"one.note": "Oda Lund", "110-04.txt": "Ida Berg"})
	tab.run(chromedp.SetUploadFiles(chromedp.CSS("#files"), []string{filepath.Join(dir, "one.note"), filepath.Join(dir, "110-04.txt")}, chromedp.NodeReady))
	tab.wantNames("110-04.txt 0 of 1 checked|one.note 0 of 1 checked")
	tab.expect(`document.getElementById("note-title").textContent`, "110-04.txt")
	tab.press("o")
	tab.examine("Elm Hospital")
	tab.wantNames("110-04.txt 0 of 1 checked|one.note 0 of 1 checked|Pasted note 1 0 of 1 checked")
	tab.click("#close-note")
	tab.wantNames("110-04.txt 0 of 1 checked|one.note 0 of 1 checked")
}

// hard has what goes wrong in other programs: a byte order mark, CR LF, a lone CR, accents, combining marks, emoji of several
// code points, text from right to left, and characters that XML treats specially.
const hard = "\ufeffElm Hospital\r\nדוח על נועה לוי (Oda Lund)\r\n👩🏽‍⚕️ José Ñuñez e\u0301tait <ici> & \"là\" ]]>\rDr. Ñoño: 12/03/2031\tMRN 482913\r\n"

// exported exports all notes in a format and returns the path of the file.
func (t *tab) exported(name string) string {
	t.Helper()
	t.click("#export")
	t.click(fmt.Sprintf(`dialog [value=%q]`, name))
	t.picture("export")
	t.accessible("export")
	t.click("dialog button[type=submit]")
	return t.downloaded()
}

// downloaded waits for a download and returns its path.
func (t *tab) downloaded() string {
	t.Helper()
	for range 200 {
		entries, err := os.ReadDir(t.downloads)
		if err != nil {
			t.Fatal(err)
		}
		entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool {
			return strings.HasPrefix(e.Name(), ".") || strings.HasSuffix(e.Name(), ".crdownload")
		})
		if len(entries) == 1 {
			path := filepath.Join(t.downloads, entries[0].Name())
			if info, err := os.Stat(path); err == nil && info.Size() > 0 {
				moved := filepath.Join(t.TempDir(), entries[0].Name())
				if err := os.Rename(path, moved); err != nil {
					t.Fatal(err)
				}
				return moved
			}
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.Fatal("nothing was downloaded")
	return ""
}

// unzip extracts an archive and returns the folder.
func unzip(t testing.TB, path string) string {
	t.Helper()
	r, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	files := map[string]string{}
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(in) // checks the checksum
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(content)
	}
	return write(t, "unzipped", files)
}

func TestExportsAreReadByTheProgramsReaders(t *testing.T) {
	tab := open(t, newFake(t), wide)
	dir := write(t, "ward", map[string]string{"110-04.txt": hard, "plain é.txt": sample, "empty.txt": "No name here.\n"})
	tab.run(chromedp.SetUploadFiles(chromedp.CSS("#folder"), []string{dir}, chromedp.NodeReady))
	tab.wantNames("ward/110-04.txt 0 of 7 checked|ward/empty.txt No PHI found|ward/plain é.txt 0 of 13 checked")
	tab.picture("hard")
	tab.press("a") // Ñoño, whose score is the lowest

	want := map[string]*data.Document{}
	for name, text := range map[string]string{"110-04": hard, "plain é": sample, "empty": "No name here.\n"} {
		spans, _ := find(text)
		want[name] = &data.Document{ID: name, Patient: data.PatientOf(name), Text: text, Spans: spans}
	}
	for _, name := range []string{"jsonl", "brat", "i2b2"} {
		path := tab.exported(name)
		if name != "jsonl" {
			path = unzip(t, path)
		}
		seen := 0
		for doc, err := range format.Read(name, path, format.Options{Types: data.I2B2}) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			seen++
			expected := *want[doc.ID]
			expected.Spans = slices.Clone(expected.Spans)
			if name != "jsonl" { // the others have no scores
				for i := range expected.Spans {
					expected.Spans[i].Score = 1
				}
			}
			if diff := cmp.Diff(&expected, doc); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
		if seen != 3 {
			t.Errorf("%s: %d notes", name, seen)
		}
	}
}

func TestCleanTextsKeepEveryOtherByte(t *testing.T) {
	tab := open(t, newFake(t), wide)
	dir := write(t, "ward", map[string]string{"110-04.txt": hard, "b.txt": "Dr. Berg\r\n", "odd.txt": "UNEXAMINABLE"})
	tab.run(chromedp.SetUploadFiles(chromedp.CSS("#folder"), []string{dir}, chromedp.NodeReady))
	tab.wantNames("ward/110-04.txt 0 of 7 checked|ward/b.txt 0 of 1 checked|ward/odd.txt Not examined")
	spans, _ := find(hard)
	want, _ := replace(hard, spans, fakeRequest{}, nil)
	out := unzip(t, tab.exported("clean"))
	got, err := os.ReadFile(filepath.Join(out, "110-04.txt"))
	if err != nil || string(got) != want {
		t.Errorf("%v\n got %q\nwant %q", err, got, want)
	}
	if _, err := os.Stat(filepath.Join(out, "odd.txt")); err == nil {
		t.Error("a note that was not examined was exported")
	}
	tab.expect(`document.querySelector("#warnings p").textContent`, "One note was not exported, because the server has not examined it: ward/odd.txt.")

	tab.panel("result")
	tab.wait(`!document.getElementById("copy").disabled`)
	tab.click("#download")
	if got, err := os.ReadFile(tab.downloaded()); err != nil || string(got) != want {
		t.Errorf("%v\n got %q\nwant %q", err, got, want)
	}
	tab.click("#copy")
	tab.expect(`navigator.clipboard.readText()`, want)
}

func TestNotesOfAPatientAreProcessedTogether(t *testing.T) {
	f := newFake(t)
	tab := open(t, f, wide)
	dir := write(t, "ward", map[string]string{"110-01.txt": "Oda Lund", "110-02.txt": "Ida Berg, Oda Lund", "110-03.txt": "UNEXAMINABLE", "111-01.txt": "Ida Berg"})
	tab.run(chromedp.SetUploadFiles(chromedp.CSS("#folder"), []string{dir}, chromedp.NodeReady))
	tab.wantNames("ward/110-01.txt 0 of 1 checked|ward/110-02.txt 0 of 2 checked|ward/110-03.txt Not examined|ward/111-01.txt 0 of 1 checked")
	tab.eval(`(() => { const e = document.getElementById("replace"); e.value = "numbered"; e.dispatchEvent(new Event("change")); })()`, nil)
	tab.press("j")
	tab.panel("result")
	tab.expect(`document.getElementById("result-text").textContent`, "[PATIENT_2], [PATIENT_1]")
	tab.press("kx") // then nobody comes before
	tab.press("j")
	tab.expect(`document.getElementById("result-text").textContent`, "[PATIENT_1], [PATIENT_2]")
	tab.press("ku")
	out := unzip(t, tab.exported("clean"))
	for name, want := range map[string]string{"110-01": "[PATIENT_1]", "110-02": "[PATIENT_2], [PATIENT_1]", "111-01": "[PATIENT_1]"} {
		if got, err := os.ReadFile(filepath.Join(out, name+".txt")); err != nil || string(got) != want {
			t.Errorf("%s is %q, want %q: %v", name, got, want, err)
		}
	}
}

func TestPastedTextIsKeptByteForByte(t *testing.T) {
	f := newFake(t)
	tab := open(t, f, wide)
	tab.examine(hard)
	tab.expect(`document.getElementById("note-text").textContent`, hard)
	tab.has("Oda Lund: PATIENT, 97%, not checked", "נועה לוי: PATIENT, 97%, not checked", "José Ñuñez: PATIENT, 97%, not checked", "*Ñoño: DOCTOR, 62%, not checked")
	tab.drag("ici")
	tab.press("t")
	chooseByKeyboard(tab, "CITY")
	tab.has("*ici: CITY, checked")
	tab.panel("result")
	tab.wait(`document.getElementById("result-text").textContent.includes("<[CITY]>")`)
}

// A text area and a text node show CR as a space; without LF it ends a line, too.
func TestResultIsCopiedWithoutBeingShown(t *testing.T) {
	f := newFake(t)
	tab := open(t, f, wide)
	tab.examine("Oda Lund\r\n")
	tab.expect(`document.activeElement.id`, "note-text")
	tab.press("c")
	tab.expect(`document.querySelector("#messages p")?.textContent`, "The clean text is on the clipboard.")
	tab.expect(`navigator.clipboard.readText()`, "[PATIENT]\r\n")
	f.refusing(func(w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, "", http.StatusInternalServerError)
		return true
	})
	tab.press("c")
	tab.expect(`document.querySelector("#warnings p")?.textContent`, "There is no result. The server failed.")
}

func TestLineThatEndsWithCROnlyIsALine(t *testing.T) {
	tab := open(t, newFake(t), wide)
	tab.examine("Oda Lund\rIda Berg\r\nx")
	tab.expect(`document.getElementById("note-text").textContent`, "Oda Lund\rIda Berg\r\nx")
	tab.expect(`document.querySelectorAll("#note-text br").length`, "1")
	tab.drag("Ida Berg")
	tab.press("t")
	chooseByKeyboard(tab, "DOCTOR")
	tab.has("*Ida Berg: DOCTOR, checked")
}

func TestTextThatTheUserEditedAfterPastingCounts(t *testing.T) {
	tab := open(t, newFake(t), wide)
	tab.paste("Oda Lund\r\n")
	tab.press("!")
	tab.click("#paste-form button[type=submit]")
	tab.expect(`document.getElementById("note-text").textContent`, "Oda Lund\n!")
}

func TestCharacterThatXMLCannotWriteIsAnError(t *testing.T) {
	tab := open(t, newFake(t), wide)
	tab.examine("Oda Lund\x0b")
	tab.click("#export")
	tab.click(`dialog [value="i2b2"]`)
	tab.click("dialog button[type=submit]")
	tab.expect(`document.querySelector("#warnings p").textContent`,
		"Nothing was exported. XML does not allow the character U+000B, which is in the note Pasted note 1. Choose another format.")
}
