package check

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/counted"
)

// Unreadable collects the errors of notes that cannot be read. Its zero value has none.
type Unreadable struct {
	Notes  int      `json:"notes"`
	Causes []*Cause `json:"causes,omitempty"` // in the order of their first note
	first  []error  // up to maxListed
}

// Cause is a reason why notes cannot be read.
type Cause struct {
	Reason string   `json:"reason"` // numbers are replaced with N if they differ from note to note
	Notes  int      `json:"notes"`
	Places []string `json:"places"` // the file and line of each note, if they are known
	plain  string   // Reason with N for all numbers
	first  string   // the reason of the first note
}

const (
	// maxListed is the maximum number of errors that Err returns as they are.
	maxListed = 20
	// maxPlaces is the maximum number of places of a cause in a message.
	maxPlaces = 10
)

var numbers = regexp.MustCompile(`\b\d+`) // not those of names such as ward3.jsonl

// Add adds the error of a note.
func (u *Unreadable) Add(err error) {
	u.Notes++
	if len(u.first) < maxListed {
		u.first = append(u.first, err)
	}
	place, reason := "", err.Error()
	if e, ok := errors.AsType[*data.Error](err); ok {
		place = (&data.Error{Path: e.Path, Line: e.Line, Offset: -1}).Error()
		place = strings.TrimSuffix(place, ": ")
		reason = (&data.Error{Offset: -1, Reason: e.Reason, Err: e.Err}).Error()[len(": "):]
	}
	plain := numbers.ReplaceAllString(reason, "N")
	i := slices.IndexFunc(u.Causes, func(c *Cause) bool { return c.plain == plain })
	if i < 0 {
		i = len(u.Causes)
		u.Causes = append(u.Causes, &Cause{Reason: reason, plain: plain, first: reason})
	}
	c := u.Causes[i]
	if c.Reason != reason {
		c.Reason = plain
	}
	c.Notes++
	if place != "" {
		c.Places = append(c.Places, place)
	}
}

// Err returns an error that lists all notes or, if there are many, their number and a line for each
// cause, the most frequent first. It returns nil if there is no note.
func (u *Unreadable) Err() error {
	if u.Notes <= maxListed {
		return errors.Join(u.first...)
	}
	return errors.New(strings.Join(append([]string{fmt.Sprintf("%d notes cannot be read:", u.Notes)}, u.lines()...), "\n"))
}

func (u *Unreadable) lines() (lines []string) {
	causes := slices.Clone(u.Causes)
	slices.SortStableFunc(causes, func(a, b *Cause) int { return cmp.Compare(b.Notes, a.Notes) })
	for _, c := range causes {
		where := strings.Join(c.Places[:min(maxPlaces, len(c.Places))], ", ")
		if more := len(c.Places) - maxPlaces; more > 0 {
			where += fmt.Sprintf(" and %d more", more)
		}
		line := fmt.Sprintf("  %s: %s", counted.Of(c.Notes, "note"), c.Reason)
		switch {
		case where != "":
			line += ": " + where
		case c.Reason != c.first: // which numbers they are is not known from places
			line += "; the first: " + c.first
		}
		lines = append(lines, line)
	}
	return lines
}
