//go:build !linux

package wholefile

import "errors"

func renameNoReplace(string, string) error { return errors.ErrUnsupported }
