package job

import (
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/deid/notefile"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/paths"
	"github.com/lethe-deid/lethe/taggers/operating"
)

// Stdio, as Input or Output, means stdin or stdout.
const Stdio = "-"

// Config says what a run does. The zero value of an option that has a default means that default. The tag of
// a field is the name of the option, as the command line, errors and the record of the run have it. "file"
// marks options whose value may be the path of a file, which the record knows by its content. The
// record does not hold options without a name: they do not change the notes that come out, or it holds them in
// another way.
type Config struct {
	Model   string // model or run folder, required
	Input   string // file, folder or Stdio
	Output  string // file, folder or Stdio (default); the notes of a folder require a folder
	Workers int    // how many cores to use; 0 means all
	Version string // of the program, which the record holds

	Format         string   `option:"format"`          // of the notes: one of notefile.Names; default text
	Columns        []string `option:"column"`          // columns of csv, or keys of jsonl, that hold notes
	ID             string   `option:"id"`              // column or key with the note's id
	Patient        string   `option:"patient"`         // column or key that says whose note it is
	KeepPatient    bool     `option:"keep-patient"`    // leave that column or key in place instead of emptying it
	PatientFolders bool     `option:"patient-folders"` // the notes of each subfolder belong to one patient
	Delimiter      string   `option:"delimiter"`       // one character, or tab, between the fields of csv; default a comma, in .tsv a tab
	Encoding       string   `option:"encoding"`        // of the files: utf-8 (default), latin1 or windows-1252

	Replace     string   `option:"replace"`      // what replaces PHI: one of replace.Kinds; default tag
	ReplaceType []string `option:"replace-type"` // TYPE=KIND for one type each
	KeyFile     string   `option:"key-file"`     // holds the secret that hashes and surrogates are derived from
	Surrogates  string   `option:"surrogates"`   // YAML file of lists and sorts: see replace.ReadOptions

	MinRecall float64 `option:"min-recall"` // the recall of PHI tokens to reach, as measured by calibration; 0 means the best path
	Bias      float64 `option:"bias"`       // log-odds that are added to each token's log-odds of being PHI; 0 means none

	SafetyNet string   `option:"safety-net,file"` // rules of the safety net: auto (default), off, none, the name of built-in rules, or a file
	Rules     []string `option:"rules,file"`      // files of additional rules
	Deny      []string `option:"deny,file"`       // files of phrases that are always replaced
	Allow     []string `option:"allow,file"`      // files of phrases that are not PHI
	Known     string   `option:"known,file"`      // file that says what is known of each patient or note

	Map           string   // file for the originals and what replaced them, encrypted; "" for none
	MapRecipients []string // public keys of age, or files of them, that can decrypt the map
	Audit         string   // file for a line of JSON per note; "" for none
	Resume        bool     // go on with a run that was stopped and had the same options
	SkipOthers    bool     // files of a folder that are not of the format are left out on purpose
}

// OptionError says that the options of a Config do not go together, or that one has no such value.
type OptionError struct{ err error }

func (e *OptionError) Error() string { return e.err.Error() }
func (e *OptionError) Unwrap() error { return e.err }

func optionError(err error) error {
	if err == nil {
		return nil
	}
	return &OptionError{err}
}

// checked is a Config that has been checked, with what its options say.
type checked struct {
	Config
	format  *notefile.Format
	options notefile.Options
	plan    replace.Plan
}

// check fills in defaults and says which options make no sense. It reads no file.
func (c Config) check() (*checked, error) {
	for option, byDefault := range map[*string]string{
		&c.Input: Stdio, &c.Output: Stdio, &c.Format: "text", &c.Encoding: "utf-8", &c.Replace: string(replace.Tag), &c.SafetyNet: "auto",
	} {
		if *option == "" {
			*option = byDefault
		}
	}
	k := &checked{Config: c}
	var err error
	if k.format, err = notefile.Lookup(c.Format); err != nil {
		return nil, err
	}
	for _, check := range []func() error{k.checkModel, k.checkOptions, k.checkPlan, k.checkMap} {
		if err := check(); err != nil {
			return nil, optionError(err)
		}
	}
	return k, nil
}

func (c *checked) checkModel() error {
	switch {
	case c.Model == "":
		return errors.New("--model must be given")
	case c.Known != "" && c.SafetyNet == "off":
		return errors.New("--known is what the safety net looks for: it cannot go with --safety-net off")
	case c.MinRecall != 0 && c.Bias != 0:
		return errors.New("--min-recall and --bias exclude each other")
	case c.MinRecall != 0 && !(c.MinRecall > 0 && c.MinRecall < 1):
		return fmt.Errorf("--min-recall %v is not between 0 and 1", c.MinRecall)
	case c.Bias != 0 && !(c.Bias > 0 && c.Bias <= operating.MaxBias):
		return fmt.Errorf("--bias %v is not above 0, and at most %v", c.Bias, operating.MaxBias)
	}
	return nil
}

func (c *checked) checkOptions() error {
	c.options = notefile.Options{Encoding: c.Encoding, Columns: c.Columns, ID: c.ID, Patient: c.Patient, NoPatient: !c.KeepPatient}
	switch {
	case c.Delimiter == "tab" || c.Delimiter == `\t`:
		c.options.Comma = '\t'
	case len(c.Delimiter) == 1:
		c.options.Comma = c.Delimiter[0]
	case c.Delimiter != "":
		return fmt.Errorf("--delimiter %q is not one character", c.Delimiter)
	}
	if c.KeepPatient && !c.format.Columns {
		return fmt.Errorf("--keep-patient: %s has no columns", c.format.Name)
	}
	err := c.format.Check(c.options)
	if err != nil && c.format.NeedsColumn && len(c.Columns) == 0 {
		err = fmt.Errorf("--format %s requires a --column", c.format.Name)
	}
	return err
}

func (c *checked) checkPlan() error {
	kind, err := replace.ParseKind(c.Replace)
	if err != nil {
		return fmt.Errorf("--replace: %w", err)
	}
	c.plan = replace.Plan{Default: kind, ByType: map[string]replace.Kind{}}
	for _, setting := range c.ReplaceType {
		typ, name, ok := strings.Cut(setting, "=")
		switch _, twice := c.plan.ByType[typ]; {
		case !ok:
			return fmt.Errorf("--replace-type %q is not of the form TYPE=KIND", setting)
		case twice:
			return fmt.Errorf("--replace-type %s is given twice", typ)
		}
		if c.plan.ByType[typ], err = replace.ParseKind(name); err != nil {
			return fmt.Errorf("--replace-type %s: %w", typ, err)
		}
	}
	hash, surrogates := c.replacesBy(replace.Hash), c.replacesBy(replace.Surrogate)
	switch {
	case hash && c.KeyFile == "":
		return fmt.Errorf("%s requires a --key-file", replace.Hash)
	case surrogates && c.KeyFile == "":
		return fmt.Errorf("%s requires a --key-file", replace.Surrogate)
	case !hash && !surrogates && c.KeyFile != "":
		return fmt.Errorf("--key-file is for the kinds %s and %s, and neither is asked for", replace.Hash, replace.Surrogate)
	case !surrogates && c.Surrogates != "":
		return fmt.Errorf("--surrogates is for the kind %s, which is not asked for", replace.Surrogate)
	}
	return nil
}

// replacesBy reports whether the plan uses a kind.
func (c *checked) replacesBy(kind replace.Kind) bool {
	return c.plan.Default == kind || slices.Contains(slices.Collect(maps.Values(c.plan.ByType)), kind)
}

func (c *checked) checkMap() error {
	switch {
	case c.Map == "" && len(c.MapRecipients) == 0:
		return nil
	case c.Map == "":
		return errors.New("--map-recipient requires a --map")
	case len(c.MapRecipients) == 0:
		return errors.New("--map is written only encrypted: name with --map-recipient who may read it")
	case c.Resume:
		return errors.New("--map cannot go with --resume: it would lack what an earlier run has replaced")
	}
	return nil
}

// settings are what the output of a run follows from. A run goes on with another only if the two
// are the same.
type settings struct {
	// Options holds each option by its name: its value or, for one that names a
	// file, a digest of the content. "model", "input" and "version" are among them.
	Options map[string]string `json:"options"`
	// Audit is where the audit is, as seen from the folder of the record; "" for none.
	Audit string `json:"audit,omitempty"`
}

// settings of a run that is about to begin. model is the digest of its model.
func (c *checked) settings(model string, with replace.Options) (settings, error) {
	s := settings{Options: map[string]string{"model": model, "version": c.Version, "input": c.Input}}
	if c.Input != Stdio {
		path, err := paths.Resolve(c.Input)
		if err != nil {
			return s, err
		}
		s.Options["input"] = slowDigest([]byte(path))
	}
	fields := reflect.TypeFor[Config]()
	for i := range fields.NumField() {
		name, kind, _ := strings.Cut(fields.Field(i).Tag.Get("option"), ",")
		if name == "" {
			continue
		}
		var err error
		if s.Options[name], err = recorded(reflect.ValueOf(c.Config).Field(i).Interface(), kind == "file"); err != nil {
			return s, err
		}
	}
	if c.KeyFile != "" {
		s.Options["key-file"] = slowDigest(with.Key)
	}
	if c.Surrogates != "" { // it names files of lists
		parsed, err := json.Marshal(map[string]any{"language": with.Language, "sorts": with.Sorts, "lists": with.Lists})
		if err != nil {
			return s, err
		}
		s.Options["surrogates"] = slowDigest(parsed)
	}
	if c.Audit == "" || c.Output == Stdio {
		return s, nil
	}
	at, err := paths.Resolve(c.Audit)
	if err != nil {
		return s, err
	}
	folder, err := paths.Resolve(c.Output)
	if err != nil {
		return s, err
	}
	if s.Audit, err = filepath.Rel(folder, at); err != nil { // on another volume
		s.Audit, err = at, nil
	}
	s.Audit = filepath.ToSlash(s.Audit)
	return s, err
}

// recorded is the value of an option as the record has it.
func recorded(value any, file bool) (string, error) {
	var values []string
	switch v := value.(type) {
	case bool:
		return strconv.FormatBool(v), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	case string:
		values = []string{v}
	case []string:
		values = append([]string{}, v...)
	}
	if file {
		for i, path := range values {
			var err error
			if values[i], err = fileDigest(path); err != nil {
				return "", err
			}
		}
	}
	if len(values) == 1 {
		return values[0], nil
	}
	encoded, err := json.Marshal(values)
	return string(encoded), err
}

// fileDigest is a digest of a file's content, or the path itself if there is no such
// file. What comes through a pipe can be read only once, and is never the same.
func fileDigest(path string) (string, error) {
	info, err := os.Stat(path)
	if path == "" || err != nil || info.IsDir() {
		return path, nil
	}
	if !info.Mode().IsRegular() {
		return "pipe " + rand.Text(), nil
	}
	content, err := bounded.ReadFile(path, 1<<30)
	return slowDigest(content), err
}

// slowDigest makes guesses at a short content, as that of a list of one patient, expensive
// for those who get the output and with it the record.
func slowDigest(content []byte) string {
	sum, err := pbkdf2.Key(sha256.New, string(content), []byte("lethe run 1"), 100_000, 16)
	if err != nil {
		panic(err) // the parameters are fixed
	}
	return hex.EncodeToString(sum)
}

// digest is what the lines of an audit say of the options.
func (s settings) digest() (string, error) {
	options := maps.Clone(s.Options)
	delete(options, "model") // a line has its own digest of it
	delete(options, "input")
	encoded, err := json.Marshal(options) // sorted
	sum := sha256.Sum256(encoded)
	return "sha256:" + hex.EncodeToString(sum[:]), err
}

// different says in which settings a run differs from the one that it is to go on
// with; "" for none.
func (s settings) different(earlier settings) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(s.Options)) {
		before, ok := earlier.Options[name]
		if ok && before == s.Options[name] {
			continue
		}
		switch name {
		case "model", "input", "version":
			name = "another " + name + " (" + map[string]string{"model": "--model", "input": "the file or folder of notes", "version": "of lethe"}[name] + ")"
		default:
			name = "another --" + name
		}
		names = append(names, name)
	}
	for name := range earlier.Options {
		if _, ok := s.Options[name]; !ok {
			names = append(names, "another --"+name)
		}
	}
	switch {
	case s.Audit == earlier.Audit:
	case s.Audit == "":
		names = append(names, "an --audit")
	case earlier.Audit == "":
		names = append(names, "no --audit")
	default:
		names = append(names, "another --audit")
	}
	return strings.Join(names, ", ")
}
