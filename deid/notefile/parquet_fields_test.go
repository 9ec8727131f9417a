package notefile

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/field"
)

// parquetColumn is a column and its values in JSON.
type parquetColumn struct {
	name     string
	typ      arrow.DataType
	values   string
	required bool
}

// parquetOf writes a Parquet file.
func parquetOf(t *testing.T, columns ...parquetColumn) string {
	t.Helper()
	return parquetWith(t, nil, columns...)
}

// parquetWith is parquetOf with settings of Arrow's writer.
func parquetWith(t *testing.T, settings []pqarrow.WriterOption, columns ...parquetColumn) string {
	t.Helper()
	var fields []arrow.Field
	var arrays []arrow.Array
	for _, c := range columns {
		a, _, err := array.FromJSON(memory.DefaultAllocator, c.typ, strings.NewReader(c.values))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		fields, arrays = append(fields, arrow.Field{Name: c.name, Type: c.typ, Nullable: !c.required}), append(arrays, a)
	}
	properties := parquet.NewWriterProperties(parquet.WithStats(true), parquet.WithPageIndexEnabled(true), parquet.WithBloomFilterEnabled(true))
	return saveArrow(t, arrow.NewSchema(fields, nil), arrays, properties, settings...)
}

// replaceParquet writes a file again, in which change replaces the values of the fields whose whole value is PHI.
func replaceParquet(t *testing.T, path string, o Options, change func(value string) string) ([]byte, error) {
	t.Helper()
	f, in := openParquet(t, path)
	var out bytes.Buffer
	var w Writer
	for r, err := range f.Read(in, "n.parquet", o) {
		if err != nil {
			return nil, err
		}
		if w == nil {
			if w, err = f.Writer(&out, path, o); err != nil {
				t.Fatal(err)
			}
			defer w.Discard()
		}
		edits := make([][]Edit, len(r.Notes))
		for i, n := range r.Notes {
			if n.IsValue() {
				s := n.Spans[0]
				edits[i] = []Edit{{Start: s.Start, End: s.End, New: change(n.Text[s.Start:s.End])}}
			}
		}
		encoded, err := r.Encode(edits)
		if err != nil {
			return nil, err
		}
		if err := w.Write(r, encoded); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), nil
}

// valuesOf returns the values of the first column in JSON, as Arrow reads them.
func valuesOf(t *testing.T, raw []byte) string {
	t.Helper()
	table, err := pqarrow.ReadTable(t.Context(), bytes.NewReader(raw), parquet.NewReaderProperties(memory.DefaultAllocator), pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	var all []any
	for _, chunk := range table.Column(0).Data().Chunks() {
		for i := range chunk.Len() {
			all = append(all, chunk.GetOneForMarshal(i))
		}
	}
	encoded, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

func nextYear(value string) string { return strings.Replace(value, "2071", "2072", 1) }

func onlyTheYear(value string) string { return value[:4] }

func tagged(string) string { return "[TAG]" }

func TestFieldsOfParquet(t *testing.T) {
	const pseudonym = "0123456789abcdef0123456789abcdef"
	text, int32s, int64s, uuid, day := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64, extensions.NewUUIDType(), arrow.FixedWidthTypes.Date32
	stamp := func(unit arrow.TimeUnit) arrow.DataType { return &arrow.TimestampType{Unit: unit} }
	object := arrow.StructOf(arrow.Field{Name: "y", Type: text, Nullable: true})
	for _, c := range []struct {
		name   string
		typ    arrow.DataType
		values string
		rule   string
		change func(string) string
		want   string
	}{
		{"text", text, `["Ana", null, ""]`, "x=person", tagged, `["[TAG]",null,""]`},
		{"dropped text", text, `["Ana", null, ""]`, "x=drop", nil, `[null,null,null]`},
		{"hashed text", text, `["Ana", null, "Bo"]`, "x=hash", nil, `["` + pseudonym + `",null,"` + pseudonym + `"]`},
		{"date in text", text, `["2071-04-03", "20710403", "2071-04-03 10:15:00", "20710403101500", "2071"]`, "x=shift", nextYear, `["2072-04-03","20720403","2072-04-03 10:15:00","20720403101500","2072"]`},
		{"year of a date in text", text, `["2071-04-03", "20710403101500"]`, "x=date", onlyTheYear, `["2071","2071"]`},
		{"int32", int32s, `[93, null]`, "x=age", func(string) string { return "90" }, `[90,null]`},
		{"int32 that does not fit", int32s, `[93, null, 5]`, "x=age", tagged, `[null,null,null]`},
		{"int32 that is too large", int32s, `[93]`, "x=age", func(string) string { return "3000000000" }, `[null]`},
		{"dropped int32", int32s, `[93, null]`, "x=drop", nil, `[null,null]`},
		{"int64", int64s, `[42, null]`, "x=MEDICALRECORD", func(string) string { return "3000000000" }, `[3000000000,null]`},
		{"hashed int64", int64s, `[42, null, -1]`, "x=hash", nil, `[40992764608243447,null,40992764608243447]`},
		{"hashed uuid", uuid, `["11111111-2222-3333-4444-555555555555", null]`, "x=hash", nil, `["01234567-89ab-4def-8123-456789abcdef",null]`},
		{"replaced uuid", uuid, `["11111111-2222-3333-4444-555555555555", null]`, "x=MEDICALRECORD", tagged, `[null,null]`},
		{"day", day, `["2071-04-03", null, "1969-12-31"]`, "x=shift", nextYear, `["2072-04-03",null,"1969-12-31"]`},
		{"year of a day", day, `["2071-04-03", null]`, "x=date", onlyTheYear, `["2071-01-01",null]`},
		{"day that is gone", day, `["2071-04-03", null]`, "x=date", tagged, `[null,null]`},
		{"dropped day", day, `["2071-04-03", null]`, "x=drop", nil, `[null,null]`},
		{"milliseconds", stamp(arrow.Millisecond), `["2071-04-03 10:15:00", null, "1969-12-31 23:59:59"]`, "x=shift", nextYear, `["2072-04-03T10:15:00",null,"1969-12-31T23:59:59"]`},
		{"microseconds", stamp(arrow.Microsecond), `["2071-04-03 10:15:00.000001", null]`, "x=shift", nextYear, `["2072-04-03T10:15:00.000001",null]`},
		{"nanoseconds", stamp(arrow.Nanosecond), `["2071-04-03 10:15:00.000000001", null]`, "x=shift", nextYear, `["2072-04-03T10:15:00.000000001",null]`},
		{"year of a timestamp", stamp(arrow.Microsecond), `["2071-04-03 10:15:00", null]`, "x=date", onlyTheYear, `["2071-01-01T00:00:00",null]`},
		{"timestamp that is gone", stamp(arrow.Millisecond), `["2071-04-03 10:15:00", null]`, "x=date", tagged, `[null,null]`},
		{"nested", object, `[{"y": "Ana"}, {"y": null}, null]`, "x.y=person", tagged, `[{"y":"[TAG]"},{"y":null},null]`},
		{"dropped nested", object, `[{"y": "Ana"}, {"y": null}, null]`, "x.y=drop", nil, `[{"y":null},{"y":null},null]`},
		{"list", arrow.ListOf(text), `[["Ana", null, "Bo"], [], null]`, "x=person", tagged, `[["[TAG]",null,"[TAG]"],[],null]`},
		{"a dropped list kept the number of its elements", arrow.ListOf(text), `[["Ana", null], [], null]`, "x=drop", nil, `[null,null,null]`},
		{"hashed elements of structs", arrow.ListOf(object), `[[{"y": "Ana"}, null], []]`, "x.y=hash", nil, `[[{"y":"` + pseudonym + `"},null],[]]`},
		{"every column", object, `[{"y": "Ana"}]`, "**=drop", nil, `[null]`},
		{"boolean", arrow.FixedWidthTypes.Boolean, `[true, null]`, "x=drop", nil, `[null,null]`},
		{"kept", text, `["Ana", null]`, "x=keep", nil, `["Ana",null]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := parquetOf(t, parquetColumn{name: "x", typ: c.typ, values: c.values})
			o := withRules(t, "parquet", Options{}, c.rule)
			o.Pseudonym = func(string) string { return pseudonym }
			raw, err := replaceParquet(t, path, o, c.change)
			if err != nil {
				t.Fatal(err)
			}
			if got := valuesOf(t, raw); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestParquetColumnsThatRulesDoNotSuit(t *testing.T) {
	path := parquetOf(t,
		parquetColumn{name: "note", typ: arrow.BinaryTypes.String, values: `["Seen."]`},
		parquetColumn{name: "mrn", typ: arrow.BinaryTypes.String, values: `["7"]`},
		parquetColumn{name: "a.b", typ: arrow.BinaryTypes.String, values: `["x"]`},
		parquetColumn{name: "age", typ: arrow.PrimitiveTypes.Int32, values: `[5]`},
		parquetColumn{name: "must", typ: arrow.PrimitiveTypes.Int32, values: `[5]`, required: true},
		parquetColumn{name: "name", typ: arrow.BinaryTypes.String, values: `["Ana"]`, required: true},
		parquetColumn{name: "weight", typ: arrow.PrimitiveTypes.Float64, values: `[1.5]`},
		parquetColumn{name: "visit", typ: arrow.StructOf(arrow.Field{Name: "id", Type: arrow.BinaryTypes.String, Nullable: true}), values: `[{"id": "1"}]`},
	)
	o := Options{Columns: []string{"note"}, Patient: "mrn", NoPatient: true}
	for rule, want := range map[string]string{
		"note=drop":     `the column "note", which contains text, cannot have the rule drop: it is a column with notes, which only have the rule text`,
		"mrn=keep":      `the column "mrn", which contains text, cannot have the rule keep: it would be both emptied and kept; give --keep-patient`,
		"name=text":     "name it as a column with notes",
		"weight=hash":   `the column "weight", which contains numbers, cannot have the rule hash: only text, integers, decimals without a fraction and UUIDs can be pseudonyms: export it as one of these, such as BIGINT`,
		"must=drop":     "the schema requires a value, so it cannot be removed: make the column nullable when you export it, or give it a rule behind the others, such as must=hash",
		"must=age":      "the schema requires a value, so it cannot be removed: make the column nullable when you export it, or give it a rule behind the others, such as must=hash",
		"name=drop":     "the schema requires a value, so it cannot be removed: make the column nullable when you export it, or give it a rule behind the others, such as name=hash",
		"weight=person": "only text, integers and dates can be replaced",
		"Weight=age":    `the column "weight" differs only in case from "Weight", for which there is a rule: write --field weight=ACTION, or weight=keep if the column may stay`,
		"nope=drop":     `n.parquet: the file has no column "nope", for which there is a rule`,
		"visit=person":  "n.parquet: the field visit is an object: write visit.** for everything in it, or the path of one of its values",
		"Visit=drop":    `the column "visit" differs only in case from "Visit", for which there is a rule: write --field visit=ACTION, or visit=keep if the column may stay`,
		"a.b=drop":      `n.parquet: the file has no column "a.b", for which there is a rule; a name that contains dots is written in double quotes`,
	} {
		if _, err := replaceParquet(t, path, withRules(t, "parquet", o, rule), tagged); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", rule, err)
		}
	}
	for _, rule := range []string{"name=person", "name=hash", `"a.b"=drop`, "mrn=hash", "note=text", "visit=drop", "visit.*=drop", "weight=drop"} {
		if _, err := replaceParquet(t, path, withRules(t, "parquet", o, rule), tagged); err != nil {
			t.Errorf("%s: %v", rule, err)
		}
	}
}

// Columns of dates that require a value could not have the rules date and shift, although these only need null if a date cannot stay one.
func TestParquetDatesThatRequireAValue(t *testing.T) {
	day, stamp := arrow.FixedWidthTypes.Date32, &arrow.TimestampType{Unit: arrow.Microsecond}
	refused := `the column "x" requires a value, but the rule date removes this one: make the column nullable when you export it, or give it a rule behind the others, such as x=keep`
	staysDate := func(typ string) bool { return typ == "DATE" }
	for _, c := range []struct {
		name   string
		typ    arrow.DataType
		value  string
		rule   string
		stays  func(string) bool
		change func(string) string
		want   string
	}{
		{"day", day, "2071-04-03", "x=date", staysDate, onlyTheYear, `["2071-01-01"]`},
		{"shifted day", day, "2071-04-03", "x=shift", nil, nextYear, `["2072-04-03"]`},
		{"timestamp", stamp, "2071-04-03 10:15:00", "x=date", staysDate, onlyTheYear, `["2071-01-01T00:00:00"]`},
		{"shifted timestamp", stamp, "2071-04-03 10:15:00", "x=shift", nil, nextYear, `["2072-04-03T10:15:00"]`},
		{"type", day, "2071-04-03", "x=DATE", staysDate, onlyTheYear, `["2071-01-01"]`},
		{"date that is gone", day, "2071-04-03", "x=date", staysDate, tagged, refused},
		{"dates that never stay", day, "2071-04-03", "x=date", func(string) bool { return false }, tagged, "the schema requires a value"},
		{"unknown whether they stay", day, "2071-04-03", "x=date", nil, onlyTheYear, "the schema requires a value"},
		{"no date", day, "2071-04-03", "x=age", staysDate, onlyTheYear, "the schema requires a value"},
		{"dropped", day, "2071-04-03", "x=drop", staysDate, nil, "the schema requires a value"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := parquetOf(t, parquetColumn{name: "x", typ: c.typ, values: `["` + c.value + `"]`, required: true})
			o := withRules(t, "parquet", Options{Types: data.I2B2}, c.rule)
			o.StaysDate = c.stays
			raw, err := replaceParquet(t, path, o, c.change)
			switch {
			case err != nil && !strings.Contains(err.Error(), c.want):
				t.Error(err)
			case err == nil && valuesOf(t, raw) != c.want:
				t.Errorf("%s, want %s", valuesOf(t, raw), c.want)
			}
		})
	}
}

// Timestamps of 96 bits, which older versions of Spark write, could not have the rules date and shift.
func TestParquetTimestampsOf96Bits(t *testing.T) {
	stamp := &arrow.TimestampType{Unit: arrow.Nanosecond}
	values := `["2071-04-03 10:15:00.000000001", null, "1969-12-31 23:59:59", "1900-02-28 00:00:00"]`
	for _, c := range []struct {
		rule   string
		change func(string) string
		want   string
	}{
		{"x=shift", nextYear, `["2072-04-03T10:15:00.000000001Z",null,"1969-12-31T23:59:59Z","1900-02-28T00:00:00Z"]`},
		{"x=date", onlyTheYear, `["2071-01-01T00:00:00Z",null,"1969-01-01T00:00:00Z","1900-01-01T00:00:00Z"]`},
		{"x=date", tagged, `[null,null,null,null]`},
		{"x=drop", nil, `[null,null,null,null]`},
		{"x=keep", nil, `["2071-04-03T10:15:00.000000001Z",null,"1969-12-31T23:59:59Z","1900-02-28T00:00:00Z"]`},
	} {
		path := parquetWith(t, []pqarrow.WriterOption{pqarrow.WithDeprecatedInt96Timestamps(true)}, parquetColumn{name: "x", typ: stamp, values: values})
		if raw, err := replaceParquet(t, path, withRules(t, "parquet", Options{}, c.rule), c.change); err != nil {
			t.Error(err)
		} else if got := valuesOf(t, raw); got != c.want {
			t.Errorf("%s: %s, want %s", c.rule, got, c.want)
		}
	}
}

// The patient's key in the tables of OMOP is often an integer of 32 bits. It could not become a pseudonym, and the message that recommended this did not say so.
func TestParquetKeysOfSmallNumbers(t *testing.T) {
	for _, typ := range []arrow.DataType{
		arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Uint32,
		&arrow.Decimal128Type{Precision: 10}, &arrow.Decimal128Type{Precision: 38}, &arrow.Decimal128Type{Precision: 3},
	} {
		for _, required := range []bool{false, true} {
			path := parquetOf(t, parquetColumn{name: "person_id", typ: typ, values: `["7", "42", "101", "7"]`, required: required}, parquetColumn{name: "note", typ: arrow.BinaryTypes.String, values: `["a", "b", "c", "d"]`})
			o := withRules(t, "parquet", Options{Columns: []string{"note"}, Patient: "person_id", ID: "person_id", NoPatient: true}, "person_id=hash")
			o.Pseudonym = field.Pseudonyms([]byte("key"))
			raw, err := replaceParquet(t, path, o, nil)
			if err != nil {
				t.Fatalf("%v: %v", typ, err)
			}
			var made []any
			if err := json.Unmarshal([]byte(valuesOf(t, raw)), &made); err != nil {
				t.Fatal(err)
			}
			if made[0] != made[3] || made[0] == made[1] || made[1] == made[2] || slices.Contains(made, any(42.0)) {
				t.Errorf("%v: %v", typ, made)
			}
		}
	}
}

// A full path, which --column takes, was no path of a rule, and a name in quotes, which a rule takes, was no column.
func TestPathsOfParquetColumnsAreThoseOfRules(t *testing.T) {
	text := arrow.BinaryTypes.String
	path := parquetOf(t,
		parquetColumn{name: "visits", typ: arrow.ListOf(arrow.StructOf(arrow.Field{Name: "mrn", Type: text, Nullable: true})), values: `[[{"mrn": "7"}]]`},
		parquetColumn{name: "a.b", typ: text, values: `["Seen."]`},
	)
	for _, rule := range []string{"visits.mrn=drop", "visits.list.element.mrn=drop"} {
		o := withRules(t, "parquet", Options{Columns: []string{`"a.b"`}}, rule)
		raw, err := replaceParquet(t, path, o, nil)
		if err != nil {
			t.Errorf("%s: %v", rule, err)
		} else if got := valuesOf(t, raw); got != `[[{"mrn":null}]]` {
			t.Errorf("%s: %s", rule, got)
		}
		if unused := o.Fields.Unused(); len(unused) > 0 {
			t.Errorf("%s: unused %v", rule, unused)
		}
	}
}

// A timestamp with a time zone whose year alone may stay became the midnight of UTC, which is in the year before in America, and the year was that of UTC.
// A date that moved to summer had another time of the day.
func TestParquetTimestampsInATimeZone(t *testing.T) {
	become := func(day string) func(string) string { return func(string) string { return day } }
	for _, c := range []struct {
		name, zone, value, rule string
		change                  func(string) string
		want                    string
	}{
		{"west of UTC", "America/New_York", "2071-07-04 15:00:00", "x=date", onlyTheYear, "2071-01-01T05:00:00Z"},
		{"east of UTC", "Europe/Berlin", "2071-07-04 15:00:00", "x=date", onlyTheYear, "2070-12-31T23:00:00Z"},
		{"already the next year", "Asia/Tokyo", "2070-12-31 23:30:00", "x=date", onlyTheYear, "2070-12-31T15:00:00Z"},
		{"still the year before", "-03:00", "2071-01-01 01:00:00", "x=date", onlyTheYear, "2070-01-01T03:00:00Z"},
		{"half an hour", "+05:30", "2071-07-04 15:00:00", "x=date", onlyTheYear, "2070-12-31T18:30:00Z"},
		{"UTC", "UTC", "2071-07-04 15:00:00", "x=date", onlyTheYear, "2071-01-01T00:00:00Z"},
		{"no zone", "", "2071-07-04 15:00:00", "x=date", onlyTheYear, "2071-01-01T00:00:00"},
		{"midnight in winter and in summer", "America/New_York", "2021-01-02 05:00:00", "x=shift", become("2021-07-02"), "2021-07-02T04:00:00Z"},
		{"evening", "America/New_York", "2021-01-03 02:00:00", "x=shift", become("2021-01-09"), "2021-01-10T02:00:00Z"},
		{"no end", "Asia/Tokyo", "9999-12-31 23:59:59", "x=shift", func(day string) string { return day }, "9999-12-31T23:59:59Z"},
	} {
		value := c.value
		if c.zone != "" {
			value += "Z"
		}
		for _, unit := range []arrow.TimeUnit{arrow.Millisecond, arrow.Microsecond} {
			path := parquetOf(t, parquetColumn{name: "x", typ: &arrow.TimestampType{Unit: unit, TimeZone: c.zone}, values: `["` + value + `", null]`},
				parquetColumn{name: "other", typ: arrow.ListOf(arrow.StructOf(arrow.Field{Name: "y", Type: arrow.BinaryTypes.String, Nullable: true})), values: `[[], null]`})
			raw, err := replaceParquet(t, path, withRules(t, "parquet", Options{}, c.rule), c.change)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if got := instantsOf(t, raw); got != c.want {
				t.Errorf("%s: %s, want %s", c.name, got, c.want)
			}
		}
	}
}

// instantsOf returns the first value of the first column, with a Z if it is an instant.
func instantsOf(t *testing.T, raw []byte) string {
	t.Helper()
	table, err := pqarrow.ReadTable(t.Context(), bytes.NewReader(raw), parquet.NewReaderProperties(memory.DefaultAllocator), pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	typ := table.Column(0).DataType().(*arrow.TimestampType)
	at := table.Column(0).Data().Chunks()[0].(*array.Timestamp).Value(0).ToTime(typ.Unit).UTC().Format("2006-01-02T15:04:05")
	if typ.TimeZone != "" {
		at += "Z"
	}
	return at
}

// Programs such as Spark write instants and no zone in which to show them.
func TestParquetInstantsWithoutAZone(t *testing.T) {
	a, _, err := array.FromJSON(memory.DefaultAllocator, &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, strings.NewReader(`["2071-07-04 15:00:00Z"]`))
	if err != nil {
		t.Fatal(err)
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: a.DataType(), Nullable: true}}, nil)
	path := filepath.Join(t.TempDir(), "n.parquet")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := pqarrow.NewFileWriter(schema, out, parquet.NewWriterProperties(), pqarrow.NewArrowWriterProperties())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(array.NewRecordBatch(schema, []arrow.Array{a}, 1)), w.Close()); err != nil {
		t.Fatal(err)
	}
	raw, err := replaceParquet(t, path, withRules(t, "parquet", Options{}, "x=date"), onlyTheYear)
	if err != nil {
		t.Fatal(err)
	}
	if got := instantsOf(t, raw); got != "2071-01-01T12:00:00Z" {
		t.Error(got)
	}
}

func TestParquetTimeZonesThatNobodyKnows(t *testing.T) {
	path := parquetOf(t, parquetColumn{name: "x", typ: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "Europe/Berlin"}, values: `["2071-07-04 15:00:00Z"]`})
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	raw = regexp.MustCompile(`[A-Za-z0-9+/]{100,}=*`).ReplaceAllFunc(raw, func(encoded []byte) []byte { // the schema of Arrow
		schema, err := base64.StdEncoding.DecodeString(string(encoded))
		if err != nil {
			t.Fatal(err)
		}
		return []byte(base64.StdEncoding.EncodeToString(bytes.ReplaceAll(schema, []byte("Europe/Berlin"), []byte("Nowhere/Place"))))
	})
	if err := os.WriteFile(path, raw, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, rule := range []string{"x=date", "x=shift"} {
		_, err = replaceParquet(t, path, withRules(t, "parquet", Options{}, rule), onlyTheYear)
		if err == nil || !strings.Contains(err.Error(), `does not know its time zone "Nowhere/Place"`) {
			t.Errorf("%s: %v", rule, err)
		}
	}
	if _, err := replaceParquet(t, path, withRules(t, "parquet", Options{}, "x=drop"), nil); err != nil {
		t.Error(err)
	}
}

// A date out of the range of a column wrapped around to one centuries away.
func TestParquetDatesOutOfRangeBecomeNull(t *testing.T) {
	path := parquetOf(t, parquetColumn{name: "x", typ: &arrow.TimestampType{Unit: arrow.Nanosecond}, values: `["2071-04-03 10:15:00"]`})
	raw, err := replaceParquet(t, path, withRules(t, "parquet", Options{}, "x=shift"), func(string) string { return "2671-04-03" })
	if err != nil {
		t.Fatal(err)
	}
	if got := valuesOf(t, raw); got != "[null]" {
		t.Error(got)
	}
}

// quoting lists what quotes the values of a column beside its pages.
func quoting(t *testing.T, raw []byte, column int) (all []string) {
	t.Helper()
	f, err := file.NewParquetReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c, err := f.MetaData().RowGroup(0).ColumnChunk(column)
	if err != nil {
		t.Fatal(err)
	}
	stats, err := c.StatsSet()
	if err != nil {
		t.Fatal(err)
	}
	for name, has := range map[string]bool{
		"statistics": stats, "a dictionary": slices.Contains(c.Encodings(), parquet.Encodings.RLEDict) || slices.Contains(c.Encodings(), parquet.Encodings.PlainDict), "an index": c.GetColumnIndexLocation() != nil, "a Bloom filter": c.BloomFilterOffset() > 0,
	} {
		if has {
			all = append(all, name)
		}
	}
	return all
}

// What a file says about the values of a column beside them would show what they were.
func TestNothingQuotesTheOldValuesOfAColumn(t *testing.T) {
	many := func(value, last string) string { return "[" + strings.Repeat(value+",", 200) + last + "]" } // so that a dictionary pays
	path := parquetOf(t,
		parquetColumn{name: "name", typ: arrow.BinaryTypes.String, values: many(`"Zorniak"`, `"Qwyx"`)},
		parquetColumn{name: "mrn", typ: arrow.PrimitiveTypes.Int64, values: many(`7777777771`, `7777777772`)},
		parquetColumn{name: "town", typ: arrow.BinaryTypes.String, values: many(`"Ely"`, `"Bath"`)},
	)
	o := withRules(t, "parquet", Options{}, "name=person", "mrn=hash")
	o.Pseudonym = field.Pseudonyms([]byte("0123456789abcdef"))
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := replaceParquet(t, path, o, tagged)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if got := quoting(t, before, i); len(got) != 4 {
			t.Errorf("before, column %d has only %v", i, got)
		}
	}
	for i, changed := range []bool{true, true, false} {
		if got := quoting(t, raw, i); len(got) > 0 == changed {
			t.Errorf("column %d has %v", i, got)
		}
	}
	for _, old := range []string{"Zorniak", "Qwyx"} {
		if bytes.Contains(raw, []byte(old)) {
			t.Errorf("%q is still in the file", old)
		}
	}
	if !bytes.Contains(raw, []byte("Bath")) {
		t.Error("an unchanged column has changed")
	}
}

func TestParquetIDsThatBecomePseudonymsHaveAliases(t *testing.T) {
	path := parquetOf(t, parquetColumn{name: "id", typ: arrow.PrimitiveTypes.Int64, values: `[5]`}, parquetColumn{name: "note", typ: arrow.ListOf(arrow.BinaryTypes.String), values: `[["a", "b"]]`})
	f, in := openParquet(t, path)
	o := withRules(t, "parquet", Options{Columns: []string{"note"}, ID: "id"}, "id=hash")
	o.Pseudonym = field.Pseudonyms([]byte("0123456789abcdef"))
	for r, err := range f.Read(in, path, o) {
		if err != nil {
			t.Fatal(err)
		}
		number, err := strconv.ParseUint(o.Pseudonym("5")[:16], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		alias := strconv.FormatUint(number>>1, 10) // as in the column, which has integers
		for i, want := range []string{alias + "/1", alias + "/2"} {
			if r.Notes[i].Alias != want {
				t.Errorf("%q, want %q", r.Notes[i].Alias, want)
			}
		}
	}
}

// Structs, lists of structs and maps stayed with all that they contain if a rule dropped them by their name or *.
func TestParquetGroupsAreDropped(t *testing.T) {
	text := arrow.BinaryTypes.String
	nullable := func(name string, typ arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: typ, Nullable: true}
	}
	person := arrow.StructOf(nullable("name", text), nullable("born", arrow.FixedWidthTypes.Date32))
	strict := arrow.StructOf(arrow.Field{Name: "name", Type: text})
	texts := arrow.ListOfNonNullable(text)
	notes := func(values string) string { // as many as there are values
		var rows []any
		if err := json.Unmarshal([]byte(values), &rows); err != nil {
			t.Fatal(err)
		}
		return "[" + strings.TrimSuffix(strings.Repeat(`"Seen.",`, len(rows)), ",") + "]"
	}
	for _, c := range []struct {
		name     string
		typ      arrow.DataType
		values   string
		required bool
		rules    []string
		want     string
	}{
		{"struct", person, `[{"name": "Ana", "born": "2071-04-03"}, {"name": null, "born": null}, null]`, false, []string{"x=drop"}, `[null,null,null]`},
		{"struct, by *", person, `[{"name": "Ana", "born": "2071-04-03"}]`, false, []string{"*=drop"}, `[null]`},
		{"a field with a later rule", person, `[{"name": "Ana", "born": "2071-04-03"}, null]`, false, []string{"*=drop", "x.born=keep"}, `[{"born":"2071-04-03","name":null},null]`},
		{"a field with an earlier rule", person, `[{"name": "Ana", "born": "2071-04-03"}]`, false, []string{"x.born=keep", "x=drop"}, `[null]`},
		{"a struct that requires a value", person, `[{"name": "Ana", "born": "2071-04-03"}]`, true, []string{"x=drop"}, `[{"born":null,"name":null}]`},
		{"fields that require a value", strict, `[{"name": "Ana"}, null]`, false, []string{"x=drop"}, `[null,null]`},
		{"list of structs", arrow.ListOf(person), `[[{"name": "Ana", "born": null}, {"name": "Eva", "born": null}, null], [], null]`, false, []string{"x=drop"}, `[null,null,null]`},
		{"list of structs, one of which stays in part", arrow.ListOf(person), `[[{"name": "Ana", "born": "2071-04-03"}, {"name": "Eva", "born": null}], []]`, false, []string{"x=drop", "x.born=keep"}, `[[{"born":"2071-04-03","name":null},{"born":null,"name":null}],[]]`},
		{"structs in structs in lists", arrow.ListOf(arrow.StructOf(nullable("a", arrow.ListOf(strict)), nullable("b", text))), `[[{"a": [{"name": "Ana"}, {"name": "Eva"}], "b": "B"}, {"a": [], "b": null}], null]`, false, []string{"x.a=drop"}, `[[{"a":null,"b":"B"},{"a":null,"b":null}],null]`},
		{"map", arrow.MapOf(text, text), `[[{"key": "Ana", "value": "sister"}, {"key": "Eva", "value": null}], [], null]`, false, []string{"*=drop"}, `[null,null,null]`},
		{"list of texts that cannot be null", texts, `[["Ana", "Eva"], [], null]`, false, []string{"x=drop"}, `[null,null,null]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := parquetOf(t, parquetColumn{name: "x", typ: c.typ, values: c.values, required: c.required}, parquetColumn{name: "note", typ: text, values: notes(c.values)})
			raw, err := replaceParquet(t, path, withRules(t, "parquet", Options{Columns: []string{"note"}}, append(c.rules, "note=text")...), tagged)
			if err != nil {
				t.Fatal(err)
			}
			if got := valuesOf(t, raw); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			for _, old := range []string{"Ana", "Eva", "sister"} {
				if bytes.Contains(raw, []byte(old)) {
					t.Errorf("%q is still in the file", old)
				}
			}
		})
	}
	path := parquetOf(t, parquetColumn{name: "x", typ: strict, values: `[{"name": "Ana"}]`, required: true})
	want := `cannot have the rule drop: the schema requires a value, so it cannot be removed: make the column nullable when you export it, or give it a rule behind the others, such as x.name=hash`
	if _, err := replaceParquet(t, path, withRules(t, "parquet", Options{}, "*=drop"), tagged); err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Error(err)
	}
}

// What hash and drop took out of the columns, and the key of the patient, stayed in the notes of the same row.
func TestParquetNotesKnowWhatLeavesTheColumnsOfTheirRow(t *testing.T) {
	path := parquetOf(t,
		parquetColumn{name: "mrn", typ: arrow.PrimitiveTypes.Int64, values: `[5512345]`},
		parquetColumn{name: "acct", typ: arrow.BinaryTypes.String, values: `["BR55T"]`},
		parquetColumn{name: "p", typ: arrow.StructOf(arrow.Field{Name: "phone", Type: arrow.BinaryTypes.String, Nullable: true}, arrow.Field{Name: "born", Type: arrow.FixedWidthTypes.Date32, Nullable: true}), values: `[{"phone": "555-0142", "born": "1957-04-03"}]`},
		parquetColumn{name: "note", typ: arrow.BinaryTypes.String, values: `["Seen."]`},
	)
	f, in := openParquet(t, path)
	o := withRules(t, "parquet", Options{Columns: []string{"note"}, Patient: "mrn", NoPatient: true}, "acct=hash", "p=drop")
	var known []string
	for r, err := range f.Read(in, path, o) {
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range r.Notes[0].Known {
			known = append(known, v.Text)
		}
	}
	if got := strings.Join(known, " "); got != "5512345 BR55T 555-0142 1957-04-03" {
		t.Error(got)
	}
}

// The id of a note that cannot be examined was in the error although the column was hashed or emptied.
func TestParquetErrorsDoNotNameIDsThatGo(t *testing.T) {
	texts := array.NewStringBuilder(memory.DefaultAllocator)
	texts.Append("Seen.\xff")
	ids, _, err := array.FromJSON(memory.DefaultAllocator, arrow.BinaryTypes.String, strings.NewReader(`["MRN77"]`))
	if err != nil {
		t.Fatal(err)
	}
	fields := []arrow.Field{{Name: "id", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "note", Type: arrow.BinaryTypes.String, Nullable: true}}
	path := saveArrow(t, arrow.NewSchema(fields, nil), []arrow.Array{ids, texts.NewArray()}, parquet.NewWriterProperties())
	o := Options{Columns: []string{"note"}, ID: "id", Patient: "id"}
	for _, c := range []struct {
		rule    string
		emptied bool
		want    string
	}{
		{"note=text", false, `n.parquet:1: the note "MRN77" in the column "note": invalid UTF-8`},
		{"id=hash", true, `n.parquet:1: the note "0123" in the column "note": invalid UTF-8`},
		{"id=drop", true, `n.parquet:1: the note in the column "note": invalid UTF-8`},
		{"note=text", true, `n.parquet:1: the note in the column "note": invalid UTF-8`},
	} {
		o := withRules(t, "parquet", o, c.rule)
		o.NoPatient, o.Pseudonym = c.emptied, func(string) string { return "0123" }
		if _, err := replaceParquet(t, path, o, tagged); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v", c.rule, err)
		}
	}
}
