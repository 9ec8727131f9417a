package service

import (
	"container/list"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// connections is a listener that limits the number of open connections. If there are too many, it closes the one that has
// waited longest for its first request, or if all have had one, the one that has waited longest for the next. If all are busy,
// it closes the new one.
//
// Each connection has some time before it can be closed, in which the listener accepts no other. Otherwise, clients that
// connect in masses would cost others their connections before their requests are even read.
type connections struct {
	net.Listener
	max      int
	grace    time.Duration
	rejected func()

	mu   sync.Mutex
	open map[net.Conn]seat
	// Connections that have had no request yet, and those that wait for the next one, in the order in which they began to wait.
	unused, idle list.List
}

// seat is where a connection waits.
type seat struct {
	list    *list.List // nil if the connection is busy
	element *list.Element
	since   time.Time
}

func limitConnections(l net.Listener, limit int, grace time.Duration, rejected func()) *connections {
	return &connections{Listener: l, max: limit, grace: grace, rejected: rejected, open: map[net.Conn]seat{}}
}

// Accept returns the next connection for which there is room.
func (c *connections) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if c.makeRoom(conn) {
			return conn, nil
		}
		c.rejected()
		_ = conn.Close() // nobody has used it
	}
}

// makeRoom waits until there is room for a new connection, and counts it. It returns false if all others are busy.
func (c *connections) makeRoom(conn net.Conn) bool {
	for {
		c.mu.Lock()
		if len(c.open) < c.max {
			c.wait(conn, &c.unused)
			c.mu.Unlock()
			return true
		}
		evicted, left := c.oldest()
		if evicted != nil && left <= 0 {
			c.remove(evicted)
		}
		c.mu.Unlock()
		switch {
		case evicted == nil:
			return false
		case left > 0:
			time.Sleep(min(left, time.Millisecond*10)) // others may end meanwhile
		default:
			_ = evicted.Close() // nobody uses it
		}
	}
}

// oldest returns the connection to close, and how long it must stay open; or nil if all are busy.
func (c *connections) oldest() (conn net.Conn, left time.Duration) {
	for _, waiting := range []*list.List{&c.unused, &c.idle} {
		if first := waiting.Front(); first != nil {
			conn := first.Value.(net.Conn)
			return conn, c.grace - time.Since(c.open[conn].since)
		}
	}
	return nil, 0
}

// wait puts a connection at the end of a list.
func (c *connections) wait(conn net.Conn, in *list.List) {
	c.open[conn] = seat{in, in.PushBack(conn), time.Now()}
}

// remove forgets a connection.
func (c *connections) remove(conn net.Conn) {
	if was := c.open[conn]; was.list != nil {
		was.list.Remove(was.element)
	}
	delete(c.open, conn)
}

// changed is the ConnState of the http.Server.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.open[conn]; !ok || state == http.StateNew { // it was closed to make room, or makeRoom has counted it
		return
	}
	c.remove(conn)
	switch state {
	case http.StateIdle:
		c.wait(conn, &c.idle)
	case http.StateActive:
		c.open[conn] = seat{}
	}
}

// count returns the number of open connections.
func (c *connections) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open)
}
