package service

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lethe-deid/lethe/deid/service/wire"
)

// canary is in everything that the clients of the tests send. No log, metric or error may contain it.
const canary = "Zebulon"

// running is a server on loopback.
type running struct {
	*Server
	url  string
	log  *lines
	stop context.CancelFunc
	done chan error
}

// lines collects what a server logs.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// start starts a server, and checks at the end of the test that it stops without an error and that its log has no canary.
func start(t *testing.T, config Config, routes, public Routes) *running {
	t.Helper()
	r := &running{log: &lines{}, done: make(chan error, 1)}
	if config.Listen == "" {
		config.Listen = "127.0.0.1:0"
	}
	config.Log = r.log
	var err error
	if r.Server, err = New(config); err != nil {
		t.Fatal(err)
	}
	r.Mount(routes)
	r.MountPublic(public)
	l, err := r.listen()
	if err != nil {
		t.Fatal(err)
	}
	r.url = "http://" + l.Addr().String()
	var ctx context.Context
	ctx, r.stop = context.WithCancel(t.Context())
	go func() { r.done <- r.serve(ctx, l) }()
	t.Cleanup(func() {
		r.stop()
		if err := <-r.done; err != nil {
			t.Error(err)
		}
		if strings.Contains(r.log.String(), canary) {
			t.Errorf("the log quotes a request: %s", r.log)
		}
		if n := r.memory.used.Load(); n != 0 || len(r.streams.slots) != 0 || len(r.gate.slots) != 0 || len(r.gate.queue) != 0 {
			t.Errorf("at the end, %d bytes, %d slots and %d places in the queue are in use", n, len(r.gate.slots), len(r.gate.queue))
		}
	})
	return r
}

// want sends a request and checks its status, and the code of an error. It returns the header and the body.
func want(t *testing.T, q *http.Request, status int, code string) (http.Header, string) {
	t.Helper()
	resp, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var body struct {
		Error struct{ Code, Message string }
	}
	if code != "" {
		if err := json.Unmarshal(raw, &body); err != nil || body.Error.Message == "" {
			t.Errorf("%s %s: the error is %q", q.Method, q.URL.Path, raw)
		}
	}
	if resp.StatusCode != status || body.Error.Code != code {
		t.Errorf("%s %s: status %d, code %q, want %d, %q", q.Method, q.URL.Path, resp.StatusCode, body.Error.Code, status, code)
	}
	if status != http.StatusOK && strings.Contains(string(raw), canary) {
		t.Errorf("%s: the error quotes the request: %s", q.URL.Path, raw)
	}
	if (status == http.StatusServiceUnavailable) != (resp.Header.Get("Retry-After") != "") {
		t.Errorf("%s: status %d with Retry-After %q", q.URL.Path, status, resp.Header.Get("Retry-After"))
	}
	return resp.Header, string(raw)
}

// request makes a request. The headers are names and values in turn.
func request(t *testing.T, method, url string, body io.Reader, headers ...string) *http.Request {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		q.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			q.Host = headers[i+1]
		}
	}
	return q
}

// echo answers with the body of the request.
func echo(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	_, _ = io.Copy(w, r.Body)
}

// eventually waits until something is true.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 3000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("never happened: %s", what)
}

var echoing = Routes{"POST /echo": http.HandlerFunc(echo)}

func TestAnswersAndUnknownPaths(t *testing.T) {
	s := start(t, Config{}, Routes{"POST /echo": http.HandlerFunc(echo), "GET /numbers/{n}": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.PathValue("n"))
	})}, Routes{"GET /page": http.HandlerFunc(echo)})
	if _, body := want(t, request(t, "POST", s.url+"/echo", strings.NewReader(canary)), 200, ""); body != canary {
		t.Errorf("the echo is %q", body)
	}
	if _, body := want(t, request(t, "POST", s.url+"/echo", io.MultiReader(strings.NewReader(canary))), 200, ""); body != canary { // chunked
		t.Errorf("the echo is %q", body)
	}
	if _, body := want(t, request(t, "GET", s.url+"/numbers/17", nil), 200, ""); body != "17" {
		t.Errorf("the number is %q", body)
	}
	want(t, request(t, "HEAD", s.url+"/numbers/17", nil), 200, "")
	want(t, request(t, "GET", s.url+"/"+canary+"?q="+canary, nil, "X-"+canary, canary), 404, "not_found")
	want(t, request(t, "POST", s.url+"/"+canary, strings.NewReader(canary)), 404, "not_found")
	for _, path := range []string{"/livez", "/metrics", "/page"} { // some were not found
		if header, _ := want(t, request(t, "POST", s.url+path, nil), 405, "method"); !strings.Contains(header.Get("Allow"), "GET") {
			t.Errorf("POST %s: Allow is %q", path, header.Get("Allow"))
		}
	}
	header, _ := want(t, request(t, "GET", s.url+"/echo", nil), 405, "method")
	if header.Get("Allow") != "POST" {
		t.Errorf("Allow: %q", header.Get("Allow"))
	}
	want(t, request(t, "POST", s.url+"/echo", strings.NewReader(canary), "Content-Encoding", "gzip"), 415, "content_encoding")
}

func TestWhereAServerMayListen(t *testing.T) {
	tokens := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(tokens, []byte("# of the ward\n\nsixteen-letters-or-more\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		config Config
		err    string
	}{
		{Config{}, ""},
		{Config{Listen: "localhost:0"}, ""},
		{Config{Listen: "[::1]:0"}, ""},
		{Config{Listen: "unix:/tmp/x"}, ""},
		{Config{Listen: ":0", TokenFile: tokens}, ""},
		{Config{Listen: "10.1.2.3:80", InsecureNoAuth: true}, ""},
		{Config{Listen: ":0"}, "clients must prove who they are"},
		{Config{Listen: "0.0.0.0:0"}, "clients must prove who they are"},
		{Config{Listen: "[::]:0"}, "clients must prove who they are"},
		{Config{Listen: "ward.example:0"}, `"ward.example" is neither an IP address nor localhost`},
		{Config{Listen: "127.0.0.1"}, `"127.0.0.1" is not an address with a port`},
		{Config{Listen: "unix:"}, "must be followed by the path"},
		{Config{TokenFile: tokens, InsecureNoAuth: true}, "cannot be open to everybody as well"},
		{Config{TLSCert: "x"}, "must be given together"},
		{Config{TLSClientCA: "x"}, "require TLS"},
		{Config{TokenFile: tokens + "2"}, "no such file"},
		{Config{TLSCert: tokens, TLSKey: tokens}, "the certificate " + tokens},
		{Config{Limits: Limits{Queue: -1}}, "the limit Queue is negative"},
		{Config{Limits: Limits{Memory: 1, Body: 2}}, "lower than that of one body"},
	} {
		_, err := New(c.config)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%+v: %v, want %q", c.config, err, c.err)
		}
	}
}

func TestPagesOfOtherSitesAreRefused(t *testing.T) {
	s := start(t, Config{Hosts: []string{"Ward.example"}}, echoing, nil)
	post := func(headers ...string) *http.Request {
		return request(t, "POST", s.url+"/echo", strings.NewReader(canary), headers...)
	}
	want(t, post(), 200, "")
	want(t, post("Host", "localhost:5002"), 200, "")
	want(t, post("Host", "[::1]:5002"), 200, "")
	want(t, post("Host", "127.0.0.2:5002"), 200, "")
	want(t, post("Host", "ward.example"), 200, "")
	want(t, post("Origin", s.url), 200, "")
	want(t, post("Host", canary+".example"), 421, "wrong_host") // a name of an attacker that resolves to 127.0.0.1
	want(t, post("Host", "127.0.0.1.example:5002"), 421, "wrong_host")
	want(t, post("Host", "10.1.2.3:5002"), 421, "wrong_host")
	want(t, post("Origin", "http://"+canary+".example"), 403, "wrong_origin")
	want(t, post("Origin", "null"), 403, "wrong_origin")
	want(t, post("Sec-Fetch-Site", "cross-site"), 403, "wrong_origin")
	want(t, request(t, "GET", s.url+"/livez", nil, "Host", "10.1.2.3:80"), 200, "")
	get := func(headers ...string) *http.Request { return request(t, "GET", s.url+"/echo", nil, headers...) } // it was answered
	want(t, get("Origin", "http://"+canary+".example"), 403, "wrong_origin")
	want(t, get("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"), 403, "wrong_origin")
	want(t, get("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"), 405, "method")
	want(t, get("Sec-Fetch-Site", "same-origin"), 405, "method")
}

func TestTokens(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	write := func(content string) {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("first-token-of-the-ward\nsecond-token-of-the-ward\n")
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "page") })
	s := start(t, Config{TokenFile: file}, echoing, Routes{"GET /{$}": page})
	post := func(authorization string) *http.Request {
		return request(t, "POST", s.url+"/echo", strings.NewReader(canary), "Authorization", authorization)
	}
	want(t, post("Bearer first-token-of-the-ward"), 200, "")
	want(t, post("bearer second-token-of-the-ward"), 200, "")
	basic := func(pair string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(pair)) }
	want(t, post(basic("anybody:second-token-of-the-ward")), 200, "")
	for _, wrong := range []string{"", "Bearer", "Bearer " + canary, "Basic first-token-of-the-ward", basic("first-token-of-the-ward"), basic("first-token-of-the-ward:"), basic(":x"), "Bearer first-token-of-the-war", "Bearer first-token-of-the-ward\tx"} {
		header, _ := want(t, post(wrong), 401, "unauthorized")
		if header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%q: WWW-Authenticate is missing", wrong)
		}
	}
	want(t, request(t, "GET", s.url+"/", nil), 200, "")
	want(t, request(t, "GET", s.url+"/readyz", nil), 200, "")
	want(t, request(t, "GET", s.url+"/metrics", nil), 401, "unauthorized")
	want(t, request(t, "GET", s.url+"/"+canary, nil), 401, "unauthorized")

	write("third-token-of-the-ward\n")
	want(t, post("Bearer first-token-of-the-ward"), 401, "unauthorized")
	want(t, post("Bearer third-token-of-the-ward"), 200, "")
	write("short\n")
	want(t, post("Bearer third-token-of-the-ward"), 200, "")
	if !strings.Contains(s.log.String(), "tokens:1: a token must have at least 16 characters") {
		t.Errorf("the log does not say what is wrong with the file: %s", s.log)
	}
}

func TestBodiesThatAreTooLarge(t *testing.T) {
	s := start(t, Config{Limits: Limits{Body: 1 << 20}}, echoing, nil)
	exact := strings.Repeat("x", 1<<20)
	if _, body := want(t, request(t, "POST", s.url+"/echo", strings.NewReader(exact)), 200, ""); body != exact {
		t.Errorf("the echo has %d bytes", len(body))
	}
	if _, body := want(t, request(t, "POST", s.url+"/echo", io.MultiReader(strings.NewReader(exact))), 200, ""); body != exact {
		t.Errorf("the echo has %d bytes", len(body))
	}
	want(t, request(t, "POST", s.url+"/echo", strings.NewReader(exact+"x")), 413, "too_large")
	want(t, request(t, "POST", s.url+"/echo", io.MultiReader(strings.NewReader(exact), strings.NewReader("x"))), 413, "too_large")
	s = start(t, Config{Limits: Limits{Concurrent: 1}}, echoing, nil)
	hundred := func() io.Reader { return io.LimitReader(zeros{}, 100<<20) }
	want(t, request(t, "POST", s.url+"/echo", hundred()), 413, "too_large")
	q := request(t, "POST", s.url+"/echo", hundred())
	q.ContentLength = 100 << 20
	want(t, q, 413, "too_large")
	q = request(t, "POST", s.url+"/echo", hundred(), "Expect", "100-continue")
	q.ContentLength = 100 << 20
	want(t, q, 413, "too_large")
	want(t, request(t, "POST", s.url+"/echo", strings.NewReader(canary)), 200, "")
}

func TestTextsThatAreTooLong(t *testing.T) {
	s := start(t, Config{Limits: Limits{Text: 10}}, Routes{"POST /text": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err == nil {
			err = wire.CheckTexts(r.Context(), 2, func(int) string { return string(raw) })
		}
		if err != nil {
			wire.Fail(w, err)
			return
		}
		fmt.Fprint(w, "short")
	})}, nil)
	for _, kind := range []string{"application/json", "application/x-ndjson"} {
		want(t, request(t, "POST", s.url+"/text", io.MultiReader(strings.NewReader("👍👍👍👍👍")), "Content-Type", kind), 200, "")
		want(t, request(t, "POST", s.url+"/text", io.MultiReader(strings.NewReader("123456")), "Content-Type", kind), 413, "too_large")
	}
	// They were not counted among those that were refused.
	if _, metrics := want(t, request(t, "GET", s.url+"/metrics", nil), 200, ""); !strings.Contains(metrics, `lethe_http_rejected_total{reason="too_large"} 2`+"\n") {
		t.Error("the metrics do not count the texts that were too long")
	}
}

// zeros is an endless body.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// dial opens a connection and sends the beginning of a request.
func dial(t *testing.T, s *running, begin string) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, begin); err != nil {
		t.Fatal(err)
	}
	return conn.(*net.TCPConn)
}

func TestSlowBodiesHoldNoSlot(t *testing.T) {
	s := start(t, Config{Limits: Limits{Concurrent: 1, Queue: 1, Patience: 2 * time.Second, Rate: 1 << 20}}, echoing, nil)
	slow := dial(t, s, "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n"+canary)
	headers := dial(t, s, "POST /echo HTTP/1.1\r\nHost: local")
	eventually(t, "the server reads the slow body", func() bool { return s.memory.used.Load() > 0 })
	want(t, request(t, "POST", s.url+"/echo", strings.NewReader(canary)), 200, "")
	answer, err := io.ReadAll(slow)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 408 ") || !strings.Contains(string(answer), "too_slow") {
		t.Errorf("the slow client got %q, %v", answer, err)
	}
	if answer, err := io.ReadAll(headers); err != nil || strings.Contains(string(answer), " 200 ") {
		t.Errorf("the client with slow headers got %q, %v", answer, err)
	}
	short := dial(t, s, "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n"+canary)
	if err := short.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if answer, err := io.ReadAll(short); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 400 ") || !strings.Contains(string(answer), "incomplete") {
		t.Errorf("the client whose body ended early got %q, %v", answer, err)
	}
}

func TestSlowReadersHoldNoSlot(t *testing.T) {
	big := Routes{
		"POST /echo": http.HandlerFunc(echo),
		"POST /big": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.CopyN(w, zeros{}, 32<<20)
		}),
		"POST /stream": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for range 512 {
				_, _ = io.CopyN(w, zeros{}, 64<<10)
				if http.NewResponseController(w).Flush() != nil {
					return
				}
			}
		}),
	}
	s := start(t, Config{Limits: Limits{Concurrent: 1, Queue: 3, Patience: 2 * time.Second, Rate: 64 << 20}}, big, nil)
	for _, path := range []string{"/big", "/stream"} {
		dial(t, s, "POST "+path+" HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
		eventually(t, "the answer waits for its reader", func() bool { return s.memory.used.Load() > 0 && len(s.gate.slots) == 0 })
		want(t, request(t, "POST", s.url+"/echo", strings.NewReader(canary)), 200, "")
		eventually(t, "the reader is given up", func() bool { return s.memory.used.Load() == 0 && len(s.gate.slots) == 0 })
	}
}

// An answer that is sent as it comes arrives before the handler has ended, and an error cuts it off.
func TestStreams(t *testing.T) {
	next := make(chan bool)
	s := start(t, Config{Limits: Limits{Concurrent: 1}}, Routes{"POST /stream": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-ndjson")
		for {
			fmt.Fprintln(w, "{}")
			w.(http.Flusher).Flush()
			if !<-next {
				panic(canary)
			}
		}
	})}, nil)
	resp, err := http.DefaultClient.Do(request(t, "POST", s.url+"/stream", strings.NewReader(canary)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	line := make([]byte, 3)
	for range 3 {
		if _, err := io.ReadFull(resp.Body, line); err != nil || string(line) != "{}\n" {
			t.Fatalf("a line is %q, %v", line, err)
		}
		next <- true
	}
	if _, err := io.ReadFull(resp.Body, line); err != nil {
		t.Fatal(err)
	}
	next <- false
	if rest, err := io.ReadAll(resp.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("after a panic, the stream ends with %q, %v", rest, err)
	}
}

// answerLines answers each line of a stream before it reads the next.
func answerLines(w http.ResponseWriter, r *http.Request) {
	for in := bufio.NewReader(r.Body); ; {
		line, err := in.ReadString('\n')
		if err == io.EOF {
			return
		}
		if err != nil {
			fmt.Fprintln(w, "the body ended early")
			return
		}
		_, _ = io.WriteString(w, line)
		w.(http.Flusher).Flush()
	}
}

func TestLinesAreAnsweredBeforeTheNextIsSent(t *testing.T) {
	s := start(t, Config{Limits: Limits{Concurrent: 1, Streams: 1}}, Routes{"POST /lines": http.HandlerFunc(answerLines), "POST /echo": http.HandlerFunc(echo)}, nil)
	out, in := io.Pipe()
	go fmt.Fprintln(in, 0)
	resp, err := http.DefaultClient.Do(request(t, "POST", s.url+"/lines", out, "Content-Type", "application/x-ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for n, answers := 1, bufio.NewReader(resp.Body); n < 100; n++ {
		if line, err := answers.ReadString('\n'); err != nil || line != fmt.Sprintln(n-1) {
			t.Fatalf("line %d: %q, %v", n, line, err)
		}
		fmt.Fprintln(in, n)
	}
	want(t, request(t, "POST", s.url+"/echo", strings.NewReader(canary)), 200, "") // the stream holds no slot
	other, _ := io.Pipe()
	want(t, request(t, "POST", s.url+"/lines", other, "Content-Type", "application/x-ndjson", "Expect", "100-continue"), 503, "busy")
	want(t, request(t, "POST", s.url+"/lines", strings.NewReader("1\n"), "Content-Type", "application/x-ndjson"), 200, "") // its length is known
	in.Close()
	if rest, err := io.ReadAll(resp.Body); err != nil {
		t.Errorf("the stream ends with %q, %v", rest, err)
	}
}

// A stream that is longer than a body may be is refused by no limit.
func TestLongStreams(t *testing.T) {
	s := start(t, Config{Limits: Limits{Body: 1000}}, Routes{"POST /lines": http.HandlerFunc(answerLines)}, nil)
	long := strings.Repeat(canary+"\n", 100_000)
	_, body := want(t, request(t, "POST", s.url+"/lines", strings.NewReader(long), "Content-Type", "application/x-ndjson"), 200, "")
	if body != long {
		t.Errorf("the answer has %d bytes", len(body))
	}
}

func TestStreamsEndWhenTheServerStops(t *testing.T) {
	s := start(t, Config{}, Routes{"POST /lines": http.HandlerFunc(answerLines)}, nil)
	out, in := io.Pipe()
	go fmt.Fprintln(in, 0)
	resp, err := http.DefaultClient.Do(request(t, "POST", s.url+"/lines", out, "Content-Type", "application/x-ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	s.stop()
	if rest, err := io.ReadAll(resp.Body); err != nil || string(rest) != "0\nthe body ended early\n" {
		t.Errorf("the stream ends with %q, %v", rest, err)
	}
}

func TestOverload(t *testing.T) {
	hold := make(chan struct{})
	s := start(t, Config{Limits: Limits{Concurrent: 2, Queue: 3}}, Routes{"POST /hold": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-hold
		echo(w, r)
	}), "GET /light": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "light") })}, nil)
	var all sync.WaitGroup
	post := func() *http.Request { return request(t, "POST", s.url+"/hold", strings.NewReader(canary)) }
	for range 5 {
		all.Go(func() {
			if _, body := want(t, post(), 200, ""); body != canary {
				t.Errorf("the echo is %q", body)
			}
		})
	}
	eventually(t, "all places are taken", func() bool { return s.gate.full() })
	for range 3 {
		want(t, post(), 503, "busy")
	}
	q := request(t, "POST", s.url+"/hold", io.LimitReader(zeros{}, 10<<20)) // its body is read, so that the client sees the answer
	want(t, q, 503, "busy")
	for _, path := range []string{"/light", "/livez", "/readyz", "/metrics"} {
		want(t, request(t, "GET", s.url+path, nil), 200, "")
	}
	close(hold)
	all.Wait()
	want(t, post(), 200, "")
}

// LiteLLM takes an error of POST /analyze for the answer that a prompt has no PHI, unless it cannot decode the error.
func TestErrorsOfAnalyzeCannotBeOverlooked(t *testing.T) {
	s := start(t, Config{Limits: Limits{Body: 10}}, Routes{
		"POST /analyze":   http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("no answer") }),
		"POST /anonymize": http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}),
	}, nil)
	for body, status := range map[string]int{"0123456789x": 413, "x": 500} {
		resp, err := http.DefaultClient.Do(request(t, "POST", s.url+"/analyze", strings.NewReader(body)))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		var answer struct{ Error string }
		if kind := resp.Header.Get("Content-Type"); err != nil || resp.StatusCode != status || kind != "application/json; charset=us-ascii" {
			t.Errorf("%d %s: %v", resp.StatusCode, kind, err)
		}
		if err := json.Unmarshal(raw, &answer); err != nil || !strings.HasSuffix(answer.Error, "\u2026") {
			t.Errorf("%v: %q", err, raw)
		}
	}
	want(t, request(t, "POST", s.url+"/anonymize", strings.NewReader("0123456789x")), 413, "too_large")
}

func TestBodiesBeyondTheMemory(t *testing.T) {
	hold := make(chan struct{})
	s := start(t, Config{Limits: Limits{Body: 1 << 20, Memory: 3 << 19, Concurrent: 4}}, Routes{"POST /hold": http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hold })}, nil)
	post := func() *http.Request { return request(t, "POST", s.url+"/hold", bytes.NewReader(make([]byte, 1<<20))) }
	var first sync.WaitGroup
	first.Go(func() { want(t, post(), 500, "failed") }) // the handler gives no answer
	eventually(t, "the first body is there", func() bool { return len(s.gate.slots) == 1 })
	want(t, post(), 503, "memory")
	close(hold)
	first.Wait()
}

func TestRequestsThatTakeTooLong(t *testing.T) {
	s := start(t, Config{Limits: Limits{Concurrent: 1, Time: 50 * time.Millisecond}}, Routes{
		"POST /nothing": http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }),
		"POST /error": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			w.WriteHeader(http.StatusServiceUnavailable)
		}),
		"POST /stream": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintln(w, "{}")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}),
	}, nil)
	want(t, request(t, "POST", s.url+"/nothing", nil), 503, "timeout")
	want(t, request(t, "POST", s.url+"/error", nil), 503, "")
	resp, err := http.DefaultClient.Do(request(t, "POST", s.url+"/stream", nil))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if rest, err := io.ReadAll(resp.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a stream that takes too long looks complete: %q, %v", rest, err)
	}
}

// A client that goes away stops its work, also if it closes only its half of the connection.
func TestClientsThatGoAway(t *testing.T) {
	begun, ended := make(chan bool), make(chan error)
	s := start(t, Config{Limits: Limits{Concurrent: 1}}, Routes{"POST /hold": http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		begun <- true
		<-r.Context().Done()
		ended <- r.Context().Err()
	})}, nil)
	const post = "POST /hold HTTP/1.1\r\nHost: localhost\r\nContent-Length: 7\r\n\r\n" + canary
	for _, leave := range []func(*net.TCPConn) error{(*net.TCPConn).Close, (*net.TCPConn).CloseWrite} {
		conn := dial(t, s, post)
		<-begun
		waits := dial(t, s, post)
		eventually(t, "the second waits", func() bool { return len(s.gate.queue) == 1 })
		if err := leave(waits); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the second leaves the queue", func() bool { return len(s.gate.queue) == 0 })
		if err := leave(conn); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the context ended with %v", err)
		}
		eventually(t, "the slot is free", func() bool { return len(s.gate.slots) == 0 })
	}
	eventually(t, "all four are logged", func() bool { return strings.Count(s.log.String(), `"status":499`) == 4 })
}

func TestPanics(t *testing.T) {
	s := start(t, Config{}, Routes{"POST /panic": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "[]")
		panic(canary)
	}), "POST /index": http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_ = []string{canary}[len(r.URL.Path)]
	})}, nil)
	for _, path := range []string{"/panic", "/index"} {
		if _, body := want(t, request(t, "POST", s.url+path, strings.NewReader(canary)), 500, "failed"); strings.Contains(body, "[]") {
			t.Errorf("the answer before the panic was sent: %s", body)
		}
	}
	if n := strings.Count(s.log.String(), `"place":"server_test.go:`); n != 2 {
		t.Errorf("the log has the place of %d panics: %s", n, s.log)
	}
}

func TestDrain(t *testing.T) {
	hold, begun := make(chan struct{}), make(chan bool)
	s := start(t, Config{Drain: time.Second}, Routes{"POST /hold": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun <- true
		<-hold
		echo(w, r)
	})}, nil)
	var first sync.WaitGroup
	first.Go(func() {
		if _, body := want(t, request(t, "POST", s.url+"/hold", strings.NewReader(canary)), 200, ""); body != canary {
			t.Errorf("the echo is %q", body)
		}
	})
	<-begun
	want(t, request(t, "GET", s.url+"/readyz", nil), 200, "")
	s.stop()
	eventually(t, "the server stops", s.stopping.Load)
	if _, body := want(t, request(t, "GET", s.url+"/readyz", nil), 503, ""); body != "stopping\n" {
		t.Errorf("/readyz says %q", body)
	}
	want(t, request(t, "GET", s.url+"/livez", nil), 200, "")
	eventually(t, "the address is closed", func() bool {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	close(hold)
	first.Wait()
}

func TestReload(t *testing.T) {
	var fails error
	s := start(t, Config{Reload: func() error { return fails }}, echoing, nil)
	s.Reload()
	fails = errors.New("model en: missing")
	s.Reload()
	_, metrics := want(t, request(t, "GET", s.url+"/metrics", nil), 200, "")
	for _, line := range []string{`lethe_model_reloads_total{result="done"} 1`, `lethe_model_reloads_total{result="failed"} 1`} {
		if !strings.Contains(metrics, line+"\n") {
			t.Errorf("the metrics lack %s", line)
		}
	}
	if !strings.Contains(s.log.String(), "model en: missing") {
		t.Errorf("the log does not say why: %s", s.log)
	}
}

func TestManyIdleConnections(t *testing.T) {
	const many = 10_000
	s := start(t, Config{Limits: Limits{Connections: 500, grace: time.Millisecond}}, echoing, nil)
	for n := range many {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			if strings.Contains(err.Error(), "too many open files") {
				t.Skipf("only %d files can be open at the same time (ulimit -n)", n)
			}
			t.Fatal(err)
		}
		defer conn.Close()
	}
	for range 20 {
		want(t, request(t, "POST", s.url+"/echo", strings.NewReader(canary)), 200, "")
	}
	_, metrics := want(t, request(t, "GET", s.url+"/metrics", nil), 200, "")
	if !strings.Contains(metrics, "lethe_http_connections 500\n") {
		t.Error("there are not 500 connections")
	}
}

// The connections of clients that wait between two requests were closed as soon as many others connected.
func TestIdleClientsAreKeptBeforeThoseThatHaveAskedForNothing(t *testing.T) {
	s := start(t, Config{Limits: Limits{Connections: 10, grace: time.Millisecond}}, echoing, nil)
	const post = "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 7\r\n\r\n" + canary
	conn := dial(t, s, post)
	answers := bufio.NewReader(conn)
	for range 3 {
		resp, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(resp.Body); err != nil || string(body) != canary {
			t.Errorf("the echo is %q, %v", body, err)
		}
		for range 50 {
			dial(t, s, "")
		}
		want(t, request(t, "GET", s.url+"/livez", nil), 200, "") // so that the server has accepted all of them
		if _, err := io.WriteString(conn, post); err != nil {
			t.Fatal(err)
		}
	}
}

// Clients that connect in masses cost others their connections before their requests had been read.
func TestNewConnectionsHaveTimeForTheirRequest(t *testing.T) {
	s := start(t, Config{Limits: Limits{Connections: 10, grace: 500 * time.Millisecond}}, echoing, nil)
	for range 30 {
		dial(t, s, "")
	}
	conn := dial(t, s, "")
	for range 30 {
		dial(t, s, "")
	}
	if _, err := io.WriteString(conn, "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 7\r\n\r\n"+canary); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || resp.StatusCode != 200 {
		t.Errorf("%v, %v", resp, err)
	}
}

// If all connections are busy, new ones are closed at once.
func TestBusyConnectionsAreKept(t *testing.T) {
	hold := make(chan struct{})
	s := start(t, Config{Limits: Limits{Connections: 2, Concurrent: 1}}, Routes{"POST /hold": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-hold
		echo(w, r)
	})}, nil)
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() { want(t, request(t, "POST", s.url+"/hold", strings.NewReader(canary)), 200, "") })
	}
	eventually(t, "both are there", func() bool { return len(s.gate.slots)+len(s.gate.queue) == 2 })
	conn := dial(t, s, "")
	if n, err := conn.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("the third connection gets %d bytes, %v", n, err)
	}
	close(hold)
	all.Wait()
}

func TestSockets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	left, err := net.Listen("unix", path) // a socket that a killed server left behind
	if err != nil {
		t.Fatal(err)
	}
	left.(*net.UnixListener).SetUnlinkOnClose(false)
	if _, err := (&Server{at: address{"unix", path, true}}).listen(); err == nil || !strings.Contains(err.Error(), "another service") {
		t.Errorf("a socket in use: %v", err)
	}
	left.Close()
	start(t, Config{Listen: "unix:" + path}, echoing, nil)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket: %v, %v", info, err)
	}
	client := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", path) }}}
	defer client.CloseIdleConnections()
	resp, err := client.Do(request(t, "POST", "http://anything/echo", strings.NewReader(canary)))
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("%v, %v", resp, err)
	}
	resp.Body.Close()
}

func TestMetricsHaveNothingOfRequests(t *testing.T) {
	s := start(t, Config{Version: "1.2.3"}, echoing, nil)
	want(t, request(t, "POST", s.url+"/echo", strings.NewReader(canary)), 200, "")
	want(t, request(t, "POST", s.url+"/"+canary, strings.NewReader(canary)), 404, "not_found")
	want(t, request(t, canary, s.url+"/echo", nil), 405, "method")
	s.Metrics().Types("PATIENT")
	s.Metrics().Found(2, map[string]int{"PATIENT": 3, canary: 4})
	_, metrics := want(t, request(t, "GET", s.url+"/metrics", nil), 200, "")
	if strings.Contains(metrics, canary) {
		t.Error("the metrics quote a request")
	}
	for _, line := range []string{
		`lethe_http_requests_total{route="POST /echo",status="200"} 1`, `lethe_http_requests_total{route="none",status="404"} 1`,
		`lethe_http_requests_total{route="none",status="405"} 1`, `lethe_http_rejected_total{reason="not_found"} 1`,
		`lethe_http_request_seconds_count{route="POST /echo"} 1`, `lethe_http_received_bytes_total 7`, `lethe_http_in_flight 0`, `lethe_http_queue_length 0`,
		`lethe_notes_total 2`, `lethe_spans_total{type="PATIENT"} 3`, `lethe_spans_total{type="other"} 4`,
	} {
		if !strings.Contains(metrics, line+"\n") {
			t.Errorf("the metrics lack %s", line)
		}
	}
	if !strings.Contains(metrics, `version="1.2.3"`) {
		t.Error("the metrics lack the version")
	}
}

func TestQuiet(t *testing.T) {
	s := start(t, Config{Quiet: true}, echoing, nil)
	want(t, request(t, "POST", s.url+"/echo", strings.NewReader(canary)), 200, "")
	if strings.Contains(s.log.String(), "request") {
		t.Errorf("a request that succeeded is logged: %s", s.log)
	}
}

// http.Server quotes headers and addresses in its messages.
func TestMessagesOfTheServer(t *testing.T) {
	l := &lines{}
	e := errorLog(newLogger(l))
	e.Printf("http: TLS handshake error from %s: %s", "10.1.2.3", canary)
	e.Printf("http: something new about %q", canary)
	text := l.String()
	if strings.Contains(text, canary) || strings.Contains(text, "10.1.2.3") || strings.Count(text, "\n") != 2 || !strings.Contains(text, "a TLS handshake failed") {
		t.Errorf("the log is %s", text)
	}
}

// A stream that stays open got a refusal only after ten seconds, because http.Server read its body first.
func TestRefusalsOfOpenStreamsCameLate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(path, []byte("0123456789abcdef0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// With so much patience, an answer that waits for the body never comes.
	guarded := start(t, Config{TokenFile: path, Limits: Limits{Patience: time.Hour}}, Routes{"POST /lines": http.HandlerFunc(answerLines)}, nil)
	s := start(t, Config{Limits: Limits{Streams: 1, Patience: time.Hour}}, Routes{"POST /lines": http.HandlerFunc(answerLines)}, nil)
	s.streams.slots <- struct{}{}
	defer func() { <-s.streams.slots }()
	for name, c := range map[string]struct {
		url    string
		status int
		code   string
		header [2]string
	}{
		"busy":       {s.url + "/lines", 503, "busy", [2]string{}},
		"not found":  {s.url + "/none", 404, "not_found", [2]string{}},
		"no token":   {guarded.url + "/lines", 401, "unauthorized", [2]string{}},
		"compressed": {s.url + "/lines", 415, "content_encoding", [2]string{"Content-Encoding", "gzip"}},
		"other site": {s.url + "/lines", 403, "wrong_origin", [2]string{"Sec-Fetch-Site", "cross-site"}},
	} {
		t.Run(name, func(t *testing.T) {
			in, out := io.Pipe()
			defer out.Close()
			q := request(t, "POST", c.url, in)
			q.Header.Set("Content-Type", "application/x-ndjson")
			if c.header[0] != "" {
				q.Header.Set(c.header[0], c.header[1])
			}
			go func() { _, _ = io.WriteString(out, canary+"\n") }()
			header, _ := want(t, q, c.status, c.code)
			if (c.status == 503) != (header.Get("Retry-After") != "") {
				t.Errorf("Retry-After is %q", header.Get("Retry-After"))
			}
		})
	}
}

// The log and the histogram said of a refused stream that it took as long as its client kept it open.
func TestRefusedStreamsTookAsLongAsTheyStayedOpen(t *testing.T) {
	s := start(t, Config{Limits: Limits{Streams: 1, Patience: time.Hour}}, Routes{"POST /lines": http.HandlerFunc(answerLines)}, nil)
	s.streams.slots <- struct{}{}
	defer func() { <-s.streams.slots }()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	began := time.Now()
	fmt.Fprintf(conn, "POST /lines HTTP/1.1\r\nHost: %s\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", conn.RemoteAddr())
	if _, err := conn.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	answered := time.Since(began) // the server cannot have taken longer
	time.Sleep(time.Second)
	conn.Close()
	logged := regexp.MustCompile(`"?status"?[=:]503.*?"?ms"?[=:]([0-9.]+)`)
	eventually(t, "the log of the request", func() bool { return logged.MatchString(s.log.String()) })
	said := logged.FindStringSubmatch(s.log.String())[1]
	if ms, err := strconv.ParseFloat(said, 64); err != nil || ms > float64(answered.Milliseconds()+1) {
		t.Errorf("the log says %s ms of an answer that came after %s", said, answered)
	}
}
