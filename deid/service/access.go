package service

import (
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"encoding/base64"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/lethe-deid/lethe/deid/service/wire"
)

// access decides which requests are let in.
type access struct {
	hosts   map[string]bool // allowed in the header Host; nil means any
	tokens  *watched[tokens]
	tls     *watched[*tls.Config]
	clients bool // clients must have a certificate
	origins *http.CrossOriginProtection
}

func newAccess(c Config, at address, failed func(error)) (*access, error) {
	a := &access{clients: c.TLSClientCA != "", origins: http.NewCrossOriginProtection()}
	if at.network == "tcp" && (at.local || len(c.Hosts) > 0) {
		a.hosts = map[string]bool{"localhost": true}
		if ip, _, err := net.SplitHostPort(at.at); err == nil && ip != "" {
			a.hosts[ip] = true
		}
		for _, h := range c.Hosts {
			a.hosts[hostOf(h)] = true
		}
	}
	var err error
	if c.TokenFile != "" {
		load := func() (tokens, error) { return readTokens(c.TokenFile) }
		if a.tokens, err = watch(load, failed, c.TokenFile); err != nil {
			return nil, err
		}
	}
	if c.TLSCert != "" {
		load := func() (*tls.Config, error) { return readTLS(c.TLSCert, c.TLSKey, c.TLSClientCA) }
		files := []string{c.TLSCert, c.TLSKey}
		if a.clients {
			files = append(files, c.TLSClientCA)
		}
		if a.tls, err = watch(load, failed, files...); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// hostOf returns the name or address of a header Host, without its port and brackets.
func hostOf(header string) string {
	if at, err := netip.ParseAddrPort(header); err == nil {
		return at.Addr().String()
	}
	host := header
	if name, _, err := net.SplitHostPort(header); err == nil {
		host = name
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

// named reports whether requests may have a host in the header Host: an address of loopback, or a name or address of the service.
func (a *access) named(host string) bool {
	ip, err := netip.ParseAddr(host)
	return a.hosts[host] || err == nil && ip.Unmap().IsLoopback()
}

// site returns an error if a web page of another site may have sent the request. Such a page can reach a service on loopback
// through the browser of its reader: directly, which the browser tells by its headers, or by a name that resolves to
// 127.0.0.1, which is then in the header Host.
func (a *access) site(r *http.Request) *wire.Error {
	if a.hosts != nil && !a.named(hostOf(r.Host)) {
		return &wire.Error{Status: http.StatusMisdirectedRequest, Code: "wrong_host", Message: "The header Host has a name that this service does not allow; --host NAME allows it."}
	}
	if a.foreign(r) {
		return &wire.Error{Status: http.StatusForbidden, Code: "wrong_origin", Message: "Pages of other sites cannot use this service."}
	}
	return nil
}

// foreign reports whether a browser says that a page of another origin has sent the request. A link on such a page may lead to this service, because the page does not
// see what comes of it. Every other request is checked as strictly as those that change something.
func (a *access) foreign(r *http.Request) bool {
	read := r.Method == http.MethodGet || r.Method == http.MethodHead
	if read && r.Header.Get("Sec-Fetch-Mode") != "navigate" {
		strict := *r
		strict.Method = http.MethodPost
		r = &strict
	}
	return a.origins.Check(r) != nil
}

// client returns an error if the client does not prove who it is.
func (a *access) client(r *http.Request) *wire.Error {
	if a.clients && (r.TLS == nil || len(r.TLS.VerifiedChains) == 0) {
		return &wire.Error{Status: http.StatusUnauthorized, Code: "unauthorized", Message: "The client must have a certificate that this service knows."}
	}
	if a.tokens != nil && !a.tokens.get().match(r.Header.Get("Authorization")) {
		return &wire.Error{Status: http.StatusUnauthorized, Code: "unauthorized", Message: "The header Authorization must be Bearer and a token that this service knows."}
	}
	return nil
}

// match reports whether the header Authorization has one of the tokens: after Bearer, or as the password of any user after
// Basic, for programs that know nothing else, such as Label Studio.
func (t tokens) match(header string) bool {
	scheme, token, _ := strings.Cut(header, " ")
	if strings.EqualFold(scheme, "Basic") {
		pair, _ := base64.StdEncoding.DecodeString(strings.TrimSpace(token))
		_, token, _ = strings.Cut(string(pair), ":")
		scheme = "Bearer"
	}
	given := sha256.Sum256([]byte(strings.TrimSpace(token)))
	found := 0
	for _, want := range t {
		found |= subtle.ConstantTimeCompare(given[:], want[:])
	}
	return found == 1 && strings.EqualFold(scheme, "Bearer")
}

// config makes the server use the certificates of its files as they are now.
func (a *access) config() *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		NextProtos:         []string{"http/1.1"},
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return a.tls.get(), nil },
	}
}
