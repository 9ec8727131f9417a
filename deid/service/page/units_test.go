package page_test

import "testing"

// testdata/unit.js has the tests of the modules that need no page.
func TestUnits(t *testing.T) {
	tab := open(t, newFake(t), wide)
	var result struct {
		Failures []string
		Tests    int
	}
	tab.eval(`import("/unit/unit.js").then((m) => m.run())`, &result)
	for _, f := range result.Failures {
		t.Error(f)
	}
	if result.Tests == 0 {
		t.Error("there are no tests")
	}
}
