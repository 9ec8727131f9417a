package data

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestColumnAt(t *testing.T) {
	tokens := []Token{{0, 2}, {3, 5}, {6, 8}, {9, 11}}
	for what, c := range map[string]struct {
		labels []Label
		want   string
	}{
		"none":                       {nil, "- - - -"},
		"one each, in any order":     {[]Label{{6, 8, "c"}, {0, 2, "a"}, {3, 5, "b"}}, "a b c -"},
		"a section":                  {[]Label{{0, 8, "s"}}, "s s s -"},
		"the last to begin":          {[]Label{{3, 5, "x"}, {0, 11, "s"}}, "s x s s"},
		"the shorter of two":         {[]Label{{0, 2, "x"}, {0, 5, "y"}}, "x y - -"},
		"the last of equal ones":     {[]Label{{0, 2, "x"}, {0, 2, "y"}}, "y - - -"},
		"ends before its followers":  {[]Label{{0, 11, "s"}, {0, 5, "x"}, {3, 11, "y"}}, "x y y y"},
		"begins within a token":      {[]Label{{1, 4, "x"}}, "- x - -"},
		"hidden by one that ends":    {[]Label{{0, 7, "x"}, {1, 2, "y"}}, "x x x -"},
		"between tokens, not at one": {[]Label{{2, 3, "x"}}, "- - - -"},
	} {
		d := &Document{Text: "aa bb cc dd", Columns: map[string][]Label{"c": c.labels}}
		var got []string
		for _, l := range d.ColumnAt("c", tokens) {
			if l == nil {
				l = &Label{Value: "-"}
			}
			got = append(got, l.Value)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
		if err := d.Check(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestCheckColumns(t *testing.T) {
	for _, l := range []Label{{0, 9, "x"}, {-1, 1, "x"}, {1, 1, "x"}, {2, 1, "x"}, {0, 1, ""}, {0, 2, "x"}} {
		d := &Document{ID: "1", Text: "añ", Columns: map[string][]Label{"pos": {l}}}
		if err := d.Check(); err == nil || !strings.Contains(err.Error(), "document 1: value 0 of the column pos is ") {
			t.Errorf("%v: %v", l, err)
		}
	}
	d := &Document{ID: "1", Columns: map[string][]Label{"pos": {}}}
	_, missing := errors.AsType[*NoColumn](d.CheckColumn("chunk"))
	if err := d.CheckColumn("pos"); err != nil || !missing {
		t.Errorf("%v, missing %v", err, missing)
	}
}
