package service

import (
	"io"
	"log"
	"log/slog"
	"runtime"
	"strconv"
	"strings"
)

// logger writes a JSON object per line.
func newLogger(to io.Writer) *slog.Logger { return slog.New(slog.NewJSONHandler(to, nil)) }

// known are the messages of http.Server, by how they begin, with the text that is logged instead. The originals may quote
// addresses, headers and paths.
var known = []struct{ begins, text string }{
	{"http: TLS handshake error", "a TLS handshake failed"},
	{"http: Accept error", "a connection cannot be accepted; the server tries again"},
	{"http: panic serving", "a connection ended because of an error in the program"},
	{"http: superfluous response.WriteHeader", "a handler wrote two statuses"},
	{"http: invalid Content-Length", "a handler wrote a wrong length"},
}

// serverLog passes messages of http.Server on, without what they quote.
type serverLog struct{ log *slog.Logger }

func (s serverLog) Write(message []byte) (int, error) {
	text := "the HTTP server has a message that is not logged, because it may quote a request"
	for _, k := range known {
		if strings.HasPrefix(string(message), k.begins) {
			text = k.text
		}
	}
	s.log.Warn(text)
	return len(message), nil
}

func errorLog(l *slog.Logger) *log.Logger { return log.New(serverLog{l}, "", 0) }

// place returns the file and line of a panic that is being recovered. Its value is left out, because it may quote a note.
func place() string {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)])
	panicked := false
	for {
		f, more := frames.Next()
		inRuntime := strings.HasPrefix(f.Function, "runtime.")
		if panicked && !inRuntime {
			return f.File[strings.LastIndexByte(f.File, '/')+1:] + ":" + strconv.Itoa(f.Line)
		}
		panicked = panicked || f.Function == "runtime.gopanic"
		if !more {
			return "unknown"
		}
	}
}
