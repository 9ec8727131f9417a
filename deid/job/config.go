package job

import (
	"cmp"
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

	"github.com/lethe-deid/lethe/deid/engine"
	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/notefile"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/paths"
)

// Stdio means stdin as a Config's Input, and stdout as its Output.
const Stdio = "-"

// Config describes a run. The zero value of a field means its default.
//
// The tag of a field is the name of the option on the command line, in errors and in the record of the run. The tag
// "file" marks options whose value may be the path of a file; the record contains a digest of the file's content
// instead of the path. Fields without a tag either do not affect the output or get into the record
// in another way.
type Config struct {
	engine.Options

	Inputs  []string // files, folders and patterns of them (see filepath.Match), or Stdio alone (default)
	Output  string   // file, folder or Stdio (default); must be a folder if there are several files, or if an input is a folder
	Version string   // version of the program; a run can be resumed only with the same version

	Include        []string `option:"include"`         // read only those files of folders that match one of these patterns: see selection
	Exclude        []string `option:"exclude"`         // do not read files and folders of folders that match one of these patterns: see selection
	Format         string   `option:"format"`          // format of the notes: one of notefile.Names; default: see notefile.Choose, and text if no format has the extension
	Columns        []string `option:"column"`          // columns of csv or parquet, or keys of jsonl, that contain notes; required for csv and parquet, default text for jsonl
	ID             string   `option:"id"`              // column or key with the note's id; default for jsonl: id, then meta.note_id; otherwise file and line
	Patient        string   `option:"patient"`         // column or key that identifies the patient; default for jsonl: patient, then meta.patient_id; otherwise none
	KeepPatient    bool     `option:"keep-patient"`    // keep the content of that column or key; by default it is emptied
	PatientFolders bool     `option:"patient-folders"` // treat the notes of each subfolder as those of one patient
	OMOP           bool     `option:"omop"`            // the input is the table NOTE of OMOP: see notefile.Options.OMOP; csv and parquet only
	Delimiter      string   `option:"delimiter"`       // one character, or "tab", between the fields of csv; default a comma, or a tab in .tsv files
	Encoding       string   `option:"encoding"`        // encoding of input and output: see notefile.Options; default utf-8
	Unexamined     string   `option:"unexamined"`      // what to do with a part of a record that cannot be examined, such as a PDF: refuse (default) the record, or drop the part
	// Shard is the part of the input to process: i/n, with i from 1 to n; auto or auto/n means that of the task of Slurm or
	// Kubernetes, as the environment says. All notes of a patient are in the same shard. Default: the whole input.
	Shard string `option:"shard"`

	Fields    []string `option:"field"` // PATH=ACTION: rules for the fields of the records, after those of the format and the policy: see package field
	MaxUnlike *float64 // largest share, in [0, 1], of notes unlike those that the model was calibrated on; beyond it, the run ends with TooManyUnlike; nil means 1

	Map           string   // new file for an encrypted list of originals and their replacements; "" means none
	MapRecipients []string // public age keys, or files of them, for which the map is encrypted; at least one is required for a map
	NotesNLP      string   // new file for the table NOTE_NLP of OMOP, with one row per replacement, in CSV, or in Parquet if the path ends in .parquet; requires OMOP; "" means none
	NLPDate       string   // YYYY-MM-DD for the column nlp_date of NotesNLP; "" means null
	Audit         string   // file for one line of JSON per note; "" means none
	Summary       string   // new file for the summary as JSON (audit.Report), which is written at the end unless the run fails; "" means none
	Resume        bool     // resume a run that was stopped and had the same options
	SkipOthers    bool     // leave out files of a folder that do not have the format, without the error LeftOut
}

// OptionError reports that an option of a Config has an invalid value, or that two options cannot be combined.
type OptionError struct{ err error }

func (e *OptionError) Error() string { return e.err.Error() }
func (e *OptionError) Unwrap() error { return e.err }

func optionError(err error) error {
	if err == nil {
		return nil
	}
	return &OptionError{err}
}

// checked is a valid Config with its defaults filled in and its options parsed.
type checked struct {
	Config
	format  *notefile.Format // of all files; nil if each has its own
	setup   *engine.Setup
	options notefile.Options
	fields  map[string]*field.Table // by format; only for formats with fields that change
	ruled   map[string]bool         // the formats whose fields have rules besides the built-in ones
	shard   shard
	reads   bool // the notes are only read, and the caller writes the output: see Read
}

// check fills in defaults and validates the options. It reads no file except that of the policy.
func (c Config) check() (*checked, error) {
	for option, byDefault := range map[*string]string{&c.Output: Stdio, &c.Encoding: "utf-8", &c.Unexamined: "refuse"} {
		if *option == "" {
			*option = byDefault
		}
	}
	if len(c.Inputs) == 0 {
		c.Inputs = []string{Stdio}
	}
	k := &checked{Config: c}
	var err error
	if k.shard, err = parseShard(c.Shard, os.Getenv); err != nil {
		return nil, optionError(err)
	}
	k.Shard = k.shard.String()
	if c.Format != "" {
		if k.format, err = notefile.Lookup(c.Format); err != nil {
			return nil, optionError(err)
		}
	}
	for _, check := range []func() error{k.checkSelection, k.checkMarks, k.checkEngine, k.checkOptions, k.checkOwnFields, k.checkMap, k.checkNoteNLP} {
		if err := check(); err != nil {
			return nil, optionError(err)
		}
	}
	return k, nil
}

// checkEngine checks what says what is PHI and what replaces it.
func (c *checked) checkEngine() (err error) {
	if c.setup, err = c.Check(); err != nil {
		return err
	}
	c.Options = c.setup.Options // with defaults
	switch {
	case c.MaxUnlike != nil && !(*c.MaxUnlike >= 0 && *c.MaxUnlike <= 1):
		return fmt.Errorf("--max-unlike %v is not between 0 and 1", *c.MaxUnlike)
	case c.MaxUnlike != nil && c.Marked:
		return errors.New("--max-unlike requires a model: it cannot be combined with --marked")
	}
	return nil
}

// checkMarks checks that the files can mark their PHI if that is what they do.
func (c *checked) checkMarks() error {
	switch {
	case c.Marked && c.Model != "":
		return nil // see engine.Options.Check
	case c.Marked && c.format == nil:
		return errors.New("--marked requires a --format")
	case c.Marked && !c.format.Marks:
		return fmt.Errorf("--marked: files of the format %s do not mark PHI", c.format.Name)
	}
	return nil
}

func (c *checked) checkOptions() error {
	c.options = notefile.Options{FieldsOnly: len(c.Fields) > 0, Encoding: c.Encoding, Columns: c.Columns, ID: c.ID, Patient: c.Patient, NoPatient: !c.KeepPatient, Marked: c.Marked, Types: c.setup.TypeSet(), Drop: c.Unexamined == "drop", OMOP: c.OMOP}
	if c.Unexamined != "refuse" && c.Unexamined != "drop" {
		return fmt.Errorf("--unexamined %q is neither refuse nor drop", c.Unexamined)
	}
	switch {
	case c.Delimiter == "tab" || c.Delimiter == `\t`:
		c.options.Comma = '\t'
	case len(c.Delimiter) == 1:
		c.options.Comma = c.Delimiter[0]
	case c.Delimiter != "":
		return fmt.Errorf("--delimiter %q is not one ASCII character", c.Delimiter)
	}
	if c.format == nil {
		return nil // see checkFormats
	}
	switch {
	case c.options.Drop && !c.format.Parts:
		return fmt.Errorf("--unexamined drop: %s has no parts that could be dropped", c.format.Name)
	case c.KeepPatient && !c.format.Columns:
		return fmt.Errorf("--keep-patient: %s has no columns", c.format.Name)
	}
	err := c.format.Check(c.options)
	if err != nil && c.format.NeedsColumn && len(c.Columns) == 0 && !c.OMOP && !c.options.FieldsOnly {
		err = fmt.Errorf("--format %s requires a --column, or a --field", c.format.Name)
	}
	return err
}

// checkFormats checks the options for the formats of the files if each file has its own: every file must have the
// options that it requires, and every option must apply to at least one file.
func (c *checked) checkFormats(files *fileSet) error {
	if c.format != nil {
		return nil
	}
	applied := notefile.Options{}
	columns, parts := false, false
	for _, f := range files.formats() {
		first := files.first(f).in
		if f.NeedsColumn && len(c.Columns) == 0 && !c.OMOP && !c.options.FieldsOnly {
			return fmt.Errorf("%s: the format %s requires a --column or a --field (if the file is not to be read, give --format or --exclude)", first, f.Name)
		}
		o := f.Applicable(c.options)
		if err := f.Check(o); err != nil {
			return fmt.Errorf("%s: %w", first, err)
		}
		columns, parts = columns || f.Columns, parts || f.Parts
		applied.Comma, applied.OMOP = max(applied.Comma, o.Comma), applied.OMOP || o.OMOP
	}
	switch {
	case c.OMOP && !applied.OMOP:
		return errors.New("--omop requires csv or parquet files: give --format")
	case !columns && (len(c.Columns) > 0 || c.ID != "" || c.Patient != "" || c.KeepPatient):
		return errors.New("--column, --id, --patient and --keep-patient require files with columns: give --format")
	case c.options.Drop && !parts:
		return errors.New("--unexamined drop requires files of a format with parts that could be dropped, such as fhir or rtf")
	case c.options.Comma != applied.Comma:
		return errors.New("--delimiter requires csv files: give --format")
	}
	return c.checkFields(files.formats())
}

// checkOwnFields collects the rules for the fields of the format if all files have the same.
func (c *checked) checkOwnFields() error {
	if c.format == nil {
		return nil // see checkFormats
	}
	return c.checkFields([]*notefile.Format{c.format})
}

// checkFields collects the rules for the fields of some formats. Rules of options apply to each format with fields.
func (c *checked) checkFields(formats []*notefile.Format) error {
	if _, err := field.ParseRules("", c.Fields); err != nil {
		return fmt.Errorf("--field %w", err)
	}
	if len(c.Fields) > 0 && !slices.ContainsFunc(formats, func(f *notefile.Format) bool { return f.Fields }) {
		return fmt.Errorf("--field: files of the format %s have no fields", cmp.Or(c.Format, "text"))
	}
	own, err := c.rulesOf(formats)
	if err != nil {
		return err
	}
	c.fields, c.ruled = map[string]*field.Table{}, map[string]bool{}
	for _, f := range formats {
		if !f.Fields {
			continue
		}
		builtin, given := field.Builtin(f.Name), slices.Concat(c.setup.Policy.Fields(f.Name), own[f.Name])
		omop := c.OMOP && f.Tables
		if omop {
			builtin = append(builtin, field.OMOP()...)
			for i, r := range given {
				given[i] = r.InAnyCase()
			}
		}
		if len(builtin)+len(given) == 0 {
			continue
		}
		c.ruled[f.Name] = len(given) > 0 || omop
		t := field.With(builtin, given)
		if t.Uses(field.Hash) && c.KeyFile == "" && (c.Resume || c.Shard != "") {
			return fmt.Errorf("--resume and --shard require a --key-file for files of the format %s: fields become pseudonyms, which follow from the key", f.Name)
		}
		if err := c.checkNoteIDs(t); err != nil {
			return err
		}
		c.fields[f.Name] = t
	}
	if c.fieldsUse(field.Shift) {
		return c.setup.Also(replace.Shift)
	}
	return nil
}

// rulesOf returns the rules of options for each of the formats. A rule that the files of one format cannot have is left out there, but it is an
// error if those of no other format can have it.
func (c *checked) rulesOf(formats []*notefile.Format) (map[string][]field.Rule, error) {
	rules := map[string][]field.Rule{}
	for _, text := range c.Fields {
		taken := false
		var reason error
		for _, f := range formats {
			if !f.Fields {
				continue
			}
			own, err := field.ParseRules(f.Name, []string{text})
			if err != nil {
				reason = err
				continue
			}
			rules[f.Name], taken = append(rules[f.Name], own...), true
		}
		if !taken && reason != nil {
			return nil, fmt.Errorf("--field %w", reason)
		}
	}
	return rules, nil
}

// unusedFields returns the paths of the rules of policies and options that matched nothing in files of any format.
func (c *checked) unusedFields() []string {
	used := map[string]bool{}
	for _, t := range c.fields {
		unused := t.Unused()
		for _, r := range t.Rules() {
			used[r.Path] = used[r.Path] || !slices.Contains(unused, r.Path)
		}
	}
	paths := slices.Sorted(maps.Keys(used))
	return slices.DeleteFunc(paths, func(path string) bool { return used[path] })
}

// fieldsUse reports whether a rule for fields has an action.
func (c *checked) fieldsUse(a field.Action) bool {
	for _, t := range c.fields {
		if t.Uses(a) {
			return true
		}
	}
	return false
}

// optionsFor returns the options for reading files of a format.
func (c *checked) optionsFor(f *notefile.Format) notefile.Options {
	o := f.Applicable(c.options)
	o.Fields = c.fields[f.Name]
	return o
}

// warnOfKey warns if there is a key that no replacement uses.
func (c *checked) warnOfKey(events Events) {
	if c.KeyFile != "" && !c.setup.UsesKey() && !c.fieldsUse(field.Hash) {
		events.warn(fmt.Errorf("--key-file has no effect: only the kinds %s, %s and %s use it", replace.Hash, replace.Surrogate, replace.Shift))
	}
}

func (c *checked) checkMap() error {
	switch {
	case c.Map == "" && len(c.MapRecipients) == 0:
		return nil
	case c.Map == "":
		return errors.New("--map-recipient requires a --map")
	case len(c.MapRecipients) == 0:
		return errors.New("--map requires a --map-recipient, because the map is always encrypted")
	case c.Resume:
		return errors.New("--map cannot be combined with --resume: the map would lack the replacements of the earlier run")
	}
	return nil
}

// settings determine the output of a run. A run can resume another only if both have the same settings.
type settings struct {
	// Options maps the name of each option to its value or, if the option names a file, to a digest of the
	// file's content. It also has the keys "model", "input" and "version".
	Options map[string]string `json:"options"`
	// Audit is the path of the audit relative to the output, or "" if there is none.
	Audit string `json:"audit,omitempty"`
}

// settings returns the settings of a run. model is the digest of its model.
func (c *checked) settings(model string, with replace.Options) (settings, error) {
	s := settings{Options: map[string]string{"model": model, "version": c.Version, "input": Stdio}}
	if inputs := slices.Clone(c.Inputs); inputs[0] != Stdio {
		for i, input := range inputs {
			var err error
			if inputs[i], err = paths.Resolve(input); err != nil {
				return s, err
			}
		}
		s.Options["input"] = slowDigest([]byte(strings.Join(inputs, "\x00")))
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		name, kind, _ := strings.Cut(field.Tag.Get("option"), ",")
		if name == "" {
			continue
		}
		var err error
		if s.Options[name], err = recorded(reflect.ValueOf(c.Config).FieldByIndex(field.Index).Interface(), kind == "file"); err != nil {
			return s, err
		}
	}
	if c.KeyFile != "" {
		s.Options["key-file"] = slowDigest(with.Key)
	}
	if c.Surrogates != "" { // the digest covers the lists that the file names
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

// recorded returns the value of an option as the record contains it: the digest of the content if it is a file.
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

// fileDigest returns a digest of a file's content, or the path itself if there is no such file. A pipe can be read only
// once, so it gets a random digest, and a run that reads such a file from a pipe cannot be resumed.
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

// slowDigest returns a digest that is expensive to compute. The record travels with the output, and whoever gets it
// must not be able to guess short contents, such as the values of one patient.
func slowDigest(content []byte) string {
	sum, err := pbkdf2.Key(sha256.New, string(content), []byte("lethe run 1"), 100_000, 16)
	if err != nil {
		panic(err) // the parameters are fixed
	}
	return hex.EncodeToString(sum)
}

// digest identifies the options in the lines of an audit.
func (s settings) digest() (string, error) {
	options := maps.Clone(s.Options)
	delete(options, "model") // a line has a digest of the model in a field of its own
	delete(options, "input")
	delete(options, "shard")              // as well, so that the digests of all shards are the same
	encoded, err := json.Marshal(options) // sorted
	sum := sha256.Sum256(encoded)
	return "sha256:" + hex.EncodeToString(sum[:]), err
}

// different lists the settings in which a run differs from the earlier one that it is to resume, or returns "" if there
// is no difference.
func (s settings) different(earlier settings) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(s.Options)) {
		before, ok := earlier.Options[name]
		if ok && before == s.Options[name] {
			continue
		}
		switch name {
		case "model", "input", "version":
			name = "another " + name + " (" + map[string]string{"model": "--model", "input": "the files or folders of notes", "version": "of lethe"}[name] + ")"
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
