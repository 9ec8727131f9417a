package tsv

import (
	"compress/gzip"
	"encoding/csv"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A table is read back, compressed or not. The file exists once it is closed, and is never replaced.
func TestRoundTrip(t *testing.T) {
	rows := [][]string{{"id", "text"}, {"a b", "x\ty"}, {"", "two\nlines"}, {"é🙂", `a "quote"`}}
	for _, name := range []string{"x.tsv", "below/x.tsv.gz"} {
		path := filepath.Join(t.TempDir(), name)
		w, err := Create(path, rows[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows[1:] {
			if err := w.Write(row); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := os.Stat(path); err == nil {
			t.Error("there is a file before the table is complete")
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		w.Abort() // does nothing
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var in io.Reader = f
		if strings.HasSuffix(name, ".gz") {
			if in, err = gzip.NewReader(f); err != nil {
				t.Fatal(err)
			}
		}
		r := csv.NewReader(in)
		r.Comma = '\t'
		got, err := r.ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(rows, got); diff != "" {
			t.Errorf("%s: -written +read\n%s", name, diff)
		}
		if _, err := Create(path, rows[0]); err == nil || !strings.Contains(err.Error(), "already exists") {
			t.Errorf("over an existing file: %v", err)
		}
	}
}

func TestAbort(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(filepath.Join(dir, "x.tsv"), []string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	w.Abort()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	if _, err := Create(dir, []string{"a"}); err == nil {
		t.Error("a table was created in the place of a folder")
	}
}

func TestFloat(t *testing.T) {
	for _, x := range []float32{0, 1, -0.1, math.Pi, math.SmallestNonzeroFloat32, math.MaxFloat32, 1e-7} {
		back, err := strconv.ParseFloat(Float(float64(x)), 32)
		if err != nil || float32(back) != x {
			t.Errorf("%v is written as %s", x, Float(float64(x)))
		}
	}
}
