package models

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
)

// The error for a model that does not exist was that of stat, and said nothing of the models that there are.
func TestNoSuchModelIsNamedWithThoseThatThereAre(t *testing.T) {
	for name, open := range map[string]func() error{
		"Open":     func() error { _, err := Open("nowhere", 1); return err },
		"Describe": func() error { _, err := Describe("nowhere"); return err },
	} {
		err := open()
		if want := "nowhere: no such file or directory, and no model that comes with the program (en, es, auto)"; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %s", name, err, want)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v does not say that it does not exist", name, err)
		}
	}
	if _, err := OpenOne(Auto, 1); err == nil || !strings.HasPrefix(err.Error(), "auto is not one model") {
		t.Errorf("the single model auto: %v", err)
	}
}
