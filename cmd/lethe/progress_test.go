package main

import (
	"io"
	"os"
	"testing"
	"time"
)

// An epoch of many minutes printed nothing if stderr was a file.
func TestLongEpochsWereSilent(t *testing.T) {
	stderr := os.Stderr
	t.Cleanup(func() { os.Stderr = stderr })
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	os.Stderr = w
	p := &progress{}
	p.show("epoch 1", 10, 100)
	p.show("epoch 1", 20, 100)
	p.told = p.told.Add(-2 * silence)
	p.show("epoch 1", 30, 100)
	p.show("epoch 1", 40, 100)
	p.show("epoch 2", 10, 100)
	p.told = time.Time{}
	p.show("epoch 2", 20, 0)
	os.Stderr = stderr
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if want := "epoch 1: 30 of 100\nepoch 2: 20\n"; string(got) != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}
