// Command load sends notes to a service from many clients at the same time, and measures how many requests it answers, how long
// they take, and how much memory and processor time the service uses. See docs/benchmarks/service.md.
//
//	lethe synth --corpus en --notes 4000 --output notes.jsonl --format jsonl
//	lethe serve --model en --quiet & go run ./scripts/load -pid $! -for 10m notes.jsonl
//
// It prints a line of JSON for every tenth of the time, and one for the whole.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// client is what a client has done.
type client struct {
	times  []time.Duration // of the requests with status 200
	status map[string]int
	empty  int // answers with status 200 without any span
}

// report is a line of the output.
type report struct {
	Seconds  float64        `json:"seconds"`
	Clients  int            `json:"clients,omitempty"`
	Requests int            `json:"requests,omitempty"`
	Rate     float64        `json:"requests_per_second,omitempty"`
	Bytes    float64        `json:"text_bytes_per_request,omitempty"`
	P50      float64        `json:"p50_ms,omitempty"`
	P90      float64        `json:"p90_ms,omitempty"`
	P99      float64        `json:"p99_ms,omitempty"`
	Max      float64        `json:"max_ms,omitempty"`
	Status   map[string]int `json:"status,omitempty"`
	Empty    int            `json:"answers_without_spans"`
	Hostile  int            `json:"hostile_connections,omitempty"`
	Refused  string         `json:"bodies_of_100_mb_refused,omitempty"`
	Memory   float64        `json:"rss_mb,omitempty"`      // of the service
	Peak     float64        `json:"peak_rss_mb,omitempty"` // of the service
	CPU      float64        `json:"cpu_seconds,omitempty"` // of the service
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(2)
	}
}

func run() error {
	url := flag.String("url", "http://127.0.0.1:5002/v1/deidentify", "`URL` to post to; if it ends with /analyze, the requests are those of Presidio")
	clients := flag.Int("clients", 200, "`NUMBER` of clients, each of which sends its next request when it has the answer")
	length := flag.Duration("for", time.Minute, "`TIME` to send requests")
	size := flag.Int("size", 2048, "`BYTES` of text of a request, about: short notes are joined")
	pid := flag.Int("pid", 0, "process of the service, whose memory and processor time are measured together with those of its children (default none)")
	idle := flag.Int("hostile", 0, "`NUMBER` of idle connections to keep open meanwhile; if it is not 0, other clients send bodies slowly, in halves, or of 100 MB (default 0)")
	token := flag.String("token", "", "token to send (default none)")
	flag.Parse()
	if flag.NArg() != 1 {
		return errors.New("usage: load [flags] NOTES.jsonl")
	}
	bodies, mean, err := read(flag.Arg(0), *size, strings.HasSuffix(*url, "/analyze"))
	if err != nil {
		return err
	}
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = *clients
	all := make([]client, *clients)
	start, before := time.Now(), usage(*pid)
	end := start.Add(*length)
	var running sync.WaitGroup
	for i := range all {
		all[i].status = map[string]int{}
		running.Go(func() {
			for n := i * len(bodies) / *clients; time.Now().Before(end); n++ {
				all[i].post(*url, *token, bodies[n%len(bodies)])
			}
		})
	}
	var refused string
	if *idle > 0 {
		running.Go(func() { refused = hostile(*url, *idle, end) })
	}
	peak := watch(*pid, start, *length)
	running.Wait()
	whole := summarise(all, time.Since(start), mean, before, usage(*pid), peak)
	whole.Hostile, whole.Refused = *idle, refused
	return print(whole)
}

// read returns the bodies of the requests, and the mean size of their texts.
func read(path string, size int, presidio bool) (bodies [][]byte, mean float64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	var text strings.Builder
	for lines.Scan() {
		var note struct{ Text string }
		if err := json.Unmarshal(lines.Bytes(), &note); err != nil {
			return nil, 0, fmt.Errorf("%s: %w", path, err)
		}
		if text.Len() > 0 && text.Len()+len(note.Text)/2 > size {
			request := map[string]string{"text": text.String()}
			if presidio {
				request["language"] = "en"
			}
			body, err := json.Marshal(request)
			if err != nil {
				return nil, 0, err
			}
			bodies, mean = append(bodies, body), mean+float64(text.Len())
			text.Reset()
		}
		text.WriteString(note.Text + "\n\n")
	}
	if len(bodies) == 0 {
		return nil, 0, fmt.Errorf("%s: has too few notes", path)
	}
	return bodies, mean / float64(len(bodies)), lines.Err()
}

// post sends a request and waits for the answer.
func (c *client) post(url, token string, body []byte) {
	q, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		panic(err) // the URL was used for other requests
	}
	q.Header.Set("Content-Type", "application/json")
	if token != "" {
		q.Header.Set("Authorization", "Bearer "+token)
	}
	start := time.Now()
	resp, err := http.DefaultClient.Do(q)
	if err != nil {
		for inner := err; inner != nil; inner = errors.Unwrap(inner) { // the last is short, and has no addresses
			err = inner
		}
		c.status["no answer: "+err.Error()]++
		return
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		c.status["answer cut off"]++
		return
	}
	c.status[strconv.Itoa(resp.StatusCode)]++
	if resp.StatusCode == http.StatusOK {
		c.times = append(c.times, time.Since(start))
		if !bytes.Contains(answer, []byte(`"start"`)) {
			c.empty++
		}
	}
}

// watch prints the memory of the service ten times, and returns the highest that it sees.
func watch(pid int, start time.Time, length time.Duration) (peak float64) {
	for tenth := 1; tenth <= 10; {
		time.Sleep(min(length/10, time.Second))
		u := usage(pid)
		peak = max(peak, u.memory)
		if time.Since(start) >= length*time.Duration(tenth)/10 {
			_ = print(report{Seconds: time.Since(start).Seconds(), Memory: u.memory, CPU: u.cpu})
			tenth++
		}
	}
	return peak
}

func summarise(all []client, took time.Duration, mean float64, before, after used, peak float64) report {
	r := report{Seconds: took.Seconds(), Clients: len(all), Bytes: mean, Status: map[string]int{}, Memory: after.memory, Peak: peak, CPU: after.cpu - before.cpu}
	var times []time.Duration
	for _, c := range all {
		times = append(times, c.times...)
		r.Empty += c.empty
		for status, n := range c.status {
			r.Status[status] += n
			r.Requests += n
		}
	}
	if len(times) > 0 {
		slices.Sort(times)
		at := func(share float64) float64 {
			return float64(times[int(share*float64(len(times)-1))].Microseconds()) / 1000
		}
		r.Rate, r.P50, r.P90, r.P99, r.Max = float64(len(times))/took.Seconds(), at(.5), at(.9), at(.99), at(1)
	}
	return r
}

func print(r report) error { return json.NewEncoder(os.Stdout).Encode(r) }

// used is what a process and its children use.
type used struct{ memory, cpu float64 } // MB, seconds

// usage reads /proc. It returns zeros if pid is 0.
func usage(pid int) used {
	if pid == 0 {
		return used{}
	}
	parents, own := map[int]int{}, map[int]used{}
	paths, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is valid
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		after := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:])) // from field 3 of proc(5)
		id, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		number := func(field int) float64 {
			n, _ := strconv.ParseFloat(after[field-3], 64)
			return n
		}
		parents[id] = int(number(4))
		own[id] = used{number(24) * float64(os.Getpagesize()) / (1 << 20), (number(14) + number(15)) / 100}
	}
	var sum used
	for id, u := range own {
		for p := id; p != 0; p = parents[p] {
			if p == pid {
				sum.memory, sum.cpu = sum.memory+u.memory, sum.cpu+u.cpu
				break
			}
		}
	}
	return sum
}
