package parquet

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// The file has more rows than a row group. Arrow reads it.
func TestCreate(t *testing.T) {
	var out bytes.Buffer
	table, err := Create(&out, []Column{
		{Name: "n", Type: Integer}, {Name: "text", Optional: true}, {Name: "day", Type: Date, Optional: true}, {Name: "moment", Type: Timestamp, Optional: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer table.Discard()
	const rows = groupRows + 2
	for i := range rows {
		row := []string{fmt.Sprint(i), "Ñandú ✓", "2071-04-03", "1969-12-31"}
		if i%2 > 0 {
			row = []string{fmt.Sprint(-i), "", "", ""}
		}
		if err := table.Row(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.Row([]string{"one", "", "", ""}); err == nil || strings.Contains(err.Error(), "one") {
		t.Errorf("a text in a column of numbers: %v", err)
	}
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := Open(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil || f.Rows != rows || len(f.groups) != 2 {
		t.Fatalf("%d rows in %d groups, %v", f.Rows, len(f.groups), err)
	}
	schema, read := content(t, out.Bytes())
	for _, want := range []string{"n: type=int64\n", "text: type=utf8, nullable\n", "day: type=date32, nullable\n", "moment: type=timestamp[us, tz=UTC], nullable\n"} {
		if !strings.Contains(schema, want) {
			t.Errorf("no %q in %s", want, schema)
		}
	}
	for name, want := range map[string]string{"n": "131072 -131073", "text": "Ñandú ✓ (null)", "day": "2071-04-03 (null)", "moment": "1969-12-31T00:00:00Z (null)"} {
		if got := strings.Join(read[name][groupRows:], " "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
