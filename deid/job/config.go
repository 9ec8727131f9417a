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

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/notefile"
	"github.com/lethe-deid/lethe/deid/policy"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/paths"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/taggers/operating"
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
	Model   string   // model or run folder, or the name of a model that comes with the program; default models.Auto unless Marked is true
	Inputs  []string // files, folders and patterns of them (see filepath.Match), or Stdio alone (default)
	Output  string   // file, folder or Stdio (default); must be a folder if there are several files, or if an input is a folder
	Workers int      // number of cores to use; 0 means all
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

	// Marked replaces the PHI that the files mark, instead of the PHI that a model finds. The marks are taken as they
	// are, and the replacements are marked in the output. Then the default of Replace is surrogate, and that of SafetyNet
	// is off.
	Marked bool   `option:"marked"`
	Types  string `option:"types"` // type set of the marks: one of data.TypeSetNames; required if Marked is true

	Policy      string   `option:"policy,file"`  // what must happen to each sort of PHI: one of policy.Names, or a file; default safe-harbor, with Marked all
	Fields      []string `option:"field"`        // PATH=ACTION: rules for the fields of the records, after those of the format and the policy: see package field
	Replace     string   `option:"replace"`      // kind of replacement where the policy demands no other: one of replace.Kinds; default tag
	ReplaceType []string `option:"replace-type"` // TYPE=KIND: another kind of replacement for one type, whatever the policy says; default none
	KeyFile     string   `option:"key-file"`     // file with the secret that hashes, surrogates and shifts are derived from; required for those three kinds
	Surrogates  string   `option:"surrogates"`   // YAML file of lists and sorts, see replace.ReadOptions; default none

	MinRecall float64  `option:"min-recall"` // recall of PHI tokens to reach, in (0, 1), as measured by calibration; 0 means no threshold
	Strict    bool     `option:"strict"`     // use the model's most probable labels, even if its calibration has a default that finds more
	Bias      float64  `option:"bias"`       // log-odds to add to each token's log-odds of being PHI, at most operating.MaxBias; 0 means none
	MaxUnlike *float64 // largest share, in [0, 1], of notes unlike those that the model was calibrated on; beyond it, the run ends with TooManyUnlike; nil means 1

	SafetyNet string   `option:"safety-net,file"` // rules of the safety net: auto (default), off, none, the name of built-in rules, or a file
	Rules     []string `option:"rules,file"`      // files of additional rules
	Deny      []string `option:"deny,file"`       // files of phrases that are always replaced
	Allow     []string `option:"allow,file"`      // files of phrases that are not PHI
	Known     string   `option:"known,file"`      // CSV or JSON file of known values of each patient or note: see safetynet.Read; default none

	Map           string   // new file for an encrypted list of originals and their replacements; "" means none
	MapRecipients []string // public age keys, or files of them, for which the map is encrypted; at least one is required for a map
	NotesNLP      string   // new file for the table NOTE_NLP of OMOP, in CSV, with one row per replacement; requires OMOP; "" means none
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
	types   *data.TypeSet    // of the marks; nil if there is a model
	options notefile.Options
	policy  *policy.Policy
	fields  map[string]*field.Table // by format; only for formats with fields that change
	byType  map[string]replace.Kind // of ReplaceType
	shard   shard
	plan    replace.Plan // before the model is open, with the types of the policy that the model may lack
}

// check fills in defaults and validates the options. It reads no file except that of the policy.
func (c Config) check() (*checked, error) {
	kind, net, what := replace.Tag, "auto", policy.SafeHarbor
	if c.Marked {
		kind, net, what = replace.Surrogate, "off", policy.All
	}
	for option, byDefault := range map[*string]string{
		&c.Output: Stdio, &c.Encoding: "utf-8", &c.Unexamined: "refuse", &c.Replace: string(kind), &c.SafetyNet: net, &c.Policy: what,
	} {
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
	for _, check := range []func() error{k.checkSelection, k.checkSource, k.checkModel, k.checkOptions, k.checkPolicy, k.checkPlan, k.checkMap, k.checkNoteNLP} {
		if err := check(); err != nil {
			return nil, optionError(err)
		}
	}
	return k, nil
}

// checkSource checks what says where the PHI is: a model or the marks of the files.
func (c *checked) checkSource() error {
	switch {
	case c.Marked && c.Model != "":
		return errors.New("--model and --marked cannot be combined: the PHI is what the files mark")
	case !c.Marked && c.Types != "":
		return errors.New("--types requires --marked: a model has its own types")
	case c.Marked && c.format == nil:
		return errors.New("--marked requires a --format")
	case c.Marked && !c.format.Marks:
		return fmt.Errorf("--marked: files of the format %s do not mark PHI", c.format.Name)
	case c.Marked && (c.MinRecall != 0 || c.Bias != 0):
		return errors.New("--min-recall and --bias require a --model")
	case !c.Marked:
		c.Model = cmp.Or(c.Model, models.Auto)
		return nil
	}
	types, err := data.LookupTypeSet(c.Types)
	if err != nil {
		return fmt.Errorf("--types: %w", err)
	}
	c.types = types
	return nil
}

func (c *checked) checkModel() error {
	switch {
	case c.Known != "" && c.SafetyNet == "off":
		return errors.New("--known requires the safety net: it cannot be combined with --safety-net off")
	case c.MinRecall != 0 && c.Bias != 0:
		return errors.New("--min-recall and --bias cannot be combined")
	case c.MinRecall != 0 && !(c.MinRecall > 0 && c.MinRecall < 1):
		return fmt.Errorf("--min-recall %v is not between 0 and 1", c.MinRecall)
	case c.Strict && (c.MinRecall != 0 || c.Bias != 0):
		return errors.New("--strict cannot be combined with --min-recall or --bias")
	case c.MaxUnlike != nil && !(*c.MaxUnlike >= 0 && *c.MaxUnlike <= 1):
		return fmt.Errorf("--max-unlike %v is not between 0 and 1", *c.MaxUnlike)
	case c.MaxUnlike != nil && c.Marked:
		return errors.New("--max-unlike requires a model: it cannot be combined with --marked")
	case c.Bias != 0 && !(c.Bias > 0 && c.Bias <= operating.MaxBias):
		return fmt.Errorf("--bias %v is not in (0, %v]", c.Bias, operating.MaxBias)
	}
	return nil
}

func (c *checked) checkOptions() error {
	c.options = notefile.Options{FieldsOnly: len(c.Fields) > 0, Encoding: c.Encoding, Columns: c.Columns, ID: c.ID, Patient: c.Patient, NoPatient: !c.KeepPatient, Marked: c.Marked, Types: c.types, Drop: c.Unexamined == "drop", OMOP: c.OMOP}
	switch {
	case c.Unexamined != "refuse" && c.Unexamined != "drop":
		return fmt.Errorf("--unexamined %q is neither refuse nor drop", c.Unexamined)
	case c.Unexamined == "drop" && !c.format.Parts:
		return fmt.Errorf("--unexamined drop: %s has no parts that could be dropped", c.format.Name)
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
	if c.KeepPatient && !c.format.Columns {
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
	columns := false
	for _, f := range files.formats() {
		first := files.first(f).in
		if f.NeedsColumn && len(c.Columns) == 0 && !c.OMOP && !c.options.FieldsOnly {
			return fmt.Errorf("%s: the format %s requires a --column or a --field (if the file is not to be read, give --format or --exclude)", first, f.Name)
		}
		o := f.Applicable(c.options)
		if err := f.Check(o); err != nil {
			return fmt.Errorf("%s: %w", first, err)
		}
		columns = columns || f.Columns
		applied.Comma, applied.OMOP = max(applied.Comma, o.Comma), applied.OMOP || o.OMOP
	}
	switch {
	case c.OMOP && !applied.OMOP:
		return errors.New("--omop requires csv or parquet files: give --format")
	case !columns && (len(c.Columns) > 0 || c.ID != "" || c.Patient != "" || c.KeepPatient):
		return errors.New("--column, --id, --patient and --keep-patient require files with columns: give --format")
	case c.options.Comma != applied.Comma:
		return errors.New("--delimiter requires csv files: give --format")
	}
	if err := c.checkFields(files.formats()); err != nil {
		return err
	}
	return c.checkPlan() // again, because fields may require a key
}

// checkPolicy opens the policy, and collects the rules for the fields of the format if all files have the same.
func (c *checked) checkPolicy() (err error) {
	if c.policy, err = policy.Open(c.Policy); err != nil {
		return fmt.Errorf("--policy: %w", err)
	}
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
	c.fields = map[string]*field.Table{}
	for _, f := range formats {
		if !f.Fields {
			continue
		}
		builtin, given := field.Builtin(f.Name), slices.Concat(c.policy.Fields(f.Name), own[f.Name])
		if len(builtin)+len(given) == 0 {
			continue
		}
		t := field.With(builtin, given)
		if t.Uses(field.Hash) && c.KeyFile == "" && (c.Resume || c.Shard != "") {
			return fmt.Errorf("--resume and --shard require a --key-file for files of the format %s: fields become pseudonyms, which follow from the key", f.Name)
		}
		c.fields[f.Name] = t
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

func (c *checked) checkPlan() error {
	kind, err := replace.ParseKind(c.Replace)
	if err != nil {
		return fmt.Errorf("--replace: %w", err)
	}
	c.byType = map[string]replace.Kind{}
	for _, setting := range c.ReplaceType {
		typ, name, ok := strings.Cut(setting, "=")
		switch _, duplicate := c.byType[typ]; {
		case !ok:
			return fmt.Errorf("--replace-type %q is not of the form TYPE=KIND", setting)
		case duplicate:
			return fmt.Errorf("duplicate --replace-type %s", typ)
		}
		if c.byType[typ], err = replace.ParseKind(name); err != nil {
			return fmt.Errorf("--replace-type %s: %w", typ, err)
		}
	}
	if kind.For() != "" {
		return fmt.Errorf("--replace %s: this kind replaces only values of the sort %s: use --replace-type or a --policy", kind, kind.For())
	}
	if err := c.planFor(nil); err != nil {
		return err
	}
	return c.checkKey()
}

// planFor makes the plan of the policy and the options for a type set, or for any if it is nil.
func (c *checked) planFor(types *data.TypeSet) (err error) {
	if c.plan, err = c.policy.Plan(replace.Kind(c.Replace), types); err != nil {
		return fmt.Errorf("--policy: %w", err)
	}
	maps.Copy(c.plan.ByType, c.byType)
	if c.fieldsUse(field.Shift) {
		c.plan.Also = []replace.Kind{replace.Shift}
	}
	return nil
}

// checkKey checks that there is a key if the plan requires one, and that there are lists only if it uses them.
func (c *checked) checkKey() error {
	for _, kind := range c.plan.Kinds() {
		if kind.Secret() && c.KeyFile == "" {
			return fmt.Errorf("%s requires a --key-file", kind)
		}
	}
	if !c.replacesBy(replace.Surrogate) && c.Surrogates != "" {
		return fmt.Errorf("--surrogates requires --replace, --replace-type or a --policy with the kind %s", replace.Surrogate)
	}
	return nil
}

// warnOfKey warns if there is a key that no replacement uses.
func (c *checked) warnOfKey(events Events) {
	if c.KeyFile != "" && !slices.ContainsFunc(c.plan.Kinds(), replace.Kind.Secret) && !c.fieldsUse(field.Hash) {
		events.warn(fmt.Errorf("--key-file has no effect: only the kinds %s, %s and %s use it", replace.Hash, replace.Surrogate, replace.Shift))
	}
}

// replacesBy reports whether the plan uses a kind.
func (c *checked) replacesBy(kind replace.Kind) bool { return slices.Contains(c.plan.Kinds(), kind) }

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
