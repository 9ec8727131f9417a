package service

import (
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/lethe-deid/lethe/deid/service/wire"
)

var (
	errTooLarge    = &wire.Error{Status: http.StatusRequestEntityTooLarge, Code: "too_large", Message: "The body is larger than this service allows."}
	errEncoded     = &wire.Error{Status: http.StatusUnsupportedMediaType, Code: "content_encoding", Message: "The body must not be compressed."}
	errSlow        = &wire.Error{Status: http.StatusRequestTimeout, Code: "too_slow", Message: "The body arrived too slowly."}
	errIncomplete  = &wire.Error{Status: http.StatusBadRequest, Code: "incomplete", Message: "The body ended early."}
	errMemory      = &wire.Error{Status: http.StatusServiceUnavailable, Code: "memory", Message: "The service has no memory left for this request. Try again later."}
	errBusy        = &wire.Error{Status: http.StatusServiceUnavailable, Code: "busy", Message: "Too many requests are waiting. Try again later."}
	errTimeout     = &wire.Error{Status: http.StatusServiceUnavailable, Code: "timeout", Message: "The request took longer than this service allows."}
	errInternal    = &wire.Error{Status: http.StatusInternalServerError, Code: "failed", Message: "The request failed because of an error in the program; see the log of the service."}
	errNotFound    = &wire.Error{Status: http.StatusNotFound, Code: "not_found", Message: "There is nothing at this path."}
	errWrongMethod = &wire.Error{Status: http.StatusMethodNotAllowed, Code: "method", Message: "This path does not allow the method; see the header Allow."}
	// errGone is the answer to a client that has gone. It is only counted and logged, with a status that other servers use for
	// the same purpose.
	errGone = &wire.Error{Status: 499, Code: "gone", Message: "The client has gone."}
)

// pace is how fast a client must send or receive: n bytes may take patience, and n/rate seconds in addition.
type pace struct {
	patience time.Duration
	rate     int
}

func (p pace) time(bytes int) time.Duration {
	return p.patience + time.Duration(float64(bytes)/float64(p.rate)*float64(time.Second))
}

// body reads the body of a request into memory that the budget allows. The caller must give the memory back, also after an
// error: its size is the capacity of the slice.
//
// No slot is taken yet, so slow clients are in nobody's way. If the body is not read to its end, the deadline for reading stays,
// since http.Server reads what is left.
func (s *Server) body(w http.ResponseWriter, r *http.Request) ([]byte, *wire.Error) {
	if err := refuseEncoded(r); err != nil {
		return nil, err
	}
	limit := s.config.Limits.Body
	switch {
	case r.ContentLength == 0:
		return nil, nil
	case r.ContentLength > limit:
		return nil, errTooLarge
	}
	control, start := http.NewResponseController(w), time.Now()
	var body []byte
	for {
		if len(body) == cap(body) {
			size := nextSize(int64(cap(body)), r.ContentLength, limit)
			if !s.memory.take(size - int64(cap(body))) {
				return body, errMemory
			}
			body = append(make([]byte, 0, size), body...)
		}
		_ = control.SetReadDeadline(start.Add(s.pace.time(len(body)))) // every connection of net/http supports it
		n, err := r.Body.Read(body[len(body):min(cap(body), len(body)+64*kB)])
		body = body[:len(body)+n]
		switch {
		case int64(len(body)) > limit:
			return body, errTooLarge
		case err == io.EOF:
			_ = control.SetReadDeadline(time.Time{}) // from now on, http.Server reads only to see whether the client goes away
			return body, nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			return body, errSlow
		case err != nil:
			return body, errIncomplete
		}
	}
}

// refuseEncoded returns an error if the body is compressed.
func refuseEncoded(r *http.Request) *wire.Error {
	if kind := r.Header.Get("Content-Encoding"); kind != "" && !strings.EqualFold(kind, "identity") {
		return errEncoded
	}
	return nil
}

// nextSize returns the size of a buffer for a body after it is full. There is always a byte more than the body has, so that
// the end of the body can be read.
func nextSize(size, length, limit int64) int64 {
	size = max(2*size, 4*kB)
	if length >= 0 {
		size = min(size, length+1)
	}
	return min(size, limit+1)
}

// discard reads what is left of a body that is refused, so that the client, which may send everything before it reads, gets
// the answer. It gives up after some time.
func (s *Server) discard(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Expect") != "" {
		return // the client waits before it sends the body
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.pace.patience))
	_, _ = io.CopyN(io.Discard, r.Body, 4*s.config.Limits.Body) // it is only a courtesy
}
