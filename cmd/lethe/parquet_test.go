package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/rogpeppe/go-internal/testscript"
)

// toParquet is a command of the scripts: "parquet FILE CSV" writes the rows of a CSV file as Parquet, with two rows per row group. The name
// of a column may end in ":int", ":date", ":bytes" or, if it has no nulls, "!". Empty fields are null. \xff in a field is that byte.
func toParquet(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: parquet FILE CSV")
	}
	rows, err := csv.NewReader(strings.NewReader(ts.ReadFile(args[1]))).ReadAll()
	ts.Check(err)
	var fields []arrow.Field
	for _, name := range rows[0] {
		name, required := strings.CutSuffix(name, "!")
		name, kind, _ := strings.Cut(name, ":")
		typ := map[string]arrow.DataType{"": arrow.BinaryTypes.String, "int": arrow.PrimitiveTypes.Int64, "date": arrow.FixedWidthTypes.Date32, "bytes": arrow.BinaryTypes.Binary}[kind]
		fields = append(fields, arrow.Field{Name: name, Type: typ, Nullable: !required})
	}
	schema := arrow.NewSchema(fields, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for _, row := range rows[1:] {
		for i, field := range row {
			switch field = strings.ReplaceAll(field, `\xff`, "\xff"); {
			case field == "":
				b.Field(i).AppendNull()
			case schema.Field(i).Type == arrow.BinaryTypes.Binary:
				b.Field(i).(*array.BinaryBuilder).Append([]byte(field))
			default:
				ts.Check(b.Field(i).AppendValueFromString(field))
			}
		}
	}
	var out bytes.Buffer
	w, err := pqarrow.NewFileWriter(schema, &out, parquet.NewWriterProperties(parquet.WithMaxRowGroupLength(2), parquet.WithCompression(compress.Codecs.Zstd)), pqarrow.DefaultWriterProps())
	ts.Check(err)
	ts.Check(w.Write(b.NewRecordBatch()))
	ts.Check(w.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), out.Bytes(), 0o666))
}

// fromParquet is a command of the scripts: "rows FILE OUT" writes the rows of Parquet, and between row groups a line of dashes.
func fromParquet(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: rows FILE OUT")
	}
	raw, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	f, err := file.NewParquetReader(bytes.NewReader(raw))
	ts.Check(err)
	reader, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	ts.Check(err)
	leaves := make([]int, f.MetaData().Schema.NumColumns())
	for i := range leaves {
		leaves[i] = i
	}
	var out strings.Builder
	for g := range f.NumRowGroups() {
		if g > 0 {
			out.WriteString("---\n")
		}
		table, err := reader.ReadRowGroups(context.Background(), leaves, []int{g})
		ts.Check(err)
		for row := range int(table.NumRows()) {
			var fields []string
			for i := range int(table.NumCols()) {
				fields = append(fields, table.Column(i).Data().Chunk(0).ValueStr(row))
			}
			fmt.Fprintln(&out, strings.Join(fields, "|"))
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(out.String()), 0o666))
}
