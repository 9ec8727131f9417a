package field

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

var (
	hl7Segment = regexp.MustCompile(`^(?:\*\*?|[A-Z?*][A-Z0-9?*]{2}|[A-Z]{1,2}\*)$`)
	hl7Number  = regexp.MustCompile(`^(?:\*|[1-9][0-9?*]{0,2})$`)
)

// hl7Elements splits the path of a field of HL7 v2, such as PID-5.1 or PID.5.1: the name of the segment and up to three numbers, of the
// field, the component and the subcomponent. The path stands for everything below it.
func hl7Elements(text string) ([]string, error) {
	if text == "**" {
		return []string{"**"}, nil
	}
	segment, rest, hyphen := strings.Cut(text, "-")
	if !hyphen {
		segment, rest, _ = strings.Cut(text, ".")
	}
	if !hl7Segment.MatchString(segment) {
		return nil, fmt.Errorf("%q is not the name of a segment, which has three capital letters or digits, as in PID-5", segment)
	}
	elements := []string{segment}
	if rest == "" && hyphen {
		return nil, errors.New("the number of the field is missing, as in PID-5")
	}
	if rest != "" {
		elements = append(elements, strings.Split(strings.TrimSuffix(rest, ".**"), ".")...)
	}
	for i, number := range elements[1:] {
		what := []string{"field", "component", "subcomponent"}
		switch {
		case i >= len(what):
			return nil, errors.New("a path has at most a segment, a field, a component and a subcomponent, as in PID-5.1.1")
		case number == "**" && i == 0 && len(elements) == 2:
			return []string{segment, "**"}, nil
		case !hl7Number.MatchString(number):
			return nil, fmt.Errorf("%q is not the number of a %s, as in PID-5.1", number, what[i])
		}
	}
	return append(elements, "**"), nil
}
