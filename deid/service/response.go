package service

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/lethe-deid/lethe/deid/service/wire"
)

// response collects the answer of a handler, so that the handler's slot is free before the answer is sent, and an error can
// replace it. If the handler calls Flush, the answer is sent as it comes.
//
// It offers handlers no more of http.ResponseWriter than that: connections and deadlines are the server's.
type response struct {
	to         http.ResponseWriter
	memory     *budget
	pace       pace
	unhindered func(send func()) // runs a function without the slot

	status    int // 0 until it is known
	body      bytes.Buffer
	held      int64 // bytes of memory
	eager     bool  // send without being asked what is more than a little
	loud      bool  // write errors with wire.FailLoudly
	streaming bool  // the header has been sent
	sent      int64 // bytes
	err       error // why the rest cannot be sent
}

// flushAt is the number of bytes after which an answer that is sent as it comes is sent without being asked.
const flushAt = 64 * kB

func (w *response) Header() http.Header { return w.to.Header() }

func (w *response) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *response) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	w.WriteHeader(http.StatusOK)
	w.memory.force(int64(len(p)))
	w.held += int64(len(p))
	w.body.Write(p)
	if (w.eager || w.streaming) && w.body.Len() >= flushAt {
		return len(p), w.FlushError()
	}
	return len(p), nil
}

// Flush sends what has been written so far.
func (w *response) Flush() { _ = w.FlushError() }

// FlushError sends what has been written so far. http.ResponseController calls it.
func (w *response) FlushError() error {
	if !w.streaming {
		w.WriteHeader(http.StatusOK)
		w.to.WriteHeader(w.status)
		w.streaming = true
	}
	w.unhindered(func() {
		if w.send(); w.err == nil {
			w.err = http.NewResponseController(w.to).Flush()
		}
	})
	return w.err
}

// send sends what is in the buffer.
func (w *response) send() {
	if w.err == nil {
		_ = http.NewResponseController(w.to).SetWriteDeadline(time.Now().Add(w.pace.time(w.body.Len()))) // every connection of net/http supports it
		var n int
		n, w.err = w.to.Write(w.body.Bytes())
		w.sent += int64(n)
	}
	w.empty()
}

// empty forgets what is in the buffer.
func (w *response) empty() {
	w.memory.give(w.held)
	w.held, w.body = 0, bytes.Buffer{}
}

// fail replaces the answer with an error. If a part has been sent, or nobody will receive it, nothing more is sent.
func (w *response) fail(err *wire.Error) {
	w.empty()
	if w.streaming || err == errGone {
		w.status, w.err = err.Status, err
		return
	}
	w.status = 0
	for _, name := range []string{"Content-Length", "Content-Disposition", "Content-Encoding", "Etag", "Last-Modified"} {
		w.Header().Del(name)
	}
	if w.loud {
		wire.FailLoudly(w, err)
		return
	}
	wire.Fail(w, err)
}

// retryAfter is the number of seconds after which a client should try again.
const retryAfter = "2"

// finish sends the rest of the answer.
func (w *response) finish() {
	if w.err == nil && !w.streaming {
		if w.status == http.StatusServiceUnavailable && w.Header().Get("Retry-After") == "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		if w.body.Len() > 0 && w.Header().Get("Content-Length") == "" {
			w.Header().Set("Content-Length", strconv.Itoa(w.body.Len()))
		}
		w.to.WriteHeader(w.status)
	}
	w.send()
}

// now sends the rest of the answer although the handler of http.Server goes on.
func (w *response) now() {
	w.finish()
	if w.streaming = true; w.err == nil {
		w.err = http.NewResponseController(w.to).Flush()
	}
}

// slot is the right of a request to be worked on.
type slot struct {
	gate *gate
	ctx  context.Context
	held bool
}

func (s *slot) enter() error {
	err := s.gate.enter(s.ctx)
	s.held = err == nil
	return err
}

func (s *slot) leave() {
	if s.held {
		s.gate.leave()
		s.held = false
	}
}

// without runs a function without the slot, and then waits for the next one. If the request ends before it gets one, it goes
// on without, because all that it can do then is to give up.
func (s *slot) without(f func()) {
	held := s.held
	s.leave()
	f()
	if held {
		s.held = s.gate.reenter(s.ctx) == nil
	}
}
