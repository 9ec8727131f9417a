// Package shortname checks the names that users choose for experiments, splits and
// members of systems. They become names of files and folders on every platform.
package shortname

import (
	"errors"
	"regexp"
)

var pattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.+-]{0,99}$`)

// Check returns an error that states the rule if name does not follow it.
func Check(name string) error {
	if !pattern.MatchString(name) {
		return errors.New("must be 1 to 100 letters, digits, '_', '-', '+' and '.', the first a letter or digit")
	}
	return nil
}
