package service

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lethe-deid/lethe/internal/bounded"
)

// watched is a value made of files, which is made again when one of them has changed.
type watched[T any] struct {
	paths  []string
	load   func() (T, error)
	failed func(error) // is told why the files that changed cannot be used; the old value stays

	mu     sync.Mutex
	stamps []stamp
	value  T
}

// stamp changes when a file is written.
type stamp struct {
	modified time.Time
	size     int64
}

// watch reads the files. load must use no others.
func watch[T any](load func() (T, error), failed func(error), paths ...string) (*watched[T], error) {
	w := &watched[T]{paths: paths, load: load, failed: failed, stamps: stampsOf(paths)}
	var err error
	w.value, err = load()
	return w, err
}

func stampsOf(paths []string) []stamp {
	stamps := make([]stamp, len(paths))
	for i, path := range paths {
		if info, err := os.Stat(path); err == nil {
			stamps[i] = stamp{info.ModTime(), info.Size()}
		}
	}
	return stamps
}

// get returns the value of the files as they are now.
func (w *watched[T]) get() T {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := stampsOf(w.paths); !slices.Equal(now, w.stamps) {
		w.stamps = now
		if value, err := w.load(); err != nil {
			w.failed(err)
		} else {
			w.value = value
		}
	}
	return w.value
}

// tokens are the digests of the tokens of a file. Comparing digests takes the same time whatever the token.
type tokens [][sha256.Size]byte

// minToken is the least number of characters of a token.
const minToken = 16

// readTokens reads a file with one token per line. Blank lines and those that start with # are skipped.
func readTokens(path string) (tokens, error) {
	raw, err := bounded.ReadFile(path, bounded.MaxConfig)
	if err != nil {
		return nil, err
	}
	var all tokens
	lines := bufio.NewScanner(bytes.NewReader(raw))
	for number := 1; lines.Scan(); number++ {
		token := strings.TrimSpace(lines.Text())
		switch {
		case token == "" || token[0] == '#':
		case strings.ContainsAny(token, " \t"):
			return nil, fmt.Errorf("%s:%d: a token cannot contain blanks", path, number)
		case len(token) < minToken:
			return nil, fmt.Errorf("%s:%d: a token must have at least %d characters", path, number, minToken)
		default:
			all = append(all, sha256.Sum256([]byte(token)))
		}
	}
	if lines.Err() != nil {
		return nil, fmt.Errorf("%s: a line is too long for a token", path)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: contains no token", path)
	}
	return all, nil
}

// readTLS reads the certificate of the server and the authorities of its clients, if a file names them.
func readTLS(cert, key, clientCA string) (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("the certificate %s with the key %s: %w", cert, key, err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	if clientCA == "" {
		return config, nil
	}
	raw, err := bounded.ReadFile(clientCA, bounded.MaxConfig)
	if err != nil {
		return nil, err
	}
	config.ClientCAs = x509.NewCertPool()
	if !config.ClientCAs.AppendCertsFromPEM(raw) {
		return nil, errors.New(clientCA + ": contains no certificate in PEM")
	}
	// A client without a certificate can connect, and asks for /livez and /readyz only: see access.
	config.ClientAuth = tls.VerifyClientCertIfGiven
	return config, nil
}
