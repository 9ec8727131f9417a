package evidence

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/attack"
	"github.com/lethe-deid/lethe/deid/audit"
	"github.com/lethe-deid/lethe/deid/review"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/taggers/operating"
)

// material is what was read.
type material struct {
	Inputs
	files []file

	run    *audit.Report // the totals of the run
	source string        // "audit" or "summary": where they are from
	given  *audit.Report // the summary; nil if there is none
	shards []string      // parts of the run, such as 3/8; nil if it was not divided
	types  []data.Type   // all types of the run, sorted by name
	known  bool          // whether types has also those of which nothing was found

	model  *models.Model // nil if there is none
	curves []curve

	review    *review.Review
	status    *review.Status
	agreement *review.Agreement // nil if there is none; noAgreement says why
	bound     *review.Bound     // nil if there is none; noBound says why

	noAgreement, noBound string

	attack *attack.Report
}

// file is a file or folder that was read.
type file struct {
	label  string // by which sources name it
	name   string // without its folder
	bytes  int64
	digest string // sha256: and 64 hexadecimal digits
	of     string // what the digest is of
}

// curve is the calibration of a model.
type curve struct {
	*operating.Curve
	label    string // by which sources name it
	language string // of a model for one of several languages
	point    int    // index of the point that the run has used; -1: why says why there is none
	why      string
}

func read(in Inputs) (*material, error) {
	if len(in.Audits)+len(in.Summaries) == 0 {
		return nil, errors.New("an audit or a summary of the run is required")
	}
	m := &material{Inputs: in}
	for _, step := range []func() error{m.openReview, m.readRun, m.openModel, m.findTypes, m.checkReview, m.readAttack} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// add records a file.
func (m *material) add(f file) error {
	f.name = filepath.Base(f.name)
	for _, other := range m.files {
		if other.label == f.label && other.digest == f.digest {
			return fmt.Errorf("%s: is the same as another %s", f.name, f.label)
		}
	}
	m.files = append(m.files, f)
	return nil
}

const wholeFile = "the file"

// readJSON reads a file into a value, and records it. It must have some keys.
func (m *material) readJSON(label, path string, into any, required ...string) error {
	raw, err := bounded.ReadFile(path, bounded.MaxConfig)
	if err != nil {
		return err
	}
	keys := map[string]json.RawMessage{}
	if json.Unmarshal(raw, &keys) != nil || json.Unmarshal(raw, into) != nil {
		return fmt.Errorf("%s: is not the JSON of the %s", path, label)
	}
	for _, key := range required {
		if _, ok := keys[key]; !ok {
			return fmt.Errorf("%s: is not the JSON of the %s, as this version of lethe writes it: it has no %q", path, label, key)
		}
	}
	return m.add(file{label, path, int64(len(raw)), digestOf(raw), wholeFile})
}

func digestOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// openModel opens the model and reads its calibration.
func (m *material) openModel() (err error) {
	if m.Model == "" {
		return nil
	}
	if m.model, err = models.Open(m.Model, 1); err != nil {
		return fmt.Errorf("--model: %w", err)
	}
	digest, err := m.model.Digest()
	if err != nil {
		return err
	}
	if digest != m.run.Model {
		return fmt.Errorf("--model: is not the model of the run, or has changed since: its digest is %.19s, and that in the %s %.19s", digest, m.source, m.run.Model)
	}
	size := int64(0)
	err = bounded.WalkDir(m.model.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := bounded.Stat(path)
		if err == nil {
			size += info.Size()
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := m.add(file{"model", m.modelName(), size, digest, "its files, as lethe models info computes it"}); err != nil {
		return err
	}
	if m.Model != models.Auto {
		return m.readCurve("calibration", "", m.model.Dir)
	}
	for _, language := range checkpoints.Builtin() {
		if err := m.readCurve("calibration-"+language, language, bounded.Builtin(language)); err != nil {
			return err
		}
	}
	return nil
}

// modelName names the model in the document. The path of a folder is nobody's business.
func (m *material) modelName() string {
	if m.model.Builtin() {
		return m.Model
	}
	return "a folder"
}

func (m *material) readCurve(label, language, dir string) error {
	c, err := models.OperatingPoints(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	raw, err := bounded.ReadFile(filepath.Join(dir, operating.File), bounded.MaxConfig)
	if err != nil {
		return err
	}
	used := curve{Curve: c, label: label, language: language}
	used.point, used.why = m.pointOf(c)
	m.curves = append(m.curves, used)
	return m.add(file{label, operating.File, int64(len(raw)), digestOf(raw), wholeFile})
}

// pointOf returns the index of the operating point that the run has used, or -1 and the reason why it is not known.
func (m *material) pointOf(c *operating.Curve) (int, string) {
	if m.given == nil {
		return -1, "No summary was given, so it is not known which operating point the run has used."
	}
	options := m.given.Options
	wanted := 0.0
	if text := options["min-recall"]; text != "" {
		if _, err := fmt.Sscan(text, &wanted); err != nil {
			return -1, "The summary has a recall that is not a number."
		}
	}
	switch {
	case options["bias"] != "":
		return -1, "The run had a --bias, of which no recall is known."
	case wanted == 0 && options["strict"] == "" && c.Default > 0:
		return -1, "The run used the default threshold of the model, of which no recall was measured. With --min-recall or --strict, lethe deidentify uses one of the points in the table."
	}
	point, err := c.At(wanted)
	if err != nil {
		return -1, "The operating points of the model are not known, because it was trained further since they were measured."
	}
	return slices.Index(c.Points, point), ""
}

// findTypes lists the types of the run, as the summary or the model describes them.
func (m *material) findTypes() error {
	byName := map[string]data.Type{}
	describe := (*data.TypeSet)(nil).Describe
	if m.model != nil {
		m.known = true
		for _, t := range m.model.FoundTypes() {
			byName[t.Name] = t
		}
	}
	if m.given != nil {
		m.known = true
		for name, t := range m.given.Types {
			byName[name] = data.Type{Name: name, Sort: t.Sort, Clinician: t.Clinician}
		}
	}
	used := []map[string]int{m.run.Replaced, m.run.Kept}
	if m.bound != nil {
		of := map[string]int{}
		for name := range m.bound.Types {
			of[name] = 0
		}
		used = append(used, of)
	}
	for _, counts := range append(used, slices.Collect(maps.Values(m.run.Net))...) {
		for name := range counts {
			if _, ok := byName[name]; !ok {
				byName[name] = describe(name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		m.types = append(m.types, byName[name])
	}
	return nil
}

// openReview opens the review and computes its figures.
func (m *material) openReview() (err error) {
	if m.Review == "" {
		if len(m.Readers) > 0 {
			return errors.New("there is no review whose readers could be described")
		}
		return nil
	}
	if m.review, err = review.Open(m.Review); err != nil {
		return err
	}
	if m.status, err = m.review.Status(); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(m.Readers)) {
		if _, ok := m.status.Readers[name]; !ok && name != review.Final {
			return fmt.Errorf("%s: has no reader %q (have %s)", m.Review, name, strings.Join(m.review.Readers, ", "))
		}
	}
	m.agreement, _, err = m.review.Agreement()
	switch {
	case errors.Is(err, review.ErrOneReader), errors.Is(err, review.ErrNoneDone):
		m.noAgreement = err.Error()
	case err != nil:
		return err
	}
	m.bound, err = m.review.Bound()
	if none, ok := errors.AsType[*review.NoBound](err); ok {
		m.noBound = none.Reason
	} else if err != nil {
		return err
	}
	return m.addReview()
}

// addReview records the files of the review. The digest can be computed with sha256sum: see the document.
func (m *material) addReview() error {
	var listing bytes.Buffer
	size := int64(0)
	var paths []string
	err := bounded.WalkDir(m.Review, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || strings.HasPrefix(entry.Name(), ".") {
			return err
		}
		path, err = filepath.Rel(m.Review, path)
		paths = append(paths, filepath.ToSlash(path))
		return err
	})
	if err != nil {
		return err
	}
	slices.Sort(paths)
	for _, path := range paths {
		raw, err := bounded.ReadFile(filepath.Join(m.Review, filepath.FromSlash(path)), bounded.MaxModel)
		if err != nil {
			return err
		}
		size += int64(len(raw))
		fmt.Fprintf(&listing, "%s  %s\n", strings.TrimPrefix(digestOf(raw), "sha256:"), path)
	}
	return m.add(file{"review", "a folder", size, digestOf(listing.Bytes()), "the list of its files with their digests"})
}

// checkReview checks that the review is of the run's model, options and notes.
func (m *material) checkReview() error {
	if m.review == nil {
		return nil
	}
	if m.review.Digest != m.run.Model {
		return fmt.Errorf("%s: reviews the work of another model (digest %.19s) than that of the run (%.19s)", m.Review, m.review.Digest, m.run.Model)
	}
	if population := m.review.Population.Notes; len(m.missingShards()) == 0 && (population < m.run.Notes || population > m.run.Notes+m.run.NotesFailed+m.run.NotesFailedEarlier) {
		return fmt.Errorf("%s: was drawn from %d notes, and the run has %d: it is a review of other notes, about which it says nothing", m.Review, population, m.run.Notes+m.run.NotesFailed+m.run.NotesFailedEarlier)
	}
	if m.given == nil {
		return nil
	}
	found := options(m.review.Finds)
	for _, name := range []string{"min-recall", "bias", "strict", "safety-net", "rules", "deny", "allow", "known"} {
		reviewed, ran := found[name], m.given.Options[name]
		switch name {
		case "safety-net":
			reviewed, ran = normal(reviewed), normal(ran)
			if ran == "file" { // of which the review has the path
				continue
			}
		case "rules", "deny", "allow", "known":
			reviewed, ran = given(reviewed), given(ran)
		case "strict":
			reviewed = strings.TrimSuffix(reviewed, "false")
		}
		if reviewed != ran {
			return fmt.Errorf("%s: was drawn with another --%s than the run had, so that it reviews something else", m.Review, name)
		}
	}
	return nil
}

var option = regexp.MustCompile(`(?:^| )--([a-z-]+)=(\S*)`)

// options parses the options of a review, as on the command line.
func options(finds string) map[string]string {
	all := map[string]string{}
	for _, m := range option.FindAllStringSubmatch(finds, -1) {
		all[m[1]] = m[2]
	}
	return all
}

func normal(net string) string {
	if net == "" {
		return "auto"
	}
	return net
}

func given(value string) string {
	if value == "" {
		return ""
	}
	return "given"
}

// readAttack reads the result of an attack.
func (m *material) readAttack() error {
	if m.Attack == "" {
		return nil
	}
	m.attack = &attack.Report{}
	if err := m.readJSON("attack", m.Attack, m.attack, "version", "reader", "notes", "marked", "attacks"); err != nil {
		return err
	}
	if m.attack.Notes != m.run.Notes && len(m.missingShards()) == 0 {
		return fmt.Errorf("%s: is an attack on %d notes, and the run has written %d: it is not on the output of this run", m.Attack, m.attack.Notes, m.run.Notes)
	}
	bad := checkCounts(m.attack.Tags, map[string]int{"marked": m.attack.Marked})
	if left := m.attack.Left; left != nil {
		bad = errors.Join(bad, checkCounts(left.ByType, map[string]int{"gold": left.Gold, "left": left.Left}))
	}
	for _, a := range m.attack.Attacks {
		bad = errors.Join(bad, checkCounts(a.ByType, map[string]int{a.Name: a.Sure}))
		if a.Score != nil {
			all := a.Score.All
			bad = errors.Join(bad, checkCounts(map[string]int{"suspects": all.Suspects, "leaks": all.Leaks, "hits": all.Hits, "right": all.Right, "rest": all.Leaks - all.Hits, "wrong": all.Suspects - all.Right}))
		}
		if (a.Score == nil) != (m.attack.Left == nil) {
			bad = errors.Join(bad, errors.New("has scores without leaks"))
		}
	}
	if bad != nil {
		return fmt.Errorf("%s: has counts that no attack has", m.Attack)
	}
	return nil
}
