// Package service is the HTTP server of "lethe serve". It decides who may use the service and from where, limits what a client
// can take of the machine, counts, logs, and stops without losing a request. What the endpoints do is in the packages below it,
// whose handlers it mounts.
//
// The life of a request: the header Host and the origin are checked, then the token or certificate; the body is read into
// memory; the request waits for one of a limited number of slots; the handler works; the slot is free again, and the
// answer is sent. A slow client therefore occupies a connection and a little memory, but never a slot.
//
// No log, metric or error of this package contains anything that a client has sent.
package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Routes maps patterns of http.ServeMux, such as "POST /analyze", to their handlers.
//
// A handler receives a body that is in memory, and a context that ends when the client goes away or the time is over. If it
// then returns without an answer, the server answers. What it writes is sent when it returns, unless it calls Flush. Of
// requests other than GET and HEAD, only a limited number are handled at the same time. Handlers check the length of texts by
// wire.CheckTexts.
//
// Bodies of the type application/x-ndjson whose length is unknown, or larger than the limit, are streams: the handler receives
// the lines as they come, and can answer each before the next. Their number is limited separately, and their size and time
// are not limited.
type Routes map[string]http.Handler

// Server answers requests over HTTP.
type Server struct {
	config  Config
	at      address
	log     *slog.Logger
	metrics *Metrics
	access  *access
	gate    *gate // of requests that are worked on
	streams *gate // of open streams
	memory  budget
	pace    pace

	probes, public, routes *http.ServeMux

	stopping  atomic.Bool
	closing   context.Context // ends when streams must end
	close     context.CancelFunc
	reloading sync.Mutex
}

// Patterns of the server's own routes.
const (
	livez   = "GET /livez"
	readyz  = "GET /readyz"
	metrics = "GET /metrics"
)

// New checks the configuration and reads the files that it names.
func New(config Config) (*Server, error) {
	config, at, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	l := config.Limits
	s := &Server{config: config, at: at, log: newLogger(config.Log), metrics: newMetrics(config.Version), gate: newGate(l.Concurrent, l.Queue), streams: newGate(l.Streams, 0),
		memory: budget{limit: l.Memory}, pace: pace{l.Patience, l.Rate}, probes: http.NewServeMux(), public: http.NewServeMux(), routes: http.NewServeMux()}
	s.closing, s.close = context.WithCancel(context.Background())
	s.access, err = newAccess(config, at, func(err error) {
		s.log.Error("a file has changed and cannot be used; the service keeps its old content", "error", err.Error())
	})
	if err != nil {
		return nil, err
	}
	s.probes.HandleFunc(livez, s.live)
	s.probes.HandleFunc(readyz, s.ready)
	s.routes.Handle(metrics, s.metrics.handler())
	s.metrics.gauge("lethe_http_in_flight", "Requests that are being worked on, without streams.", func() int64 { return int64(len(s.gate.slots)) })
	s.metrics.gauge("lethe_http_queue_length", "Requests that wait for their turn.", func() int64 { return int64(len(s.gate.queue)) })
	s.metrics.gauge("lethe_http_streams", "Open streams.", func() int64 { return int64(len(s.streams.slots)) })
	s.metrics.gauge("lethe_http_memory_bytes", "Bytes of bodies, and of answers that are not sent yet.", s.memory.used.Load)
	return s, nil
}

// Mount adds handlers. It must be called before Run.
func (s *Server) Mount(routes Routes) { mount(s.routes, routes) }

// MountPublic adds handlers for clients that need not prove who they are. They are for pages that contain no data, such as the
// one that asks for the token.
func (s *Server) MountPublic(routes Routes) { mount(s.public, routes) }

func mount(to *http.ServeMux, routes Routes) {
	for pattern, h := range routes {
		to.Handle(pattern, h)
	}
}

// Metrics returns the counters of the server, for what only the handlers know.
func (s *Server) Metrics() *Metrics { return s.metrics }

// live answers that the process runs.
func (s *Server) live(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") }

// ready answers whether the service should get requests. It is created after its models are open, so this is so until it stops.
func (s *Server) ready(w http.ResponseWriter, _ *http.Request) {
	if s.stopping.Load() {
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintln(w, "stopping")
		return
	}
	fmt.Fprintln(w, "ok")
}

// Reload reads the models again, as Config.Reload does. If that fails, the log says why.
func (s *Server) Reload() {
	if s.config.Reload == nil {
		return
	}
	s.reloading.Lock()
	defer s.reloading.Unlock()
	if err := s.config.Reload(); err != nil {
		s.metrics.reloads.WithLabelValues("failed").Inc()
		s.log.Error("the models cannot be read again; the old ones stay in use", "error", err.Error())
		return
	}
	s.metrics.reloads.WithLabelValues("done").Inc()
	s.log.Info("the models have been read again")
}

// Run serves until ctx is cancelled. It then says on /readyz that it stops, continues for the time of Config.Drain, accepts
// no more connections, and waits for the requests that are being worked on. It returns nil if all of them got their answer.
func (s *Server) Run(ctx context.Context) error {
	l, err := s.listen()
	if err != nil {
		return err
	}
	return s.serve(ctx, l)
}

// listen opens the address.
func (s *Server) listen() (net.Listener, error) {
	if s.at.network == "unix" {
		if err := removeStale(s.at.at); err != nil {
			return nil, err
		}
	}
	l, err := net.Listen(s.at.network, s.at.at)
	if err != nil {
		return nil, fmt.Errorf("cannot %w", err)
	}
	if s.at.network == "unix" {
		if err := os.Chmod(s.at.at, 0o600); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// removeStale removes a socket that a server left behind, so that nobody answers on it.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Type() != os.ModeSocket {
		return nil // if it is another file, listening fails
	}
	if conn, err := net.Dial("unix", path); err == nil {
		_ = conn.Close() // it was only a question
		return fmt.Errorf("another service listens on %s", path)
	}
	return os.Remove(path)
}

// serve answers the requests of a listener, as Run describes.
func (s *Server) serve(ctx context.Context, l net.Listener) error {
	open := limitConnections(l, s.config.Limits.Connections, s.config.Limits.grace, func() { s.metrics.reject("connections") })
	s.metrics.gauge("lethe_http_connections", "Open connections.", func() int64 { return int64(open.count()) })
	h := &http.Server{
		Handler:                      s,
		DisableGeneralOptionsHandler: true,
		ReadHeaderTimeout:            s.config.Limits.Patience,
		WriteTimeout:                 s.config.Limits.Time, // of what http.Server itself answers; see response.send for the others
		IdleTimeout:                  s.config.Limits.Idle,
		MaxHeaderBytes:               s.config.Limits.Header,
		ConnState:                    open.changed,
		ErrorLog:                     errorLog(s.log),
		Protocols:                    new(http.Protocols),
	}
	h.Protocols.SetHTTP1(true) // HTTP/2 would need limits of its own
	failed := make(chan error, 1)
	go func() {
		if s.access.tls != nil {
			h.TLSConfig = s.access.config()
			failed <- h.ServeTLS(open, "", "")
		} else {
			failed <- h.Serve(open)
		}
	}()
	s.log.Info("listening", "address", l.Addr().String(), "tls", s.access.tls != nil, "token", s.access.tokens != nil, "client_certificates", s.access.clients)
	if !s.at.local && s.access.tls == nil {
		s.log.Warn("other machines can reach the service, and what clients send travels without encryption: use TLS here or in a proxy")
	}
	if !s.at.local && s.access.tokens == nil && !s.access.clients {
		s.log.Warn("everybody who can reach the service may use it: give it tokens or an authority for certificates of clients")
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return s.drain(h)
	}
}

// drain stops the server.
func (s *Server) drain(h *http.Server) error {
	s.stopping.Store(true)
	s.log.Info("stopping", "drain", s.config.Drain.String())
	time.Sleep(s.config.Drain)
	s.close()
	ctx, cancel := context.WithTimeout(context.Background(), s.config.Limits.Time+s.config.Limits.Patience)
	defer cancel()
	if err := h.Shutdown(ctx); err != nil {
		_ = h.Close() // the connections are given up
		return errors.New("some requests did not end in time, and were cut off")
	}
	s.log.Info("stopped")
	return nil
}
