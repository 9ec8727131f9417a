package job

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/lethe-deid/lethe/deid/engine"
)

// TestWorkerKeepsTheOrder checks that each request is answered once, in order, however the input is cut into reads.
func TestWorkerKeepsTheOrder(t *testing.T) {
	w, err := NewWorker(Config{Options: engine.Options{Model: "en"}}, Events{})
	if err != nil {
		t.Fatal(err)
	}
	var requests, want strings.Builder
	for i := range 300 {
		if i%3 == 0 {
			fmt.Fprintf(&requests, "{\"id\":%d,\"patient\":\"%d\",\"notes\":[{\"text\":\"Stable.\"}]}\n", i, i/10)
			fmt.Fprintf(&want, "{\"id\":%d,\"notes\":[{\"text\":\"Stable.\"}]}\n", i)
			continue
		}
		fmt.Fprintf(&requests, "{\"id\":%d,\"patient\":\"%d\",\"text\":\"Stable.\"}\n", i, i/10)
		fmt.Fprintf(&want, "{\"id\":%d,\"patient\":null,\"text\":\"Stable.\"}\n", i)
	}
	for name, in := range map[string]io.Reader{
		"whole": strings.NewReader(requests.String()),
		"half":  iotest.HalfReader(strings.NewReader(requests.String())),
		"bytes": iotest.OneByteReader(strings.NewReader(requests.String())),
	} {
		var out bytes.Buffer
		if err := w.Serve(context.Background(), in, true, &out); err != nil || out.String() != want.String() {
			t.Errorf("%s: %v, %d answers", name, err, strings.Count(out.String(), "\n"))
		}
	}
}

// The number of a patient that a request names once, beside its notes, stayed in them. In the line of a single note it did not.
func TestPatientOfARequestIsLookedForInItsNotes(t *testing.T) {
	w, err := NewWorker(Config{Options: engine.Options{Model: "en"}}, Events{})
	if err != nil {
		t.Fatal(err)
	}
	const text = "Ferritin 77812 stable."
	var answers [2]bytes.Buffer
	for i, request := range []string{
		`{"id":1,"patient":77812,"notes":[{"text":"` + text + `"}]}`,
		`{"id":1,"patient":77812,"text":"` + text + `"}`,
	} {
		if err := w.Serve(context.Background(), strings.NewReader(request+"\n"), true, &answers[i]); err != nil {
			t.Fatal(err)
		}
		if answer := answers[i].String(); strings.Contains(answer, "77812") || !strings.Contains(answer, " stable.") {
			t.Errorf("%s: %s", request, answer)
		}
	}
}
