package service

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/lethe-deid/lethe/deid/service/wire"
)

// isStream reports whether the handler must receive the body as it comes. If the body is known to fit into memory, it is read
// first, like all others, because many clients send everything before they read.
func (s *Server) isStream(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/x-ndjson" && (r.ContentLength < 0 || r.ContentLength > s.config.Limits.Body)
}

// stream lets the handler answer a stream.
func (s *Server) stream(x *exchange, routes *http.ServeMux) *wire.Error {
	if err := refuseEncoded(x.request); err != nil {
		return err
	}
	if s.streams.enter(x.request.Context()) != nil {
		return errBusy
	}
	defer s.streams.leave()
	x.invited, x.open = false, false
	control := http.NewResponseController(x.to)
	if err := control.EnableFullDuplex(); err != nil {
		return errInternal // HTTP/1 supports it
	}
	// http.Server ends the context of the request also if the client only pauses too long; the lines that it has sent are
	// answered all the same.
	ctx, cancel := context.WithCancel(s.limited(context.WithoutCancel(x.request.Context())))
	defer cancel()
	x.slot.ctx = ctx
	x.response.eager = true
	body := &streamBody{server: s, request: x.request, control: control, gone: cancel}
	defer context.AfterFunc(s.closing, func() { _ = control.SetReadDeadline(time.Now()) })()
	r := x.request.WithContext(ctx)
	r.Body = body
	err := s.handle(x, routes, r)
	x.received = int(body.received.Load())
	return err
}

// streamBody is the body of a stream.
type streamBody struct {
	server   *Server
	request  *http.Request
	control  *http.ResponseController
	gone     context.CancelFunc
	received atomic.Int64
}

var errStopping = errors.New("the service stops")

// Read waits for the next bytes, as long as the client does not pause too long and the server does not stop.
func (b *streamBody) Read(p []byte) (int, error) {
	_ = b.control.SetReadDeadline(time.Now().Add(b.server.config.Limits.Idle)) // every connection of net/http supports it
	if b.server.closing.Err() != nil {
		return 0, errStopping
	}
	n, err := b.request.Body.Read(p)
	b.received.Add(int64(n))
	if err == io.EOF {
		_ = b.control.SetReadDeadline(time.Time{}) // from now on, http.Server reads only to see whether the client goes away
		context.AfterFunc(b.request.Context(), b.gone)
	} else if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		b.gone()
	}
	return n, err
}

func (b *streamBody) Close() error { return b.request.Body.Close() }
