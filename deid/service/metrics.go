package service

import (
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics counts what a server does, for Prometheus. No label contains anything that a client has sent.
type Metrics struct {
	registry *prometheus.Registry
	types    sync.Map // names of types

	requests                 *prometheus.CounterVec   // by route, status
	seconds                  *prometheus.HistogramVec // by route
	rejected, reloads, spans *prometheus.CounterVec   // by reason; by result; by type
	received, sent, notes    prometheus.Counter
	panics, aborted          prometheus.Counter
}

// otherType is the label of spans whose type Metrics.Types does not list.
const otherType = "other"

func newMetrics(version string) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	counter := func(name, help string) prometheus.Counter {
		c := prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
		m.registry.MustRegister(c)
		return c
	}
	by := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
		m.registry.MustRegister(c)
		return c
	}
	m.requests = by("lethe_http_requests_total", "Requests that were answered, by route and status.", "route", "status")
	m.rejected = by("lethe_http_rejected_total", "Requests and connections that were refused before they were worked on, by reason.", "reason")
	m.received = counter("lethe_http_received_bytes_total", "Bytes of the bodies of requests.")
	m.sent = counter("lethe_http_sent_bytes_total", "Bytes of the bodies of answers.")
	m.panics = counter("lethe_http_panics_total", "Requests that failed because of an error in the program.")
	m.aborted = counter("lethe_http_aborted_total", "Requests whose client went away, or was too slow to receive the answer.")
	m.notes = counter("lethe_notes_total", "Notes that were examined.")
	m.spans = by("lethe_spans_total", "Spans of PHI that were found, by type.", "type")
	m.reloads = by("lethe_model_reloads_total", "Times that the models were read again, by result.", "result")
	m.seconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "lethe_http_request_seconds", Help: "Time from the headers of a request to the end of its answer, by route.",
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300}}, []string{"route"})
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: "lethe_build_info", Help: "Always 1; the labels describe the program.",
		ConstLabels: prometheus.Labels{"version": version, "go": runtime.Version()}})
	build.Set(1)
	m.registry.MustRegister(m.seconds, build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// gauge adds a value that is read when somebody asks for the metrics.
func (m *Metrics) gauge(name, help string, value func() int64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(value()) }))
}

// Types names types of PHI that are counted one by one.
func (m *Metrics) Types(names ...string) {
	for _, name := range names {
		m.types.Store(name, true)
	}
}

// Found counts notes that were examined, and the spans of PHI in them by type. Types that Types does not name are counted
// together, because clients can invent types.
func (m *Metrics) Found(notes int, spans map[string]int) {
	m.notes.Add(float64(notes))
	for typ, n := range spans {
		if _, ok := m.types.Load(typ); !ok {
			typ = otherType
		}
		m.spans.WithLabelValues(typ).Add(float64(n))
	}
}

// answered counts a request.
func (m *Metrics) answered(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}

// reject counts a request or a connection that was refused.
func (m *Metrics) reject(reason string) { m.rejected.WithLabelValues(reason).Inc() }

func (m *Metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
