package review

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
)

// capitals finds the words of capital letters, except OTTO, which it doubts, and fails on notes with the word fail.
type capitals struct{}

func (c capitals) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	found, _, err := c.Probe(ctx, docs, 0)
	return found, err
}

func (capitals) Probe(_ context.Context, docs []*data.Document, _ float64) (found, doubts [][]data.Span, err error) {
	found, doubts = make([][]data.Span, len(docs)), make([][]data.Span, len(docs))
	for i, d := range docs {
		if strings.Contains(d.Text, "fail") {
			return nil, nil, errors.New("cannot be tagged")
		}
		at := 0
		for _, word := range strings.SplitAfter(d.Text, " ") {
			s := data.Span{Start: at, End: at + len(strings.TrimRight(word, " .")), Type: "PATIENT", Score: 0.9}
			at += len(word)
			if word = d.Text[s.Start:s.End]; word == "" || strings.ToUpper(word) != word {
				continue
			}
			if word == "OTTO" {
				s.Score = 0.25
				doubts[i] = append(doubts[i], s)
			} else {
				found[i] = append(found[i], s)
			}
		}
	}
	return found, doubts, nil
}

// doubtsOf finds what capitals doubts.
type doubtsOf struct{ capitals }

func (d doubtsOf) Tag(ctx context.Context, docs []*data.Document) ([][]data.Span, error) {
	_, doubts, err := d.Probe(ctx, docs, LeastDoubt)
	return doubts, err
}

// capitalsModel is the model of the tests.
func capitalsModel() Model {
	d := &deid.Deidentifier{Tagger: capitals{}}
	return Model{Name: "capitals", Digest: "sha256:0", Types: data.I2B2, TypeNames: []string{"DOCTOR", "PATIENT"}, Doubts: doubtsOf{},
		Find: func(ctx context.Context, notes []deid.Note) ([][]data.Span, []error) {
			found, errs := make([][]data.Span, len(notes)), make([]error, len(notes))
			for i, r := range d.Notes(ctx, notes) {
				errs[i] = r.Err
				for _, c := range r.Changes {
					found[i] = append(found[i], c.Old)
				}
			}
			return found, errs
		}}
}

// notesOf yields notes with these texts, of patients of three notes each.
func notesOf(texts ...string) iter.Seq2[deid.Note, error] {
	return func(yield func(deid.Note, error) bool) {
		for i, text := range texts {
			patient := fmt.Sprint("p", i/3)
			if !yield(deid.Note{Document: &data.Document{ID: fmt.Sprint(i), Patient: patient, Text: text}, Group: patient}, nil) {
				return
			}
		}
	}
}

// sampled draws a sample of notes with these texts, and opens its review.
func sampled(t *testing.T, draw Draw, texts ...string) *Review {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "review")
	if _, err := Sample(t.Context(), dir, notesOf(texts...), capitalsModel(), draw, nil); err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// all is a draw of all notes.
func all(readers ...string) Draw { return Draw{By: ByNote, Notes: 1000, Readers: readers} }

// put stores a reading that must be accepted.
func put(t *testing.T, r *Review, number int, reader string, version int, done bool, spans ...data.Span) {
	t.Helper()
	got, err := r.Put(number, reader, Reading{version, done, spans})
	if err != nil || got != version+1 {
		t.Fatalf("note %d, %s: version %d, %v", number, reader, got, err)
	}
}

func span(start, end int) data.Span {
	return data.Span{Start: start, End: end, Type: "PATIENT", Score: 1}
}

func TestTwoReadersAndFinal(t *testing.T) {
	r := sampled(t, all("anna", "ben"), "ANNA saw Ben. OTTO")
	first, err := r.Reading(1, "anna")
	if err != nil || first.Version != 0 || len(first.Spans) != 1 || first.Spans[0].Score != 0.9 {
		t.Fatalf("the suggestion is %+v, %v", first, err)
	}
	if _, err := r.Reading(1, Final); !errors.Is(err, ErrNotDone) {
		t.Errorf("final before the readers: %v", err)
	}
	put(t, r, 1, "anna", 0, true, span(9, 12), span(0, 4))
	if _, _, err := r.Differences(1); !errors.Is(err, ErrNotDone) {
		t.Errorf("differences before both are done: %v", err)
	}
	second, err := r.Reading(1, "ben")
	if err != nil || len(second.Spans) != 1 {
		t.Errorf("ben sees what anna has marked: %+v, %v", second, err)
	}
	put(t, r, 1, "anna", 1, false, span(0, 4)) // until ben is done, anna may change the note
	put(t, r, 1, "anna", 2, true, span(0, 4), span(9, 12))
	put(t, r, 1, "ben", 0, true, span(0, 4), span(14, 18))
	if _, err := r.Put(1, "anna", Reading{Version: 3, Done: true}); !errors.Is(err, ErrClosed) {
		t.Errorf("after both are done: %v", err)
	}
	if gold, verdict, err := r.Gold(1); verdict != Differing || len(gold) != 3 || err != nil {
		t.Errorf("gold before final: %v %q %v", gold, verdict, err)
	}
	if final, err := r.Reading(1, Final); err != nil || len(final.Spans) != 1 || final.Spans[0] != span(0, 4) {
		t.Errorf("final begins with %+v, %v", final, err)
	}
	put(t, r, 1, Final, 0, true, span(0, 4), span(9, 12))
	if gold, verdict, err := r.Gold(1); verdict != Decided || len(gold) != 2 || err != nil {
		t.Errorf("gold after final: %v %q %v", gold, verdict, err)
	}
}

func TestAReadingThatIsNotTheNewestIsRefused(t *testing.T) {
	r := sampled(t, all("anna"), "ANNA")
	put(t, r, 1, "anna", 0, false)
	for _, version := range []int{0, 2, -1} {
		if _, err := r.Put(1, "anna", Reading{Version: version}); !errors.Is(err, ErrVersion) {
			t.Errorf("version %d: %v", version, err)
		}
	}
}

func TestBadReadings(t *testing.T) {
	r := sampled(t, all("anna"), "Åsa ANNA")
	for name, c := range map[string]struct {
		number int
		reader string
		spans  []data.Span
		want   error
	}{
		"no such note":      {2, "anna", nil, ErrNoNote},
		"note 0":            {0, "anna", nil, ErrNoNote},
		"no such reader":    {1, "ben", nil, ErrNoReader},
		"a path as reader":  {1, "../anna", nil, ErrNoReader},
		"final of one":      {1, Final, nil, ErrNoReader},
		"no reader":         {1, "", nil, ErrNoReader},
		"beyond the text":   {1, "anna", []data.Span{span(5, 99)}, nil},
		"empty":             {1, "anna", []data.Span{span(5, 5)}, nil},
		"reversed":          {1, "anna", []data.Span{span(9, 5)}, nil},
		"cuts a character":  {1, "anna", []data.Span{span(1, 4)}, nil},
		"before the text":   {1, "anna", []data.Span{span(-1, 4)}, nil},
		"overlapping":       {1, "anna", []data.Span{span(5, 9), span(0, 6)}, nil},
		"the same twice":    {1, "anna", []data.Span{span(5, 9), span(5, 9)}, nil},
		"of no type":        {1, "anna", []data.Span{{Start: 5, End: 9}}, nil},
		"of an unknown one": {1, "anna", []data.Span{{Start: 5, End: 9, Type: "ANNA"}}, nil},
	} {
		_, err := r.Put(c.number, c.reader, Reading{Spans: c.spans})
		if _, spans := errors.AsType[*ErrSpans](err); c.want == nil && !spans || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), "ANNA") {
			t.Errorf("%s: the error quotes the note or the request: %v", name, err)
		}
	}
	if found, err := r.Reading(1, "anna"); err != nil || found.Version != 0 {
		t.Errorf("after refusals: %+v, %v", found, err)
	}
}

func TestReaders(t *testing.T) {
	for names, ok := range map[string]bool{
		"anna": true, "anna ben": true, "a-1": true, "": false, "anna anna": false, "final": false, "anna final": false, "Anna": false, "a/b": false,
		"..": false, ".": false, "-a": false, "a b c": false, "å": false, strings.Repeat("a", 33): false, "con.": false,
	} {
		if err := checkReaders(strings.Fields(names)); (err == nil) != ok {
			t.Errorf("%q: %v", names, err)
		}
	}
}

func TestOnlyTheOwnerCanReadAReview(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such permissions")
	}
	dir := filepath.Join(t.TempDir(), "review")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Sample(t.Context(), dir, notesOf("ANNA"), capitalsModel(), all("anna"), nil); err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	put(t, r, 1, "anna", 0, true)
	files := 0
	if err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		info, e := entry.Info()
		if err == nil && e == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v", path, info.Mode())
		}
		files++
		return errors.Join(err, e)
	}); err != nil || files != 8 {
		t.Errorf("%d files and folders, %v", files, err)
	}
}

func TestConcurrentReaders(t *testing.T) {
	r := sampled(t, all("anna", "ben"), "ANNA", "BEN", "CLEO")
	other, err := Open(r.dir) // as in another process
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	const each = 20
	for number := 1; number <= 3; number++ {
		for _, reader := range r.Readers {
			for _, of := range []*Review{r, other} {
				wg.Go(func() { // both write as the same reader, and each version is written once
					for written := 0; written < each; {
						now, err := of.Reading(number, reader)
						if err != nil {
							t.Error(err)
							return
						}
						switch _, err := of.Put(number, reader, Reading{Version: now.Version, Spans: now.Spans}); {
						case err == nil:
							written++
						case !errors.Is(err, ErrVersion):
							t.Error(err)
							return
						}
					}
				})
			}
		}
	}
	wg.Wait()
	for number := 1; number <= 3; number++ {
		for _, reader := range r.Readers {
			if found, err := r.Reading(number, reader); err != nil || found.Version != 2*each {
				t.Errorf("note %d, %s: version %d, %v", number, reader, found.Version, err)
			}
		}
	}
}

func TestAReviewSurvivesKills(t *testing.T) {
	r := sampled(t, all("anna"), "ANNA")
	put(t, r, 1, "anna", 0, true, span(0, 4))
	// A process that was killed while it wrote leaves a hidden file, perhaps incomplete.
	left := filepath.Join(filepath.Dir(r.readingPath(1, "anna")), ".0001.json123")
	if err := os.WriteFile(left, []byte(`{"version":2,"do`), 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := Open(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	put(t, again, 1, "anna", 1, true)
}

func TestAnInterruptedSampleIsDrawnAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "review")
	ctx, cancel := context.WithCancel(t.Context())
	texts := []string{"ANNA", "BEN", "CLEO", "DAN"}
	model := capitalsModel()
	find := model.Find
	model.Find = func(ctx context.Context, notes []deid.Note) ([][]data.Span, []error) {
		defer cancel()
		return find(ctx, notes)
	}
	draw := Draw{By: ByPatient, Notes: 2, Readers: []string{"anna"}}
	if _, err := Sample(ctx, dir, notesOf(texts...), model, draw, nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("it was not interrupted: %v", err)
	}
	if _, err := Open(dir); err == nil {
		t.Error("half a sample was opened")
	}
	if err := os.MkdirAll(filepath.Join(dir, notesFolder), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"notes/0007.json", "notes/.0001.json77", ".review.json77"} { // as if it had been killed
		if err := os.WriteFile(filepath.Join(dir, name), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, err := Sample(t.Context(), dir, notesOf(texts...), capitalsModel(), draw, nil)
	if err != nil || len(m.Notes) != 4 {
		t.Fatalf("%+v, %v", m, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "notes/0007.json")); err == nil {
		t.Error("a note of the interrupted sample is still there")
	}
	if _, err := Sample(t.Context(), dir, notesOf(texts...), capitalsModel(), draw, nil); err == nil {
		t.Error("a second sample replaced the first")
	}
}

// TestAWriterIsKilled kills a process while it writes one version after another. Every version that it has reported must be
// there, whole, and the review can be used.
func TestAWriterIsKilled(t *testing.T) {
	r := sampled(t, all("anna"), "ANNA")
	writer := exec.Command(os.Args[0], "-test.run=^TestWriter$")
	writer.Env = append(os.Environ(), "LETHE_REVIEW="+r.dir)
	out, err := writer.StdoutPipe()
	if err == nil {
		err = writer.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	reported := 0
	for lines := bufio.NewScanner(out); reported < 25 && lines.Scan(); {
		if _, err := fmt.Sscan(lines.Text(), &reported); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = writer.Wait() // it was killed
	again, err := Open(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	found, err := again.Reading(1, "anna")
	if err != nil || found.Version < reported || len(found.Spans) != 1 {
		t.Fatalf("after version %d: %+v, %v", reported, found, err)
	}
	put(t, again, 1, "anna", found.Version, true)
}

// TestWriter is the process of TestAWriterIsKilled.
func TestWriter(t *testing.T) {
	dir := os.Getenv("LETHE_REVIEW")
	if dir == "" {
		t.Skip("not started by TestAWriterIsKilled")
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for version := 0; ; version++ {
		if _, err := r.Put(1, "anna", Reading{Version: version, Spans: []data.Span{span(0, 4)}}); err != nil {
			t.Fatal(err)
		}
		fmt.Println(version + 1)
	}
}

func TestSpansOutsideOfTheNoteAreAnError(t *testing.T) {
	r := sampled(t, all("anna"), "ANNA")
	for _, spans := range []string{`{"start":0,"end":9}`, `{"start":-1,"end":2}`, `{"start":2,"end":2}`, `{"start":0,"end":3},{"start":2,"end":4}`} {
		if err := os.MkdirAll(filepath.Dir(r.readingPath(1, "anna")), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(r.readingPath(1, "anna"), []byte(`{"version":1,"done":true,"spans":[`+spans+`]}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Bound(); err == nil || !strings.Contains(err.Error(), "has spans that overlap or are not in the note") {
			t.Errorf("%s: %v", spans, err)
		}
	}
}

func TestAFileThatHasChangedIsAnError(t *testing.T) {
	r := sampled(t, all("anna"), "ANNA")
	for path, content := range map[string]string{r.notePath(1): `{"number":1,"text":"Anna"}`, r.readingPath(1, "anna"): `{"version":`} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Reading(1, "anna"); err == nil || !strings.Contains(err.Error(), filepath.Base(path)) {
			t.Errorf("%s: %v", path, err)
		}
	}
	for name, manifest := range map[string]string{
		"not JSON": "ANNA", "another layout": `{"layout":2}`, "an unknown key": `{"layout":1,"x":1}`, "no readers": `{"layout":1}`,
		"no notes": `{"layout":1,"readers":["a"]}`, "unknown types": `{"layout":1,"readers":["a"],"notes":[{"unit":1}],"population":{"units":1},"types":"x"}`,
		"no population": `{"layout":1,"readers":["a"],"notes":[{"unit":1}],"types":"i2b2-2014"}`,
	} {
		if err := os.WriteFile(filepath.Join(r.dir, manifestFile), []byte(manifest), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(r.dir); err == nil || strings.Contains(err.Error(), "ANNA") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRandomSamples(t *testing.T) {
	var texts []string
	for i := range 60 {
		texts = append(texts, fmt.Sprintf("ANNA %d", i))
	}
	ids := func(draw Draw) []string {
		draw.Readers = []string{"anna"}
		var all []string
		for _, e := range sampled(t, draw, texts...).Notes {
			all = append(all, e.ID)
		}
		return all
	}
	ten := ids(Draw{By: ByNote, Notes: 10, Seed: 1})
	if len(ten) != 10 || slices.Equal(ten, ids(Draw{By: ByNote, Notes: 10, Seed: 2})) || !slices.Equal(ten, ids(Draw{By: ByNote, Notes: 10, Seed: 1})) {
		t.Errorf("the seed does not decide: %v", ten)
	}
	if twenty := ids(Draw{By: ByNote, Notes: 20, Seed: 1}); !slices.Equal(twenty[:10], ten) {
		t.Errorf("the first notes of a sample are no sample: %v, %v", ten, twenty)
	}
	drawn := map[string]int{}
	for seed := range uint64(300) {
		draw := Draw{By: ByNote, Notes: 6, Seed: seed}
		s := &sampler{draw: draw, manifest: &Manifest{}, drawn: units{byKey: map[string]*unit{}}}
		if err := s.read(t.Context(), notesOf(texts...)); err != nil {
			t.Fatal(err)
		}
		for _, u := range s.drawn.sorted() {
			drawn[u.notes[0].ID]++
		}
	}
	for id, n := range drawn { // 30 expected, with a standard deviation of 5.2
		if n < 10 || n > 52 {
			t.Errorf("note %s was drawn %d times", id, n)
		}
	}
	if len(drawn) != 60 {
		t.Errorf("only %d notes were ever drawn", len(drawn))
	}
	four := ids(Draw{By: ByPatient, Notes: 4, Seed: 1})
	patients := map[int]int{}
	for _, id := range four {
		var n int
		fmt.Sscan(id, &n)
		patients[n/3]++
	}
	if len(four) != 12 || len(patients) != 4 {
		t.Errorf("four patients have the notes %v", four)
	}
}

func TestTheMostDoubtfulComeFirst(t *testing.T) {
	r := sampled(t, Draw{By: ByDoubt, Notes: 3, Readers: []string{"anna"}}, "nobody", "ANNA", "fail", "ANNA OTTO OTTO", "OTTO", "BEN")
	var ids []string
	for _, e := range r.Notes {
		ids = append(ids, e.ID)
	}
	// As in deidentify, the notes of a patient fail together.
	if !slices.Equal(ids, []string{"3", "4", "5"}) || r.Failed != 3 || r.Notes[0].Doubtful != 0.75 || r.Population.Notes != 3 {
		t.Errorf("%v, %+v", ids, r.Manifest)
	}
	if _, err := r.Bound(); err == nil {
		t.Error("a sample by doubt has a bound")
	}
}

func TestNotesThatCannotBeExaminedAreCounted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "review")
	var failed []error
	notes := func(yield func(deid.Note, error) bool) {
		yield(deid.Note{}, errors.New("cannot be read"))
		notesOf("ANNA", "fail", "BEN")(yield)
	}
	m, err := Sample(t.Context(), dir, notes, capitalsModel(), all("anna"), func(err error) { failed = append(failed, err) })
	if err != nil || m.Failed != 1 || m.Population.Failed != 1 || m.Population.Notes != 3 || len(m.Notes) != 2 || len(failed) != 2 {
		t.Errorf("%+v, %v, %v", m, err, failed)
	}
	for _, texts := range [][]string{nil, {"fail"}} {
		if _, err := Sample(t.Context(), filepath.Join(t.TempDir(), "review"), notesOf(texts...), capitalsModel(), all("anna"), nil); err == nil {
			t.Errorf("%q: a review without notes", texts)
		}
	}
}

func TestBadDraws(t *testing.T) {
	guess := capitalsModel()
	guess.Doubts = nil
	for name, c := range map[string]struct {
		Draw
		Model
	}{
		"no way":              {Draw{Notes: 1, Readers: []string{"a"}}, capitalsModel()},
		"an unknown way":      {Draw{By: "chance", Notes: 1, Readers: []string{"a"}}, capitalsModel()},
		"no notes":            {Draw{By: ByNote, Readers: []string{"a"}}, capitalsModel()},
		"no readers":          {Draw{By: ByNote, Notes: 1}, capitalsModel()},
		"doubts without them": {Draw{By: ByDoubt, Notes: 1, Readers: []string{"a"}}, guess},
	} {
		dir := filepath.Join(t.TempDir(), "review")
		if _, err := Sample(t.Context(), dir, notesOf("ANNA"), c.Model, c.Draw, nil); err == nil {
			t.Errorf("%s: no error", name)
		} else if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s: the folder was created", name)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Sample(t.Context(), dir, notesOf("ANNA"), capitalsModel(), all("a"), nil); err == nil {
		t.Error("a folder that is not empty was used")
	}
}

func TestUnaidedReadersSeeNothingOfTheModel(t *testing.T) {
	draw := all("anna")
	draw.Unaided = true
	r := sampled(t, draw, "ANNA")
	if found, err := r.Reading(1, "anna"); err != nil || len(found.Spans) != 0 {
		t.Errorf("%+v, %v", found, err)
	}
}
