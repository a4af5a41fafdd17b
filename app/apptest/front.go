package apptest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Front is a TLS proxy before the test stack's Temporal server, configured as a managed cluster's endpoint: TLS only,
// client certificate and API key required, certificate of a private CA.
type Front struct {
	// Address is where Front listens.
	Address string
	// ServerName is the name in its certificate.
	ServerName string
	// Key is the required API key.
	Key string
	// CA, Cert and PrivateKey are paths of PEM files.
	CA, Cert, PrivateKey string
	// Served counts forwarded requests, Refused those without the key.
	Served, Refused atomic.Int64
}

// NewFront starts a Front until the test ends.
func NewFront(t testing.TB) *Front {
	t.Helper()
	backend := os.Getenv(EnvTemporal)
	if backend == "" {
		t.Skipf("%s is not set: run `make test`, or `bin/devstack exec -- go test ./...`", EnvTemporal)
	}
	folder := t.TempDir()
	f := &Front{ServerName: "temporal.example.test", Key: "tk-" + rand.Text()}
	ca := newAuthority(t)
	f.CA = writePEM(t, folder, "ca.pem", "CERTIFICATE", ca.certificate.Raw)
	own, ownKey := ca.issue(t, f.ServerName, x509.ExtKeyUsageServerAuth)
	client, clientKey := ca.issue(t, "countersign", x509.ExtKeyUsageClientAuth)
	f.Cert = writePEM(t, folder, "client.pem", "CERTIFICATE", client)
	f.PrivateKey = writePEM(t, folder, "client.key", "EC PRIVATE KEY", marshalKey(t, clientKey))

	listener, err := (&net.ListenConfig{}).Listen(context.WithoutCancel(t.Context()), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	f.Address = listener.Addr().String()
	pool := x509.NewCertPool()
	pool.AddCert(ca.certificate)
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{
		Handler: f.handler(backend, transport), ReadHeaderTimeout: time.Minute, ErrorLog: log.New(discard{}, "", 0),
		TLSConfig: &tls.Config{
			MinVersion: tls.VersionTLS12, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool,
			Certificates: []tls.Certificate{{Certificate: [][]byte{own}, PrivateKey: ownKey}},
		},
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.ServeTLS(listener, "", "")
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
		transport.CloseIdleConnections()
	})
	return f
}

func (f *Front) handler(backend string, transport http.RoundTripper) http.Handler {
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: backend})
	proxy.Transport, proxy.FlushInterval, proxy.ErrorLog = transport, -1, log.New(discard{}, "", 0)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+f.Key {
			f.Refused.Add(1)
			w.Header().Set("Content-Type", "application/grpc")
			w.Header().Set("Grpc-Status", "16")
			w.Header().Set("Grpc-Message", "the API key is not known")
			return
		}
		f.Served.Add(1)
		r.Header.Del("Authorization")
		proxy.ServeHTTP(w, r)
	})
}

// Env are the settings for a process to connect through the Front.
func (f *Front) Env() map[string]string {
	return map[string]string{
		"TEMPORAL_ADDRESS": f.Address, "TEMPORAL_TLS_SERVER_NAME": f.ServerName, "TEMPORAL_TLS_SERVER_CA_CERT_PATH": f.CA,
		"TEMPORAL_TLS_CLIENT_CERT_PATH": f.Cert, "TEMPORAL_TLS_CLIENT_KEY_PATH": f.PrivateKey, "TEMPORAL_API_KEY": f.Key,
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t testing.TB) authority {
	t.Helper()
	key := newKey(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "CA of a test"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	certificate, err := x509.ParseCertificate(raw)
	require.NoError(t, err)
	return authority{certificate, key}
}

func (a authority) issue(t testing.TB, name string, use x509.ExtKeyUsage) ([]byte, *ecdsa.PrivateKey) {
	t.Helper()
	key := newKey(t)
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	require.NoError(t, err)
	raw, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{use},
	}, a.certificate, key.Public(), a.key)
	require.NoError(t, err)
	return raw, key
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return key
}

func marshalKey(t testing.TB, key *ecdsa.PrivateKey) []byte {
	t.Helper()
	raw, err := x509.MarshalECPrivateKey(key)
	require.NoError(t, err)
	return raw
}

func writePEM(t testing.TB, folder, name, kind string, raw []byte) string {
	t.Helper()
	path := filepath.Join(folder, name)
	require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: raw}), 0o600))
	return path
}
