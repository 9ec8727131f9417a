package audit

import (
	"encoding/json"
	"reflect"
	"testing"
	"unsafe"

	"github.com/lethe-deid/lethe/deid/safetynet"
)

// TestTheReportHasEveryTotal checks that the JSON changes with each field of a Summary, so that programs learn what the text
// says.
func TestTheReportHasEveryTotal(t *testing.T) {
	encoded := func(s *Summary) string {
		raw, err := json.Marshal(s.Report())
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	none := encoded(&Summary{})
	fields := reflect.TypeFor[Summary]()
	for i := range fields.NumField() {
		s := &Summary{}
		field := reflect.ValueOf(s).Elem().Field(i)
		switch p := reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Interface().(type) { //nolint:gosec // some fields are not exported
		case *int:
			*p = 7
		case *bool:
			*p = true
		case *string:
			*p = "x"
		case *map[string]int:
			*p = map[string]int{"x": 7}
		case *map[safetynet.Source]map[string]int:
			*p = map[safetynet.Source]map[string]int{safetynet.Sources()[0]: {"x": 7}}
		default:
			t.Fatalf("%s has a type that the test does not know", fields.Field(i).Name)
		}
		if encoded(s) == none {
			t.Errorf("the report does not contain %s", fields.Field(i).Name)
		}
	}
}
