// Package policy says what must happen to each sort of PHI, for example that only the year of a date may stay. A policy is a YAML file:
//
//	name: ours
//	about: the eighteen identifiers, but hospitals and the names of clinicians stay
//	sorts: {clinician: keep, hospital: keep, date: year, age: age90, zip: zip3, state: keep}
//	types: {ROOM: keep}
//	fields:
//	  fhir: ["Patient.contact.** = drop"]
//
// Each value is a kind of replacement (package replace), or the word replace for whatever the run uses by default. Everything that the file does not
// mention is replaced. The rules for fields (package field) are added to the built-in ones of the format. The built-in policies are such files, too: see Names.
package policy

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/notefile"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/counted"
	"github.com/lethe-deid/lethe/internal/strictyaml"
)

// The built-in policies.
const (
	SafeHarbor     = "safe-harbor"      // HIPAA's Safe Harbor, 45 CFR 164.514(b)(2)
	LimitedDataSet = "limited-data-set" // a limited data set, 45 CFR 164.514(e)(2)
	All            = "all"              // everything is replaced
)

//go:embed policies/*.yaml
var files embed.FS

// A Policy says what must happen to each sort of PHI.
type Policy struct {
	Name   string
	About  string // one line for people; may be empty
	Digest string // of the file: sha256: and 64 hexadecimal digits

	path   string // for errors
	raw    []byte
	sorts  map[string]string       // kind or byDefault, by sort or clinician
	fields map[string][]field.Rule // rules for fields, by format
	types  map[string]string       // kind or byDefault, by type
}

// byDefault stands for the kind that the run uses by default, and clinician for names of persons who treat patients.
const (
	byDefault = "replace"
	clinician = "clinician"
)

// Names lists the built-in policies.
func Names() []string { return []string{SafeHarbor, LimitedDataSet, All} }

// Source returns the file of a built-in policy, or false if there is none of that name.
func Source(name string) (string, bool) {
	if !slices.Contains(Names(), name) {
		return "", false
	}
	raw, err := files.ReadFile("policies/" + name + ".yaml")
	if err != nil {
		panic(err) // the file is embedded
	}
	return string(raw), true
}

// Open returns the built-in policy of a name, or reads the policy in a file. Errors name the file and the line.
func Open(nameOrPath string) (*Policy, error) {
	if text, ok := Source(nameOrPath); ok {
		return parse(nameOrPath+".yaml", []byte(text))
	}
	raw, err := bounded.ReadFile(nameOrPath, bounded.MaxConfig)
	if err != nil {
		return nil, fmt.Errorf("%w (built-in policies: %s)", err, strings.Join(Names(), ", "))
	}
	p, err := parse(nameOrPath, raw)
	if err == nil && slices.Contains(Names(), p.Name) {
		err = p.fail("name", "%q is the name of a built-in policy: choose another, so that the audit tells them apart", p.Name)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// parse reads a policy.
func parse(path string, raw []byte) (*Policy, error) {
	var file struct {
		Name   string              `yaml:"name"`
		About  string              `yaml:"about"`
		Sorts  map[string]string   `yaml:"sorts"`
		Types  map[string]string   `yaml:"types"`
		Fields map[string][]string `yaml:"fields"`
	}
	if err := strictyaml.Decode(path, raw, &file); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(raw)
	p := &Policy{Name: file.Name, About: file.About, Digest: "sha256:" + hex.EncodeToString(sum[:]), path: path, raw: raw, sorts: file.Sorts, types: file.Types, fields: map[string][]field.Rule{}}
	if !wellFormed(p.Name) {
		return nil, p.fail("name", "a policy requires a name of at most 64 letters, digits, points, hyphens and underscores")
	}
	for _, sort := range slices.Sorted(maps.Keys(p.sorts)) {
		if sort != clinician && !slices.Contains(data.Sorts(), data.Sort(sort)) {
			return nil, p.fail(sort, "unknown sort (have %s, %s)", clinician, counted.List(data.Sorts()))
		}
		if err := p.checkKind(sort, p.sorts[sort]); err != nil {
			return nil, err
		}
		if only := replace.Kind(p.sorts[sort]).For(); only != "" && string(only) != sort {
			return nil, p.fail(sort, "%s replaces only values of the sort %s", p.sorts[sort], only)
		}
	}
	for _, typ := range slices.Sorted(maps.Keys(p.types)) {
		if err := p.checkKind(typ, p.types[typ]); err != nil {
			return nil, err
		}
	}
	for _, format := range slices.Sorted(maps.Keys(file.Fields)) {
		if f, err := notefile.Lookup(format); err != nil {
			return nil, p.fail(format, "%v", err)
		} else if !f.Fields {
			return nil, p.fail(format, "files of this format have no fields")
		}
		rules, err := field.ParseRules(format, file.Fields[format])
		if err != nil {
			return nil, p.fail(format, "%v", err)
		}
		p.fields[format] = rules
	}
	return p, nil
}

// Fields returns the rules of the policy for the fields of a format, which come after those of the built-in table.
func (p *Policy) Fields(format string) []field.Rule { return p.fields[format] }

// wellFormed reports whether a text can be the name of a policy. As an expression, the program would spend more time on it than on all policies.
func wellFormed(name string) bool {
	other := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune("._-", r)
	}
	n := utf8.RuneCountInString(name)
	return 1 <= n && n <= 64 && !strings.ContainsFunc(name, other)
}

func (p *Policy) checkKind(key, kind string) error {
	if kind == byDefault {
		return nil
	}
	if _, err := replace.ParseKind(kind); err != nil {
		return p.fail(key, "%v; replace is the kind of --replace", err)
	}
	return nil
}

// fail returns an error about a key, with its line.
func (p *Policy) fail(key, reason string, args ...any) error {
	where := p.path
	if at := regexp.MustCompile(`(?m)(?:^|[\s{,])["']?` + regexp.QuoteMeta(key) + `["']?\s*:`).FindIndex(p.raw); at != nil {
		line := 1 + bytes.Count(p.raw[:at[1]], []byte("\n"))
		where = fmt.Sprintf("%s:%d", p.path, line)
	}
	return fmt.Errorf("%s: %s: %s", where, key, fmt.Sprintf(reason, args...))
}

// Plan returns the plan of a run. kind is what the run uses by default, and types the type set of its model, or nil if that is not known yet: then
// the plan has all types of the policy. A type that only other built-in type sets have is left out, because a policy may serve several models; a type
// that no set has is an error.
//
// If kind is replace.Surrogate, dates and ZIP codes of which the policy would leave a part get surrogates, too: an invented date is not the
// patient's, and keeps the intervals between dates. But dates of which the year tells that the patient is over 89 get the tag, because the intervals
// would tell it too.
//
// It is an error if kind is replace.Keep, unless the policy is All: nothing would be removed.
func (p *Policy) Plan(kind replace.Kind, types *data.TypeSet) (replace.Plan, error) {
	plan := replace.Plan{Default: kind, ByType: map[string]replace.Kind{}, BySort: map[data.Sort]replace.Kind{}}
	if kind == replace.Keep && p.Name != All {
		return plan, fmt.Errorf("the replacement %s would keep what the policy %s removes: choose the policy %s", kind, p.Name, All)
	}
	plan.HideOver89 = kind == replace.Surrogate && p.sorts[string(data.Date)] == string(replace.Year)
	for sort, name := range p.sorts {
		if sort == clinician {
			plan.Clinicians = kindIn(name, kind)
		} else {
			plan.BySort[data.Sort(sort)] = kindIn(name, kind)
		}
	}
	if _, ok := p.sorts[clinician]; !ok {
		plan.Clinicians = kind
	}
	for _, typ := range slices.Sorted(maps.Keys(p.types)) {
		if types != nil && !types.Has(typ) {
			if !slices.ContainsFunc(data.TypeSets(), func(s *data.TypeSet) bool { return len(s.Types) > 0 && s.Has(typ) }) {
				return plan, p.fail(typ, "no such type in the set %s of the model, nor in any built-in set", types.Name)
			}
			continue
		}
		plan.ByType[typ] = kindIn(p.types[typ], kind)
	}
	return plan, nil
}

// kindIn returns the kind that a policy names, in a run with a default kind.
func kindIn(name string, kind replace.Kind) replace.Kind {
	if name == byDefault {
		return cmp.Or(kind, replace.Tag)
	}
	named := replace.Kind(name)
	if kind == replace.Surrogate && (named == replace.Year || named == replace.Zip3) {
		return replace.Surrogate
	}
	return named
}
