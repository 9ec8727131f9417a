// Package patients finds out which patient each note of a corpus belongs to, by a rule for the
// files of the notes or by a table. A rule is a text:
//
//	<patient>_*                  the part of the file name before the first "_"
//	<patient>/**                 the folder within the folder that was read
//	(?<patient>P[0-9]+)          what a regular expression finds in the path
//	corpus/patients.csv          a table with the columns note and patient
//
// The paths are those within the folder that was read, with slashes, and without the extension of
// the file: ward/110-04. Of a corpus that is one file, or that has many notes in a file, the path is
// the name of the file.
//
// In the first two, <patient> stands for one or more characters, * for any characters, both as few
// as possible and without a slash, and ** for any characters. Without a slash, the rule is for the
// name of the file, and otherwise for the whole path. A regular expression has the syntax of package
// regexp and may match anywhere in the path.
package patients

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
)

// Rule is a rule that has been parsed.
type Rule struct {
	text  string
	paths *regexp.Regexp // with the group patient; nil: a table
	names bool           // paths is for file names
	group int            // of paths
	table *table         // nil until it is read
}

const group = "<patient>"

// Parse parses a rule. It does not read a table.
func Parse(text string) (*Rule, error) {
	r := &Rule{text: text}
	expression := text
	switch {
	case text == "":
		return nil, errors.New("the rule is empty")
	case strings.Contains(text, "(?P"+group), strings.Contains(text, "(?"+group):
	case strings.Count(text, group) == 1:
		r.names = !strings.Contains(text, "/")
		expression = "^" + template(text) + "$"
	case strings.Contains(text, group):
		return nil, fmt.Errorf("%q contains %s more than once", text, group)
	case strings.ContainsAny(text, "*<>"), strings.Contains(text, "{patient}"), strings.Contains(text, "(?"):
		return nil, fmt.Errorf("%q does not contain %s, as in %s_* for the names of files", text, group, group)
	default:
		return r, nil
	}
	paths, err := regexp.Compile(expression)
	if err != nil {
		return nil, fmt.Errorf("%q is not a regular expression: %w", text, err)
	}
	r.paths, r.group = paths, paths.SubexpIndex("patient")
	return r, nil
}

// template returns the regular expression of a template.
func template(text string) string {
	return wildcards.Replace(regexp.QuoteMeta(text))
}

var wildcards = strings.NewReplacer(regexp.QuoteMeta(group), "(?P<patient>[^/]+?)", `\*\*/`, "(?:.*/)??", `\*\*`, ".*?", `\*`, "[^/]*?")

// Open parses a rule and reads its table, if it is one.
func Open(text string) (*Rule, error) {
	r, err := Parse(text)
	if err == nil && r.IsTable() {
		r.table, err = readTable(text)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// String returns the text of the rule.
func (r *Rule) String() string { return r.text }

// IsTable reports whether the rule is the path of a table. A rule of another kind needs only the
// path of a note's file.
func (r *Rule) IsTable() bool { return r.paths == nil }

// Of returns the patient of a note. file is the path of its file within the folder that was read,
// without extension. A table must have been read by Open.
func (r *Rule) Of(id, file string) (string, error) {
	if r.IsTable() {
		return r.table.of(id)
	}
	if r.names {
		file = path.Base(file)
	}
	match := r.paths.FindStringSubmatch(file)
	switch {
	case match == nil && r.names:
		return "", fmt.Errorf("the name of the file, without its extension, does not match the patient rule %s", r.text)
	case match == nil:
		return "", fmt.Errorf("the path of the file in the folder that is read, without its extension, does not match the patient rule %s", r.text)
	case match[r.group] == "":
		return "", fmt.Errorf("the patient rule %s finds an empty patient in the path of the file", r.text)
	}
	return match[r.group], nil
}

// CheckNotes returns an error if the rule is a table with notes that has does not report, which are
// usually misspelt.
func (r *Rule) CheckNotes(has func(id string) bool) error {
	if r.IsTable() {
		return r.table.checkNotes(has)
	}
	return nil
}
