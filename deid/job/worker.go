package job

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/field"
	"github.com/lethe-deid/lethe/deid/notefile"
	"github.com/lethe-deid/lethe/models"
)

// Worker de-identifies notes that another program sends as lines of JSON, and answers each line with a line, as "lethe
// worker" does. It is for programs that distribute notes themselves, such as Spark. docs/clusters.md describes the lines.
type Worker struct {
	run           *run
	options       notefile.Options
	notes, failed int
}

// NewWorker opens the model and everything else that a worker needs. The format of the notes is jsonl. The fields of the
// Config about inputs and outputs do not apply: Inputs, Output, Shard, Marked, Map, Audit, Resume and others. events.Warn
// receives what the user should know; the other callbacks are not used.
func NewWorker(config Config, events Events) (*Worker, error) {
	config.Format = "jsonl"
	c, err := config.check()
	if err != nil {
		return nil, err
	}
	if c.fieldsUse(field.Hash) && c.KeyFile == "" {
		return nil, optionError(errors.New("--field with hash requires a --key-file: other workers must make the same pseudonyms"))
	}
	r, _, err := c.begin(true, events)
	if err != nil {
		return nil, err
	}
	return &Worker{run: r, options: c.optionsFor(c.format)}, nil
}

// Serve reads requests until the end of in, and writes an answer to each, in their order. It writes the answers to all
// complete lines that it has read before it waits for more. If live is false, reading from in never waits, as with a
// file.
//
// If ctx is cancelled, Serve answers the requests that it has read, and returns the error of ctx. If some notes could not be
// examined, it returns a [*models.Unexamined] at the end.
func (w *Worker) Serve(ctx context.Context, in io.Reader, live bool, out io.Writer) error {
	from := &inbox{worker: w, requests: make(chan *request, readAhead)}
	go from.fill(in, live)
	for ctx.Err() == nil && !from.ended {
		for batch := range data.Batches(from.burst(ctx), (*request).size) {
			if err := w.answer(context.WithoutCancel(ctx), batch, out); err != nil {
				return unwritable(Stdio, err)
			}
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case from.err != nil:
		return fmt.Errorf("stdin: cannot be read: %w", from.err)
	case w.failed > 0:
		return &models.Unexamined{Failed: w.failed, Notes: w.notes}
	}
	w.run.warnOfShort()
	if w.run.known != nil && !w.run.knew && w.notes > 0 {
		w.run.events.warn(fmt.Errorf("%s: matches none of the notes: does it use the same patients and ids?", strings.Join(w.run.config.Known, ", ")))
	}
	return nil
}

// answer writes the answers to requests.
func (w *Worker) answer(ctx context.Context, batch []*request, out io.Writer) error {
	var all []*result
	var notes []deid.Note
	for _, q := range batch {
		for _, e := range q.entries {
			for _, n := range e.notes {
				all, notes = append(all, n), append(notes, n.note)
			}
		}
	}
	for i, done := range w.run.engine.Notes(ctx, notes) {
		all[i].conclude(done, false)
	}
	var answers bytes.Buffer
	for _, q := range batch {
		answers.Write(w.line(q))
		answers.WriteByte('\n')
	}
	_, err := out.Write(answers.Bytes())
	return err
}

// line returns the answer to a request, without a line end.
func (w *Worker) line(q *request) []byte {
	switch {
	case q.hello:
		return encoded(map[string]any{"hello": Hello{"lethe", w.run.config.Version, w.run.modelDigest, w.run.configDigest}})
	case q.err != nil:
		w.notes, w.failed = w.notes+1, w.failed+1
		return encoded(failure{q.id, q.line, q.err.Error()})
	case !q.whole:
		return w.entry(q, q.entries[0])
	}
	answer := struct {
		ID    json.RawMessage   `json:"id,omitempty"`
		Notes []json.RawMessage `json:"notes"`
	}{q.id, []json.RawMessage{}}
	for _, e := range q.entries {
		answer.Notes = append(answer.Notes, w.entry(q, e))
	}
	return encoded(answer)
}

// Hello is the answer of a worker to {"hello":true}. Workers with equal answers give the same output.
type Hello struct {
	Program string `json:"program"` // lethe
	Version string `json:"version"` // version of the program
	Model   string `json:"model"`   // digest of the model, as in the audit
	Config  string `json:"config"`  // digest of the options, as in the audit
}

// failure is the answer to a note or a request that could not be examined.
type failure struct {
	ID    json.RawMessage `json:"id,omitempty"`
	Line  int             `json:"line"`
	Error string          `json:"error"`
}

// entry returns a de-identified object, or the reason why there is none.
func (w *Worker) entry(q *request, e *entry) []byte {
	w.notes++
	err := e.err
	if failed := slices.IndexFunc(e.notes, func(n *result) bool { return n.err != nil }); failed >= 0 {
		err = &data.Error{Path: workerInput.in, Line: q.line, Offset: -1, Reason: "a note cannot be examined", Err: e.notes[failed].err}
	}
	var raw []byte
	if err == nil {
		raw, err = e.encode()
	}
	if err != nil {
		w.failed++
		return encoded(failure{w.idOf(e.raw), q.line, err.Error()})
	}
	return bytes.TrimSpace(raw)
}

// encoded returns a value as JSON without escapes for HTML.
func encoded(value any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err) // the values are strings, numbers, and JSON that was parsed
	}
	return bytes.TrimSpace(b.Bytes())
}

// readAhead is the number of requests that are read while others are processed.
const readAhead = 64

// inbox receives the requests of a worker.
type inbox struct {
	worker   *Worker
	requests chan *request // nil means that all complete lines of the input so far have been sent
	err      error         // why the input ended; set before requests is closed
	ended    bool          // all requests have been received
}

// burst yields requests until no more are available.
func (b *inbox) burst(ctx context.Context) iter.Seq[*request] {
	return func(yield func(*request) bool) {
		received := false
		for {
			q, ok := b.next(ctx)
			switch {
			case !ok:
				return
			case q != nil:
				received = true
				if !yield(q) {
					return
				}
			case received && len(b.requests) == 0:
				return
			}
		}
	}
}

// next returns the next request, or nil if the input pauses. If ctx is cancelled, it returns only what has been read.
func (b *inbox) next(ctx context.Context) (q *request, ok bool) {
	select {
	case q, ok = <-b.requests:
	default:
		select {
		case q, ok = <-b.requests:
		case <-ctx.Done():
			return nil, false
		}
	}
	b.ended = !ok
	return q, ok
}

// fill reads requests from in and sends them.
func (b *inbox) fill(in io.Reader, live bool) {
	defer close(b.requests)
	from := newLineReader(in)
	for number := 1; ; number++ {
		if live && !from.ready() {
			b.requests <- nil
		}
		raw, err := from.next()
		if err != nil && err != errTooLong {
			if err != io.EOF {
				b.err = err
			}
			return
		}
		switch {
		case err != nil:
			b.requests <- &request{line: number, err: defect(number, err.Error())}
		case len(bytes.TrimSpace(raw)) > 0:
			b.requests <- b.worker.request(raw, number)
		}
	}
}
