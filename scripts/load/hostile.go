package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	neturl "net/url"
	"sync"
	"time"
)

// hostile does what a service must survive, until the time is over: it keeps idle connections open, sends bodies slowly, closes
// its half of connections, and sends bodies of 100 MB. It returns how often the service answered these bodies with status 413.
func hostile(url string, idle int, end time.Time) (refused string) {
	u, err := neturl.Parse(url)
	if err != nil {
		panic(err) // the URL was used for other requests
	}
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n", u.Path, u.Host)
	var all sync.WaitGroup
	every := func(n int, pause time.Duration, begin string, then func(*net.TCPConn)) {
		for range n {
			all.Go(func() {
				for time.Now().Before(end) {
					if conn, err := net.Dial("tcp", u.Host); err == nil {
						_, _ = io.WriteString(conn, begin)
						then(conn.(*net.TCPConn))
						_ = conn.Close() // nobody waits for its answer
					}
					time.Sleep(pause)
				}
			})
		}
	}
	every(idle, time.Second, "", func(conn *net.TCPConn) { // until the service closes it
		_ = conn.SetReadDeadline(end)
		_, _ = conn.Read(make([]byte, 1))
	})
	every(50, time.Second, head, func(conn *net.TCPConn) { // a byte per second
		for time.Now().Before(end) {
			if _, err := conn.Write([]byte{' '}); err != nil {
				return
			}
			time.Sleep(time.Second)
		}
	})
	every(50, time.Second, head, func(conn *net.TCPConn) { // half of a body, and half of a connection
		_ = conn.CloseWrite()
		_ = conn.SetReadDeadline(end)
		_, _ = io.Copy(io.Discard, conn)
	})
	sent, answered := 0, 0
	for ; time.Now().Before(end); sent++ {
		resp, err := http.Post(url, "application/json", io.LimitReader(blanks{}, 100<<20))
		if err == nil {
			if resp.StatusCode == http.StatusRequestEntityTooLarge {
				answered++
			}
			_ = resp.Body.Close() // its status is all that counts
		}
		time.Sleep(time.Second)
	}
	all.Wait()
	return fmt.Sprintf("%d of %d", answered, sent)
}

// blanks is an endless body.
type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}
