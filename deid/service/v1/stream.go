package v1

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sync/semaphore"

	"github.com/lethe-deid/lethe/deid/service/wire"
)

const (
	maxLine  = 16 << 20    // bytes of a line of a stream
	pipeline = 32          // lines of a stream that are worked on at the same time
	backlog  = 2 * maxLine // bytes of these lines
)

// failure is the answer to a line that has no other.
type failure struct {
	ID    wire.ID `json:"id,omitempty"`
	Line  int     `json:"line"` // from 1
	Error string  `json:"error"`
}

// stream answers each line of a stream with a line, in order, as soon as it is done. A line with text is answered with its note, and one with
// notes with a whole response. Lines know nothing of each other.
func (c Config) stream(w http.ResponseWriter, r *http.Request) {
	flow := http.NewResponseController(w)
	_ = flow.EnableFullDuplex() // HTTP/2 needs none, and a test's writer has none
	w.Header().Set("Content-Type", "application/x-ndjson")
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	answers := make(chan pending, pipeline)
	room := semaphore.NewWeighted(backlog)
	go c.readLines(ctx, r.Body, room, answers)
	empty := true
	for next := range answers {
		empty = false
		if wire.WriteLine(w, <-next.answer) != nil || len(answers) == 0 && flow.Flush() != nil {
			return
		}
		room.Release(next.bytes)
	}
	if empty && r.Context().Err() == nil {
		w.WriteHeader(http.StatusOK)
	}
}

// pending is a line that is worked on.
type pending struct {
	answer chan any
	bytes  int64
}

// readLines starts the work on each line when there is room for it, and sends where its answer will come from.
func (c Config) readLines(ctx context.Context, body io.Reader, room *semaphore.Weighted, answers chan<- pending) {
	defer close(answers)
	in := bufio.NewReaderSize(body, 64<<10)
	for number := 1; ; number++ {
		line, err := readLine(in)
		ended := err != nil && !errors.Is(err, errTooLong)
		if err == io.EOF && len(bytes.TrimSpace(line)) == 0 {
			return
		}
		if err == nil && len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if room.Acquire(ctx, int64(len(line))) != nil {
			return
		}
		next := make(chan any, 1)
		select {
		case answers <- pending{next, int64(len(line))}:
		case <-ctx.Done():
			return
		}
		switch {
		case err != nil && err != io.EOF:
			next <- failure{Line: number, Error: reasonOf(err)}
		default:
			go func() { next <- c.line(ctx, line, number) }()
		}
		if ended {
			return
		}
	}
}

var errTooLong = errors.New("the line is too long")

// readLine returns the next line. A line that is too long is skipped.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > maxLine; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
		case tooLong && (err == nil || err == io.EOF):
			return nil, errTooLong
		default:
			return line, err
		}
	}
}

// reasonOf says why a line could not be read.
func reasonOf(err error) string {
	if errors.Is(err, errTooLong) {
		return "The line is longer than 16 MiB."
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return "The body is larger than the server allows. The rest of it was not read."
	}
	return "The body ended early."
}

// idOf returns the id of a line that is no request, for example because of another key, or an empty one if it has none.
func idOf(raw []byte) wire.ID {
	var line struct {
		ID wire.ID `json:"id"`
	}
	if json.Unmarshal(raw, &line, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return wire.ID{}
	}
	return line.ID
}

// line answers a line.
func (c Config) line(ctx context.Context, raw []byte, number int) (body any) {
	var q request
	defer func() {
		if recover() != nil {
			body = failure{ID: q.ID, Line: number, Error: "The line could not be examined, because of a defect of the program."}
		}
	}()
	if !utf8.Valid(raw) {
		return failure{Line: number, Error: "The line is not valid UTF-8."}
	}
	if err := wire.Unmarshal(raw, &q); err != nil {
		return failure{idOf(raw), number, err.Error()}
	}
	_, all, err := c.answer(ctx, &q)
	switch {
	case err != nil:
		return failure{q.ID, number, err.Error()}
	case q.Notes != nil:
		return all
	case all.Notes[0].Error != "":
		return failure{q.ID, number, all.Notes[0].Error}
	}
	return all.Notes[0]
}
