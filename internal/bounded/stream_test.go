package bounded

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
)

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestStreams(t *testing.T) {
	if _, err := ReadAll(endless{}, 1000); !errors.Is(err, ErrTooLarge) {
		t.Errorf("all of an endless stream: %v", err)
	}
	if raw, err := ReadAll(strings.NewReader("abc"), 3); err != nil || string(raw) != "abc" {
		t.Errorf("%q, %v", raw, err)
	}
	if _, err := ReadLine(bufio.NewReader(endless{}), 100_000); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a line of an endless stream: %v", err)
	}
	long := strings.Repeat("x", 9999)
	in := bufio.NewReader(strings.NewReader("a\n\n" + long + "\nend"))
	for _, want := range []string{"a\n", "\n", long + "\n"} {
		if line, err := ReadLine(in, 10_000); err != nil || string(line) != want {
			t.Errorf("%d bytes, %v", len(line), err)
		}
	}
	if line, err := ReadLine(in, 3); err != io.EOF || string(line) != "end" {
		t.Errorf("%q, %v", line, err)
	}
}
