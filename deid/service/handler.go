package service

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/lethe-deid/lethe/deid/service/wire"
)

// exchange is a request and its answer.
type exchange struct {
	id       string
	route    string // the pattern of Routes, or noRoute
	start    time.Time
	took     time.Duration // until the answer was sent, if that was before its end; else 0
	request  *http.Request
	to       http.ResponseWriter
	response *response
	slot     slot
	received int  // bytes of the body
	invited  bool // the client may use the service, but its body has not been read
	open     bool // the body, which is of unknown length and may not end soon, has not been read
}

// noRoute is the route of requests that no pattern matches.
const noRoute = "none"

// ServeHTTP answers a request: it decides whether the client is let in, reads the body, waits for a slot, lets the handler
// work, and sends the answer.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{id: newID(), route: noRoute, start: time.Now(), request: r, to: w, slot: slot{gate: s.gate}, open: r.ContentLength < 0}
	x.response = &response{to: w, memory: &s.memory, pace: s.pace, unhindered: x.slot.without, loud: r.URL.Path == "/analyze"}
	s.headers(x)
	if err := s.answer(x); err != nil {
		s.fail(x, err)
	} else if x.response.status == http.StatusRequestEntityTooLarge { // its texts, which the handler has counted
		s.metrics.reject(errTooLarge.Code)
	}
	x.response.finish()
	s.record(x)
	if x.response.err != nil {
		s.metrics.aborted.Inc()
		panic(http.ErrAbortHandler) // closes the connection, so that what was sent does not look complete
	}
}

func newID() string {
	var id [8]byte
	_, _ = rand.Read(id[:]) // it never fails
	return hex.EncodeToString(id[:])
}

// headers sets the headers that every answer has.
func (s *Server) headers(x *exchange) {
	for name, value := range map[string]string{
		"X-Request-Id": x.id, "X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin",
		"Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
	} {
		x.response.Header().Set(name, value)
	}
	if s.stopping.Load() {
		x.response.Header().Set("Connection", "close")
	}
}

// answer lets the handler of a request answer, or returns the error that is the answer.
func (s *Server) answer(x *exchange) *wire.Error {
	if x.request.ContentLength != 0 { // a body that is never read is skipped by http.Server, which must not take forever either
		_ = http.NewResponseController(x.to).SetReadDeadline(x.start.Add(s.pace.patience))
	}
	routes, err := s.admit(x)
	if err != nil {
		return err
	}
	if s.isStream(x.request) {
		return s.stream(x, routes)
	}
	if x.works() && s.gate.full() {
		return errBusy
	}
	body, err := s.body(x.to, x.request)
	defer s.memory.give(int64(cap(body)))
	x.received = len(body)
	if err != nil {
		return err
	}
	x.invited, x.open = false, false
	return s.work(x, routes, body)
}

// works reports whether the request needs a slot.
func (x *exchange) works() bool {
	return x.request.Method != http.MethodGet && x.request.Method != http.MethodHead
}

// limited returns the context of a request with the limits that only handlers can enforce.
func (s *Server) limited(ctx context.Context) context.Context {
	return wire.WithTextLimit(ctx, s.config.Limits.Text)
}

// work waits for a slot, and lets the handler answer.
func (s *Server) work(x *exchange, routes *http.ServeMux, body []byte) *wire.Error {
	ctx, cancel := context.WithTimeout(s.limited(x.request.Context()), s.config.Limits.Time)
	defer cancel()
	x.slot.ctx = ctx
	if x.works() {
		if err := x.slot.enter(); errors.Is(err, errQueueFull) {
			return errBusy
		} else if err != nil {
			return x.ended()
		}
		defer x.slot.leave()
	}
	r := x.request.WithContext(ctx)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return s.handle(x, routes, r)
}

// admit returns the routes among which the request has its handler.
func (s *Server) admit(x *exchange) (*http.ServeMux, *wire.Error) {
	r := x.request
	if x.matches(s.probes) {
		return s.probes, nil
	}
	if err := s.access.site(r); err != nil {
		return nil, err
	}
	if x.matches(s.public) {
		return s.public, nil
	}
	if err := s.access.client(r); err != nil {
		if s.access.tokens != nil {
			x.response.Header().Set("WWW-Authenticate", "Bearer")
		}
		return nil, err
	}
	x.invited = true
	if x.matches(s.routes) {
		return s.routes, nil
	}
	for _, routes := range []*http.ServeMux{s.routes, s.public, s.probes} {
		h, _ := routes.Handler(r) // answers that the path or the method is unknown
		unknown := &discarded{header: http.Header{}}
		h.ServeHTTP(unknown, r)
		if unknown.status == http.StatusMethodNotAllowed {
			x.response.Header().Set("Allow", unknown.header.Get("Allow"))
			return nil, errWrongMethod
		}
	}
	return nil, errNotFound
}

// matches reports whether the request has a handler among these routes.
func (x *exchange) matches(routes *http.ServeMux) bool {
	if _, pattern := routes.Handler(x.request); pattern != "" {
		x.route = pattern
		return true
	}
	return false
}

// discarded is the answer of a handler that nobody receives.
type discarded struct {
	header http.Header
	status int
}

func (d *discarded) Header() http.Header         { return d.header }
func (d *discarded) Write(p []byte) (int, error) { return len(p), nil }
func (d *discarded) WriteHeader(status int)      { d.status = status }

// handle lets the handler answer, and returns an error if it does not.
func (s *Server) handle(x *exchange, routes *http.ServeMux, r *http.Request) *wire.Error {
	if !s.survives(x, routes, r) {
		return errInternal
	}
	switch status := x.response.status; {
	case r.Context().Err() == nil:
	case status == 0 || x.response.streaming: // it may have stopped early, and what it has sent must not look complete
		return x.ended()
	case status == http.StatusServiceUnavailable && x.request.Context().Err() != nil: // it does not know why it had to stop
		return errGone
	}
	if x.response.status == 0 {
		s.log.Error("a handler gave no answer", "id", x.id, "route", x.route)
		return errInternal
	}
	return nil
}

// survives calls the handler, and reports whether it came to its end. If not, the log says where the handler failed, but not
// why, because the reason may quote a note.
func (s *Server) survives(x *exchange, routes *http.ServeMux, r *http.Request) (ended bool) {
	defer func() {
		if recover() != nil {
			s.metrics.panics.Inc()
			s.log.Error("an error in the program", "id", x.id, "route", x.route, "place", place())
		}
	}()
	routes.ServeHTTP(x.response, r)
	return true
}

// ended returns the error for a request whose context has ended.
func (x *exchange) ended() *wire.Error {
	if x.request.Context().Err() != nil {
		return errGone
	}
	return errTimeout
}

// fail makes an error the answer, instead of what the handler has written.
func (s *Server) fail(x *exchange, err *wire.Error) {
	s.metrics.reject(err.Code)
	if x.open { // the client may wait for the answer before it sends more, so it gets the answer first
		_ = http.NewResponseController(x.to).EnableFullDuplex() // else http.Server reads the body first; HTTP/1 supports it
		x.response.Header().Set("Connection", "close")
		x.response.fail(err)
		x.response.now()
		x.took = time.Since(x.start)
	}
	if x.invited && err != errSlow && err != errIncomplete {
		s.discard(x.to, x.request)
	}
	if !x.open {
		x.response.fail(err)
	}
}

// record counts the exchange and logs it. The log never has anything that the client has sent.
func (s *Server) record(x *exchange) {
	took := cmp.Or(x.took, time.Since(x.start))
	s.metrics.answered(x.route, x.response.status, took)
	s.metrics.received.Add(float64(x.received))
	s.metrics.sent.Add(float64(x.response.sent))
	level := slog.LevelInfo
	if x.response.status >= 500 {
		level = slog.LevelWarn
	}
	if level == slog.LevelInfo && (s.config.Quiet || x.route == livez || x.route == readyz) {
		return
	}
	s.log.Log(context.Background(), level, "request", "id", x.id, "route", x.route, "status", x.response.status,
		"ms", float64(took.Microseconds())/1000, "received", x.received, "sent", x.response.sent)
}
