package surrogate

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// A date that was read before is read again to the same, by several goroutines, and however many others were
// read in between.
func TestDatesAreReadTheSameAgain(t *testing.T) {
	m, err := New(Options{Key: []byte("0123456789abcdef")})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 2 * maxRecent {
				text := fmt.Sprintf("%d/%d/20%02d", 1+i%12, 1+i%28, i%100)
				if has, only := m.HasYear(text); !has || only {
					t.Errorf("%s: has a year %v, only a year %v", text, has, only)
				}
				if has, only := m.HasYear("2019"); !has || !only {
					t.Error("2019 is not a year")
				}
				if has, _ := m.HasYear(fmt.Sprintf("no date %d", i)); has {
					t.Error("no date has a year")
				}
			}
		})
	}
	wg.Wait()
}

// A cached date once kept the whole note in memory that it was read from.
func TestCachedDatesDoNotKeepNotes(t *testing.T) {
	m, err := New(Options{Key: []byte("0123456789abcdef")})
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range 300 {
		note := strings.Repeat("x", 100_000) + fmt.Sprintf(" %d/%d/20%02d", 1+i%12, 1+i%28, i%100)
		m.HasYear(note[100_001:])
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 5_000_000 {
		t.Errorf("the cache holds %d bytes", grown)
	}
	runtime.KeepAlive(m)
}
