package main

import (
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/synth"
)

// TestShardsTogetherAreOneRun checks, for several formats and numbers of shards, that the shards of a run write exactly the
// records that a run without shards writes, each once, that all notes of a patient are in the same shard, and that the same
// holds for the lines of the audits.
func TestShardsTogetherAreOneRun(t *testing.T) {
	dir, model := t.TempDir(), rulesModel(t)
	key := write(t, filepath.Join(dir, "key"), "a key of sixteen\n")
	var docs []*data.Document
	for d, err := range synth.Notes(60, 21, synth.Dev) {
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, d)
	}
	slices.SortStableFunc(docs, func(a, b *data.Document) int { return strings.Compare(a.Group(), b.Group()) })
	chance := rand.New(rand.NewPCG(3, 8))
	for _, test := range []struct {
		name    string
		content string
		options []string
		records func(t *testing.T, content string) []string
	}{
		{"notes.jsonl", jsonLines(t, docs) + "\n", []string{"--format", "jsonl"}, lines},
		{"notes.json", "[" + strings.ReplaceAll(strings.TrimSpace(jsonLines(t, docs)), "\n", ",\n") + "]\n", []string{"--format", "jsonl"}, elements},
		{"notes.csv", csvRows(t, docs), []string{"--format", "csv", "--column", "note", "--patient", "mrn", "--id", "id"}, rowsWithHeader},
		{"notes.hl7", hl7Messages(docs), []string{"--format", "hl7"}, messages},
		{"notes.ndjson", fhirLines(t, docs), []string{"--format", "fhir"}, lines},
		{"notes.parquet", parquetRows(t, docs), []string{"--format", "parquet", "--column", "note", "--patient", "mrn", "--field", "mrn=hash", "--id", "id"}, rowsOfParquet},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := write(t, filepath.Join(dir, test.name), test.content)
			run := func(name string, args ...string) (records, audit []string) {
				t.Helper()
				out := filepath.Join(dir, name+"-"+test.name)
				args = append(append(args, "--model", model, "--quiet", "--replace", "surrogate", "--key-file", key, "--output", out, "--audit", out+".audit", in), test.options...)
				if said, err := exec.Command("lethe", append([]string{"deidentify"}, args...)...).CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, said)
				}
				return test.records(t, string(read(t, out))), slices.Collect(strings.Lines(string(read(t, out+".audit"))))
			}
			whole, wholeAudit := run("whole")
			n := 2 + chance.IntN(3)
			var parts, audits []string
			for i := 1; i <= n; i++ {
				shard := fmt.Sprintf("%d/%d", i, n)
				records, audit := run(fmt.Sprintf("part%d", i), "--shard", shard)
				parts = append(parts, records...)
				for _, line := range audit {
					if !strings.Contains(line, `"shard":"`+shard+`"`) {
						t.Fatalf("the audit does not name the shard: %s", line)
					}
					audits = append(audits, strings.Replace(line, `,"shard":"`+shard+`"`, "", 1))
				}
			}
			slices.Sort(whole)
			slices.Sort(parts)
			if !slices.Equal(whole, parts) {
				t.Errorf("%d records in one run, %d in %d shards, or others", len(whole), len(parts), n)
			}
			slices.Sort(wholeAudit)
			slices.Sort(audits)
			if !slices.Equal(wholeAudit, audits) {
				t.Errorf("%d lines in the audit of one run, %d in those of %d shards, or others", len(wholeAudit), len(audits), n)
			}
			if len(wholeAudit) != len(docs) {
				t.Errorf("%d lines in the audit for %d notes", len(wholeAudit), len(docs))
			}
		})
	}
}

// TestShardsOfFolders checks that the shards of a folder with one note per file, in several formats, write exactly the files that a
// run without shards writes, and that each patient is in one shard.
func TestShardsOfFolders(t *testing.T) {
	dir, model := t.TempDir(), rulesModel(t)
	key := write(t, filepath.Join(dir, "key"), "a key of sixteen\n")
	in := filepath.Join(dir, "in")
	for i := range 40 {
		folder := filepath.Join(in, fmt.Sprintf("patient %d", i%13))
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		note := "Seen on 02/20/2087 by Dr. Amundsen."
		switch name := filepath.Join(folder, fmt.Sprint(i)); i % 3 {
		case 0:
			write(t, name+".txt", note+"\n")
		case 1:
			write(t, name+".rtf", `{\rtf1\ansi `+note+`}`)
		default:
			write(t, name+".xml", `<ClinicalDocument xmlns="urn:hl7-org:v3"><component><structuredBody><component><section><text>`+note+`</text></section></component></structuredBody></component></ClinicalDocument>`)
		}
	}
	write(t, filepath.Join(in, "empty.txt"), "")
	run := func(name string, args ...string) map[string][]byte {
		t.Helper()
		out := filepath.Join(dir, name)
		args = append([]string{"deidentify", "--model", model, "--quiet", "--patient-folders", "--key-file", key, "--output", out, in}, args...)
		if said, err := exec.Command("lethe", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		files := tree(t, out)
		delete(files, ".lethe-run")
		return files
	}
	whole, parts, folders := run("whole"), map[string][]byte{}, map[string]int{}
	for i := 1; i <= 3; i++ {
		args := []string{"--shard", fmt.Sprintf("%d/3", i)}
		part := run(fmt.Sprint(i), args...)
		if again := run(fmt.Sprint(i), append(args, "--resume")...); len(again) != len(part) {
			t.Errorf("shard %d: %d files, and %d after resuming", i, len(part), len(again))
		}
		for name, content := range part {
			if _, twice := parts[name]; twice {
				t.Errorf("%s is in two shards", name)
			}
			parts[name] = content
			if folder := filepath.Dir(name); folder != "." {
				if other, ok := folders[folder]; ok && other != i {
					t.Errorf("%s is in the shards %d and %d", folder, other, i)
				}
				folders[folder] = i
			}
		}
	}
	if !slices.Equal(slices.Sorted(maps.Keys(whole)), slices.Sorted(maps.Keys(parts))) {
		t.Errorf("%d files in one run, %d in the shards", len(whole), len(parts))
	}
	for name, content := range whole {
		if string(content) != string(parts[name]) {
			t.Errorf("%s differs", name)
		}
	}
}

func lines(_ *testing.T, content string) []string { return slices.Collect(strings.Lines(content)) }

// elements returns the elements of a JSON array.
func elements(t *testing.T, content string) []string {
	t.Helper()
	var raw []json.RawMessage
	if err := json.Unmarshal([]byte(content), &raw); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, element := range raw {
		all = append(all, string(element))
	}
	return all
}

// rowsWithHeader returns the rows of CSV, and fails if they have no header.
func rowsWithHeader(t *testing.T, content string) []string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(content)).ReadAll()
	if err != nil || rows[0][0] != "id" {
		t.Fatalf("no header: %v", err)
	}
	var all []string
	for _, row := range rows[1:] {
		all = append(all, strings.Join(row, "\x00"))
	}
	return all
}

// messages returns the messages of HL7 between the header and the trailer of a batch.
func messages(t *testing.T, content string) []string {
	t.Helper()
	content, header := strings.CutPrefix(content, "BHS|^~\\&|\r")
	content, trailer := strings.CutSuffix(content, "BTS|\r")
	if !header || !trailer {
		t.Fatal("no batch")
	}
	return strings.Split(content, "MSH|")[1:]
}

func jsonLines(t *testing.T, docs []*data.Document) string {
	t.Helper()
	var b strings.Builder
	for _, d := range docs {
		b.WriteString(jsonOf(t, map[string]any{"id": d.ID, "patient": d.Group(), "text": d.Text}) + "\n")
	}
	return b.String()
}

func csvRows(t *testing.T, docs []*data.Document) string {
	t.Helper()
	var b strings.Builder
	w := csv.NewWriter(&b)
	rows := [][]string{{"id", "mrn", "note"}}
	for _, d := range docs {
		rows = append(rows, []string{d.ID, d.Group(), d.Text})
	}
	if err := w.WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// parquetRows writes the notes as a Parquet file with row groups of seven rows.
func parquetRows(t *testing.T, docs []*data.Document) string {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.BinaryTypes.String}, {Name: "mrn", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "note", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "length", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for _, d := range docs {
		for i, value := range []string{d.ID, d.Group(), d.Text} {
			b.Field(i).(*array.StringBuilder).Append(value)
		}
		b.Field(3).(*array.Int64Builder).Append(int64(len(d.Text)))
	}
	var out bytes.Buffer
	w, err := pqarrow.NewFileWriter(schema, &out, parquet.NewWriterProperties(parquet.WithMaxRowGroupLength(7)), pqarrow.DefaultWriterProps())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(b.NewRecordBatch()), w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// rowsOfParquet returns the rows of a Parquet file as JSON.
func rowsOfParquet(t *testing.T, content string) (rows []string) {
	t.Helper()
	table, err := pqarrow.ReadTable(t.Context(), strings.NewReader(content), parquet.NewReaderProperties(memory.DefaultAllocator), pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	reader := array.NewTableReader(table, table.NumRows())
	defer reader.Release()
	for reader.Next() {
		raw, err := reader.RecordBatch().MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var objects []json.RawMessage
		if err := json.Unmarshal(raw, &objects); err != nil {
			t.Fatal(err)
		}
		for _, o := range objects {
			rows = append(rows, string(o))
		}
	}
	return rows
}

func hl7Messages(docs []*data.Document) string {
	escape := strings.NewReplacer("\\", `\E\`, "|", `\F\`, "^", `\S\`, "&", `\T\`, "~", `\R\`, "\n", `\X0A\`)
	var b strings.Builder
	b.WriteString("BHS|^~\\&|\r")
	for _, d := range docs {
		fmt.Fprintf(&b, "MSH|^~\\&|A|B|C|D|20870220||ORU^R01|%s|P|2.5\rPID|1||%s\rOBX|1|TX|1||%s\r", d.ID, d.Group(), escape.Replace(d.Text))
	}
	b.WriteString("BTS|\r")
	return b.String()
}

func fhirLines(t *testing.T, docs []*data.Document) string {
	t.Helper()
	var b strings.Builder
	for _, d := range docs {
		attachment := map[string]any{"contentType": "text/plain; charset=utf-8", "data": base64.StdEncoding.EncodeToString([]byte(d.Text))}
		b.WriteString(jsonOf(t, map[string]any{
			"resourceType": "DocumentReference", "id": d.ID, "subject": map[string]any{"reference": "Patient/" + d.Group()},
			"content": []any{map[string]any{"attachment": attachment}},
		}) + "\n")
	}
	return b.String()
}

func jsonOf(t *testing.T, value any) string {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
