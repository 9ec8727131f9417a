package service

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"time"
)

// DefaultListen is where a server listens by default.
const DefaultListen = "127.0.0.1:5002"

// Config describes a server. The zero value of a field means its default.
type Config struct {
	// Listen is an IP address or localhost, with a port (":5002" means all addresses of the machine), or "unix:" and the
	// path of a socket. Default DefaultListen. An address that other machines can reach requires TokenFile, TLSClientCA or
	// InsecureNoAuth.
	Listen string
	// Hosts are names that requests may have in the header Host. On loopback, localhost and the addresses of loopback are
	// allowed as well; elsewhere, any name is allowed by default.
	Hosts []string

	TokenFile      string // file with tokens, one per line; requests must have one of them. Default none
	TLSCert        string // PEM file with the certificate of the server and its chain; default: no TLS
	TLSKey         string // PEM file with its private key
	TLSClientCA    string // PEM file with the authorities whose certificates clients must have; requires TLS. Default: any client
	InsecureNoAuth bool   // let everybody use the service, also from other machines

	Limits Limits
	// Drain is how long the server continues to accept connections after it was told to stop, while /readyz says that it
	// is not ready, so that load balancers notice. Default 10s, and on loopback and sockets 0; negative means 0.
	Drain time.Duration

	Version string       // version of the program, for the metrics
	Log     io.Writer    // receives a JSON object per line; default stderr
	Quiet   bool         // log no line for a request that succeeded
	Reload  func() error // reads the models again; if it fails, the old ones must stay in use. Default: nothing to do
}

// Limits says how much a server accepts. The zero value of a field means its default.
type Limits struct {
	Body        int64         // bytes of a request's body; default 64 MB (1 MB is 2^20 bytes)
	Text        int           // characters (code points) of the texts of a request, or of a line of a stream; default 10 million
	Header      int           // bytes of a request's headers; default 64 kB
	Memory      int64         // bytes of all bodies and of all answers that are not sent yet; at least Body; default 512 MB, or Body if that is more
	Connections int           // open connections; beyond it, the one that has been idle longest is closed. Default 2048
	Concurrent  int           // requests that are worked on at the same time; default 16 per core
	Queue       int           // requests that wait for their turn; default 1024
	Streams     int           // open streams; default 32
	Time        time.Duration // from when the body has arrived until the answer is ready; default 5m
	Idle        time.Duration // of a connection between two requests, and of a stream between two reads; default 2m
	Patience    time.Duration // for headers to arrive, and for bodies and answers in addition to their time at Rate; default 10s
	grace       time.Duration // of a connection before it can be closed to make room; default 1s
	Rate        int           // bytes per second at which clients must send bodies and receive answers; default 64 kB
}

const (
	kB = 1 << 10
	mB = 1 << 20
)

// DefaultLimits returns the limits of a server whose Config has none.
func DefaultLimits() Limits { return Limits{}.withDefaults() }

func (l Limits) withDefaults() Limits {
	l.Body = cmp.Or(l.Body, 64*mB)
	l.Text = cmp.Or(l.Text, 10_000_000)
	l.Header = cmp.Or(l.Header, 64*kB)
	l.Memory = cmp.Or(l.Memory, max(512*mB, l.Body))
	l.Connections = cmp.Or(l.Connections, 2048)
	l.Concurrent = cmp.Or(l.Concurrent, 16*runtime.GOMAXPROCS(0))
	l.Queue = cmp.Or(l.Queue, 1024)
	l.Streams = cmp.Or(l.Streams, 32)
	l.Time = cmp.Or(l.Time, 5*time.Minute)
	l.Idle = cmp.Or(l.Idle, 2*time.Minute)
	l.Patience = cmp.Or(l.Patience, 10*time.Second)
	l.grace = cmp.Or(l.grace, time.Second)
	l.Rate = cmp.Or(l.Rate, 64*kB)
	return l
}

// withDefaults checks the configuration and fills in its defaults.
func (c Config) withDefaults() (Config, address, error) {
	c.Listen = cmp.Or(c.Listen, DefaultListen)
	c.Limits = c.Limits.withDefaults()
	if c.Log == nil {
		c.Log = os.Stderr
	}
	at, err := parseAddress(c.Listen)
	if err != nil {
		return c, at, err
	}
	l := c.Limits
	for name, n := range map[string]int64{
		"Body": l.Body, "Text": int64(l.Text), "Header": int64(l.Header), "Connections": int64(l.Connections), "Concurrent": int64(l.Concurrent), "Queue": int64(l.Queue), "Streams": int64(l.Streams),
		"Time": int64(l.Time), "Idle": int64(l.Idle), "Patience": int64(l.Patience), "Rate": int64(l.Rate),
	} {
		if n < 0 {
			return c, at, fmt.Errorf("the limit %s is negative", name)
		}
	}
	if l.Memory < l.Body {
		return c, at, fmt.Errorf("the limit of memory for all requests (%d bytes) is lower than that of one body (%d bytes)", l.Memory, l.Body)
	}
	switch {
	case (c.TLSCert == "") != (c.TLSKey == ""):
		return c, at, errors.New("a certificate and its key must be given together")
	case c.TLSClientCA != "" && c.TLSCert == "":
		return c, at, errors.New("certificates of clients require TLS: give a certificate and a key")
	case c.InsecureNoAuth && c.guarded():
		return c, at, errors.New("a service that asks for tokens or certificates of clients cannot be open to everybody as well")
	case !at.local && !c.guarded() && !c.InsecureNoAuth:
		return c, at, fmt.Errorf("other machines can reach %s, so clients must prove who they are: give a token file (--token-file) or an authority for certificates of clients (--tls-client-ca), or listen on %s; --insecure-no-auth lets everybody in", c.Listen, DefaultListen)
	}
	if c.Drain == 0 && !at.local {
		c.Drain = 10 * time.Second
	}
	return c, at, nil
}

// guarded reports whether clients must prove who they are.
func (c Config) guarded() bool { return c.TokenFile != "" || c.TLSClientCA != "" }

// address is where a server listens.
type address struct {
	network, at string // for net.Listen
	local       bool   // only this machine can connect
}

// parseAddress reads the value of Config.Listen. Host names other than localhost are refused, because looking them up would
// be a request to another machine.
func parseAddress(listen string) (address, error) {
	if path, ok := strings.CutPrefix(listen, "unix:"); ok {
		if path == "" {
			return address{}, errors.New("unix: must be followed by the path of a socket")
		}
		return address{"unix", path, true}, nil
	}
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return address{}, fmt.Errorf("%q is not an address with a port, such as %s", listen, DefaultListen)
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	ip, err := netip.ParseAddr(host)
	if host != "" && err != nil {
		return address{}, fmt.Errorf("%q is neither an IP address nor localhost", host)
	}
	return address{"tcp", net.JoinHostPort(host, port), ip.IsLoopback()}, nil
}
