package parquet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/memory"
	arrowparquet "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	parquetschema "github.com/apache/arrow-go/v18/parquet/schema"
)

// columns are of every type, with what Arrow writes as JSON for their three rows.
var columns = []struct {
	name string
	typ  arrow.DataType
	rows string
}{
	{"id", arrow.PrimitiveTypes.Int64, `[1, 2, 3]`},
	{"note", arrow.BinaryTypes.String, `["Ana Gil", null, "Ñandú ✓"]`},
	{"large", arrow.BinaryTypes.LargeString, `["a", "", null]`},
	{"binary", arrow.BinaryTypes.Binary, `["AP8=", null, ""]`},
	{"i8", arrow.PrimitiveTypes.Int8, `[-1, null, 127]`},
	{"u64", arrow.PrimitiveTypes.Uint64, `[18446744073709551615, null, 0]`},
	{"f32", arrow.PrimitiveTypes.Float32, `[1.5, null, -2]`},
	{"f64", arrow.PrimitiveTypes.Float64, `[1.5, null, -2]`},
	{"f16", arrow.FixedWidthTypes.Float16, `[1.5, null, -2]`},
	{"bool", arrow.FixedWidthTypes.Boolean, `[true, null, false]`},
	{"day", arrow.FixedWidthTypes.Date32, `["2021-03-04", null, "1969-12-31"]`},
	{"time", arrow.FixedWidthTypes.Time64us, `["01:02:03.000004", null, "00:00:00"]`},
	{"zoned", &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "Europe/Madrid"}, `["2021-03-04T01:02:03Z", null, "1969-12-31T00:00:00Z"]`},
	{"naive", &arrow.TimestampType{Unit: arrow.Millisecond}, `["2021-03-04 01:02:03", null, "1969-12-31 00:00:00"]`},
	{"decimal", &arrow.Decimal128Type{Precision: 20, Scale: 4}, `["1.5", null, "-2.25"]`},
	{"wide", &arrow.Decimal256Type{Precision: 60, Scale: 0}, `["123456789012345678901234567890", null, "-2"]`},
	{"fixed", &arrow.FixedSizeBinaryType{ByteWidth: 3}, `["AAEC", null, "////"]`},
	{"uuid", extensions.NewUUIDType(), `["01234567-89ab-cdef-0123-456789abcdef", null, "00000000-0000-0000-0000-000000000001"]`},
	{"category", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}, `["red", null, "red"]`},
	{"list", arrow.ListOf(arrow.BinaryTypes.String), `[["a", null, "b"], null, []]`},
	{"lists", arrow.ListOf(arrow.ListOf(arrow.PrimitiveTypes.Int32)), `[[[1, 2], [], null, [3]], [], [null]]`},
	{"struct", arrow.StructOf(arrow.Field{Name: "n", Type: arrow.PrimitiveTypes.Int16, Nullable: true}, arrow.Field{Name: "note", Type: arrow.BinaryTypes.String, Nullable: true}),
		`[{"n": 1, "note": "x"}, null, {"n": null, "note": null}]`},
	{"structs", arrow.ListOf(arrow.StructOf(arrow.Field{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true})), `[[{"text": "one"}, {"text": "two"}], [], [{"text": null}, null]]`},
	{"map", arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32), `[[{"key": "k", "value": 1}], null, []]`},
}

// example is a file with those columns, times rows each, in row groups of four rows.
func example(t testing.TB, times int, properties ...arrowparquet.WriterProperty) []byte {
	t.Helper()
	var fields []arrow.Field
	var arrays []arrow.Array
	for _, c := range columns {
		var rows, all []json.RawMessage
		if err := json.Unmarshal([]byte(c.rows), &rows); err != nil {
			t.Fatal(err)
		}
		for range times {
			all = append(all, rows...)
		}
		raw, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		a, _, err := array.FromJSON(memory.DefaultAllocator, c.typ, bytes.NewReader(raw))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		fields = append(fields, arrow.Field{Name: c.name, Type: c.typ, Nullable: true})
		arrays = append(arrays, a)
	}
	metadata := arrow.NewMetadata([]string{"pandas", "org.apache.spark.sql.parquet.row.metadata"}, []string{`{"a":1}`, `{"b":2}`})
	schema := arrow.NewSchema(fields, &metadata)
	batch := array.NewRecordBatch(schema, arrays, int64(3*times))
	var out bytes.Buffer
	w, err := pqarrow.NewFileWriter(schema, &out, arrowparquet.NewWriterProperties(append([]arrowparquet.WriterProperty{arrowparquet.WithMaxRowGroupLength(4)}, properties...)...), pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(batch); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// content returns what Arrow reads from a file: the schema with its metadata, and the rows of each column as JSON.
func content(t testing.TB, raw []byte) (schema string, rows map[string][]string) {
	t.Helper()
	f, err := file.NewParquetReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	reader, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	table, err := reader.ReadTable(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rows = map[string][]string{}
	for i := range int(table.NumCols()) {
		name := table.Schema().Field(i).Name
		rows[name] = []string{}
		for _, chunk := range table.Column(i).Data().Chunks() {
			for k := range chunk.Len() {
				rows[name] = append(rows[name], chunk.ValueStr(k))
			}
		}
	}
	var out strings.Builder
	fmt.Fprintln(&out, table.Schema())
	parquetschema.PrintSchema(f.MetaData().Schema.Root(), &out, 2)
	kv := f.MetaData().KeyValueMetadata()
	fmt.Fprintln(&out, kv.Keys(), kv.Values())
	return out.String(), rows
}

func open(t testing.TB, raw []byte) *File {
	t.Helper()
	f, err := Open(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// rewrite writes a file again. change returns the slots of a row of a column, and keep whether a row stays.
func rewrite(f *File, changed []*Leaf, change func(*Leaf, []Slot) []Slot, keep func(row int64) bool) ([]byte, error) {
	var out bytes.Buffer
	w, err := f.Rewrite(&out, changed)
	if err != nil {
		return nil, err
	}
	defer w.Discard()
	var cursors []*Cursor
	for _, l := range changed {
		cursors = append(cursors, f.Cursor(l))
	}
	slots := make([][]Slot, len(changed))
	for row := range f.Rows {
		for i, c := range cursors {
			s, err := c.Row(nil)
			if err != nil {
				return nil, err
			}
			slots[i] = change(changed[i], s)
		}
		if keep(row) {
			if err := w.Row(row, slots); err != nil {
				return nil, err
			}
		}
	}
	err = w.Close()
	return out.Bytes(), err
}

func same(_ *Leaf, s []Slot) []Slot { return s }
func all(int64) bool                { return true }

// variants are files with every compression, version of pages, and encoding.
func variants(t testing.TB, times int) map[string][]byte {
	out := map[string][]byte{}
	for _, codec := range []compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Gzip, compress.Codecs.Zstd, compress.Codecs.Brotli, compress.Codecs.Lz4Raw} {
		for _, version := range []arrowparquet.DataPageVersion{arrowparquet.DataPageV1, arrowparquet.DataPageV2} {
			if codec == compress.Codecs.Brotli && version == arrowparquet.DataPageV2 {
				continue // Arrow's library cannot read what it writes: a page of nulls is 0 bytes, which Brotli makes 1
			}
			for _, dictionary := range []bool{true, false} {
				out[fmt.Sprintf("%v, v%d, dictionary %v", codec, version+1, dictionary)] = example(t, times,
					arrowparquet.WithCompression(codec), arrowparquet.WithDataPageVersion(version), arrowparquet.WithDictionaryDefault(dictionary), arrowparquet.WithDataPageSize(64))
			}
		}
	}
	for column, encoding := range map[string]arrowparquet.Encoding{
		"note": arrowparquet.Encodings.DeltaByteArray, "large": arrowparquet.Encodings.DeltaLengthByteArray, "id": arrowparquet.Encodings.DeltaBinaryPacked,
		"i8": arrowparquet.Encodings.DeltaBinaryPacked, "f64": arrowparquet.Encodings.ByteStreamSplit, "bool": arrowparquet.Encodings.RLE, "binary": arrowparquet.Encodings.DeltaByteArray,
	} {
		out[column+" in "+encoding.String()] = example(t, times, arrowparquet.WithDictionaryDefault(false), arrowparquet.WithEncodingFor(column, encoding), arrowparquet.WithDictionaryFor(column, false))
	}
	return out
}

// Whether the columns are copied or written anew, Arrow must read the same schema, metadata and rows.
func TestRoundTrip(t *testing.T) {
	for name, raw := range variants(t, 7) {
		f := open(t, raw)
		schema, rows := content(t, raw)
		for what, changed := range map[string][]*Leaf{"copied": nil, "written anew": f.Leaves} {
			out, err := rewrite(f, changed, same, all)
			if err != nil {
				t.Fatalf("%s, %s: %v", name, what, err)
			}
			gotSchema, got := content(t, out)
			if gotSchema != schema {
				t.Errorf("%s, %s: the schema is %s, want %s", name, what, gotSchema, schema)
			}
			for column := range rows {
				if !slices.Equal(got[column], rows[column]) {
					t.Errorf("%s, %s: the column %s is %q, want %q", name, what, column, got[column], rows[column])
				}
			}
			for i := range f.groups {
				if got := open(t, out).groups[i].rows; got != f.groups[i].rows {
					t.Errorf("%s, %s: row group %d has %d rows, want %d", name, what, i, got, f.groups[i].rows)
				}
			}
		}
	}
}

// The pages of a column that does not change are the same bytes, and so are its statistics.
func TestOtherColumnsAreTheSameBytes(t *testing.T) {
	raw := example(t, 7, arrowparquet.WithPageIndexEnabled(true), arrowparquet.WithBloomFilterEnabledFor("id", true), arrowparquet.WithBloomFilterNDV(8), arrowparquet.WithStats(true))
	f := open(t, raw)
	out, err := rewrite(f, f.Leaves[1:2], func(l *Leaf, s []Slot) []Slot {
		if s[0].Def == l.MaxDef {
			s[0].Value = []byte("a longer value than before")
		}
		return s
	}, all)
	if err != nil {
		t.Fatal(err)
	}
	g := open(t, out)
	for i, before := range f.groups {
		for k, c := range before.chunks {
			d := g.groups[i].chunks[k]
			if same := bytes.Equal(raw[c.start:c.start+c.size], out[d.start:d.start+d.size]); same != (k != 1) {
				t.Errorf("column %s: the same bytes: %v", c.leaf.Path, same)
			}
			statistics := func(c *chunk) string {
				if s := c.data.get(12); s != nil {
					return string(s.append(nil))
				}
				return ""
			}
			if want := statistics(c); k != 1 && (statistics(d) != want || want == "") || k == 1 && statistics(d) != "" {
				t.Errorf("column %s: statistics %q, want %q", c.leaf.Path, statistics(d), want)
			}
			for _, id := range []int16{4, 6} {
				if had, has := c.meta.get(id) != nil, d.meta.get(id) != nil; has != (had && k != 1) {
					t.Errorf("column %s: index %d: %v", c.leaf.Path, id, has)
				}
			}
		}
	}
	r, err := file.NewParquetReader(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	index, err := r.GetPageIndexReader().RowGroup(1)
	if err != nil {
		t.Fatal(err)
	}
	offsets, err := index.GetOffsetIndex(0)
	if err != nil {
		t.Fatal(err)
	}
	if at, want := offsets.GetPageLocations()[0].Offset, g.groups[1].chunks[0].data.number(9, 0); at != want {
		t.Errorf("the index has the first page at %d, want %d", at, want)
	}
	bloom, err := r.GetBloomFilterReader().RowGroup(0)
	if err != nil {
		t.Fatal(err)
	}
	filter, err := bloom.GetColumnBloomFilter(0)
	if err != nil {
		t.Fatal(err)
	}
	if filter == nil {
		t.Fatal("the Bloom filter is lost")
	}
}

// Pages that are left behind, dictionaries and statistics would still quote what was replaced.
func TestNothingOfAReplacedValueIsLeft(t *testing.T) {
	for name, raw := range variants(t, 7) {
		if !strings.HasPrefix(name, "UNCOMPRESSED") {
			continue
		}
		if !bytes.Contains(raw, []byte("Ana Gil")) {
			t.Fatalf("%s: the input does not contain the value", name)
		}
		f := open(t, raw)
		out, err := rewrite(f, f.Leaves[1:2], func(l *Leaf, s []Slot) []Slot {
			if s[0].Def == l.MaxDef {
				s[0].Value = []byte("[X]")
			}
			return s
		}, all)
		if err != nil || bytes.Contains(out, []byte("Ana Gil")) {
			t.Errorf("%s: it is still there, or %v", name, err)
		}
	}
}

// A row that is left out is left out of all columns, and nothing else changes.
func TestLostRows(t *testing.T) {
	for name, raw := range variants(t, 7) {
		f := open(t, raw)
		_, rows := content(t, raw)
		for what, keep := range map[string]func(int64) bool{
			"the first":         func(row int64) bool { return row != 0 },
			"some":              func(row int64) bool { return row%5 != 1 },
			"a whole row group": func(row int64) bool { return row < 4 || row > 7 },
			"the last":          func(row int64) bool { return row != f.Rows-1 },
			"all":               func(int64) bool { return false },
		} {
			out, err := rewrite(f, f.Leaves[1:2], same, keep)
			if err != nil {
				t.Fatalf("%s, %s: %v", name, what, err)
			}
			_, got := content(t, out)
			for column, before := range rows {
				want := []string{}
				for i, v := range before {
					if keep(int64(i)) {
						want = append(want, v)
					}
				}
				if !slices.Equal(got[column], want) {
					t.Errorf("%s, %s: the column %s is %q, want %q", name, what, column, got[column], want)
				}
			}
		}
	}
}

// A row that is spread over several pages, and pages with many rows.
func TestLongRowsAndManyRows(t *testing.T) {
	raw := example(t, 10_000, arrowparquet.WithDataPageSize(100), arrowparquet.WithMaxRowGroupLength(25_000))
	f := open(t, raw)
	var leaves []*Leaf
	for _, l := range f.Leaves {
		if l.Short == "structs.text" || l.Short == "note" {
			leaves = append(leaves, l)
		}
	}
	out, err := rewrite(f, leaves, same, all)
	if err != nil {
		t.Fatal(err)
	}
	_, rows := content(t, raw)
	_, got := content(t, out)
	for _, column := range []string{"note", "structs", "id"} {
		if !slices.Equal(got[column], rows[column]) {
			t.Errorf("the column %s differs", column)
		}
	}
}

func TestNamesOfLeaves(t *testing.T) {
	got := map[string]string{}
	for _, l := range open(t, example(t, 1)).Leaves {
		if l.Path != l.Short {
			got[l.Path] = l.Short
		}
	}
	want := map[string]string{
		"list.list.element": "list", "lists.list.element.list.element": "lists", "structs.list.element.text": "structs.text",
		"map.key_value.key": "map.key", "map.key_value.value": "map.value",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestKeys(t *testing.T) {
	f := open(t, example(t, 1))
	want := map[string]string{
		"id": "1", "note": "Ana Gil", "large": "a", "i8": "-1", "u64": "18446744073709551615", "wide": "123456789012345678901234567890",
		"uuid": "01234567-89ab-cdef-0123-456789abcdef", "category": "red", "list": "a", "lists": "1", "struct.n": "1", "struct.note": "x",
		"structs.text": "one", "map.key": "k", "map.value": "1",
	}
	got := map[string]string{}
	for _, l := range f.Leaves {
		slots, err := f.Cursor(l).Row(nil)
		if err != nil {
			t.Fatal(err)
		}
		if l.Key() {
			got[l.Short] = l.KeyText(slots[0].Value)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestBrokenFiles(t *testing.T) {
	whole := example(t, 2)
	damaged := slices.Clone(whole)
	copy(damaged[len(damaged)-200:], bytes.Repeat([]byte{0xff}, 100))
	for want, raw := range map[string][]byte{
		"not Parquet: the file does not begin with PAR1":                           []byte("note_id,note_text\n1,x\n"),
		"not Parquet: the file does not begin with PAR1 ":                          nil,
		"a Parquet file that is cut off: it does not end with a footer and PAR1":   whole[:len(whole)-9],
		"a Parquet file that is cut off: it does not end with a footer and PAR1 ":  []byte("PAR1"),
		"a Parquet file that is cut off: it does not end with a footer and PAR1  ": append([]byte("PAR1"), whole[len(whole)-8:]...),
		"an encrypted Parquet file (encrypted footer): decrypt it first":           append([]byte("PARE"), whole[4:]...),
		"the footer is damaged": damaged,
	} {
		_, err := Open(bytes.NewReader(raw), int64(len(raw)))
		if want = strings.TrimSpace(want); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A page whose bytes have changed is an error, not a panic and not another text.
func TestDamagedPages(t *testing.T) {
	f := open(t, example(t, 7))
	raw, err := rewrite(f, f.Leaves, same, all) // with checksums
	if err != nil {
		t.Fatal(err)
	}
	f = open(t, raw)
	c := f.groups[0].chunks[1]
	raw[c.start+c.size-1] ^= 1
	if _, err := rewrite(f, f.Leaves, same, all); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("%v", err)
	}
}

// No file makes the package panic, and what it writes can be read again.
func FuzzRewrite(f *testing.F) {
	for _, raw := range variants(f, 1) {
		f.Add(raw)
	}
	f.Add(example(f, 2, arrowparquet.WithPageIndexEnabled(true), arrowparquet.WithBloomFilterEnabledFor("id", true), arrowparquet.WithBloomFilterNDV(8)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		in, err := Open(bytes.NewReader(raw), int64(len(raw)))
		if err != nil || in.Rows > 1000 {
			return
		}
		texts := func(in *File) (all [][]Slot, err error) {
			for _, l := range in.Leaves {
				for c := in.Cursor(l); ; {
					slots, err := c.Row(nil)
					if err == io.EOF {
						break
					} else if err != nil {
						return nil, err
					}
					all = append(all, slots)
				}
			}
			return all, nil
		}
		want, err := texts(in)
		if err != nil {
			return
		}
		out, err := rewrite(in, in.Leaves, same, all)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Open(bytes.NewReader(out), int64(len(out)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := texts(again)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) {
			t.Fatalf("%d rows, want %d", len(got), len(want))
		}
		for i := range got {
			if fmt.Sprint(got[i]) != fmt.Sprint(want[i]) {
				t.Fatalf("%v became %v", want[i], got[i])
			}
		}
	})
}
