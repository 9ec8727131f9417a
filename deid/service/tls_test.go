package service

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  string // file of its certificate
}

func newAuthority(t *testing.T, dir string) *authority {
	t.Helper()
	a := &authority{pem: filepath.Join(dir, "ca.pem")}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ca"}, NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	a.key = newKey(t)
	der, err := x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	writePEM(t, a.pem, "CERTIFICATE", der)
	return a
}

// issue writes a certificate for 127.0.0.1, or for a client, and its key.
func (a *authority) issue(t *testing.T, serial int64, cert, key string) {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: canary}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	own := newKey(t)
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &own.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(own)
	if err != nil {
		t.Fatal(err)
	}
	writePEM(t, cert, "CERTIFICATE", der)
	writePEM(t, key, "PRIVATE KEY", raw)
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func writePEM(t *testing.T, path, kind string, der []byte) {
	t.Helper()
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
}

// client returns a client that trusts the authority and has its own certificate, unless the file is "".
func (a *authority) client(t *testing.T, cert, key string) *http.Client {
	t.Helper()
	config := &tls.Config{RootCAs: x509.NewCertPool()}
	config.RootCAs.AddCert(a.cert)
	if cert != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			t.Fatal(err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	transport := &http.Transport{TLSClientConfig: config, DisableKeepAlives: true, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func TestCertificates(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	ours, other := newAuthority(t, dir), newAuthority(t, t.TempDir())
	ours.issue(t, 2, path("cert"), path("key"))
	ours.issue(t, 3, path("client"), path("client-key"))
	other.issue(t, 4, path("stranger"), path("stranger-key"))
	s := start(t, Config{TLSCert: path("cert"), TLSKey: path("key"), TLSClientCA: ours.pem}, echoing, nil)
	s.url = strings.Replace(s.url, "http:", "https:", 1)
	post := func(c *http.Client, path string) *http.Response {
		t.Helper()
		resp, err := c.Do(request(t, "POST", s.url+path, strings.NewReader(canary)))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp
	}
	known := ours.client(t, path("client"), path("client-key"))
	if resp := post(known, "/echo"); resp.StatusCode != 200 || resp.TLS.PeerCertificates[0].SerialNumber.Int64() != 2 {
		t.Errorf("a client with a certificate: status %d", resp.StatusCode)
	}
	anonymous := ours.client(t, "", "")
	if resp := post(anonymous, "/echo"); resp.StatusCode != 401 {
		t.Errorf("a client without a certificate: status %d", resp.StatusCode)
	}
	resp, err := anonymous.Get(s.url + "/readyz")
	if err != nil || resp.StatusCode != 200 {
		t.Errorf("/readyz without a certificate: %v, %v", resp, err)
	} else {
		resp.Body.Close()
	}
	if resp, err := ours.client(t, path("stranger"), path("stranger-key")).Get(s.url + "/readyz"); err == nil {
		t.Errorf("a certificate of another authority: status %d", resp.StatusCode)
	}
	if resp, err := http.Get(strings.Replace(s.url, "https:", "http:", 1) + "/" + canary); err == nil && resp.StatusCode != 400 {
		t.Errorf("without TLS: status %d", resp.StatusCode)
	}

	ours.issue(t, 5, path("cert"), path("key"))
	if resp := post(known, "/echo"); resp.TLS.PeerCertificates[0].SerialNumber.Int64() != 5 {
		t.Error("the new certificate is not in use")
	}
	if err := os.WriteFile(path("cert"), []byte(canary), 0o600); err != nil {
		t.Fatal(err)
	}
	if resp := post(known, "/echo"); resp.TLS.PeerCertificates[0].SerialNumber.Int64() != 5 {
		t.Error("the old certificate is not in use after a broken one")
	}
	if !strings.Contains(s.log.String(), "a file has changed and cannot be used") {
		t.Errorf("the log does not say that the certificate is broken: %s", s.log)
	}
}
