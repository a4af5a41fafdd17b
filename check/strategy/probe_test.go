package strategy_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/strategy"
	"countersign/check/strategy/servertest"
	"countersign/internal/egress"
	"countersign/internal/egress/porttest"
	"countersign/internal/secret"
)

// object is a config.
type object = map[string]any

// password is the secret of all tests; no report may show it.
const password = "correct-horse-battery"

// names is a resolver that knows names of this machine only.
type names struct{}

func (names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if name := strings.TrimSuffix(host, "."); name == "known.test" || name == "xn--mnchen-3ya.test" {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

// here is a host that reaches this machine.
func here(t testing.TB) *check.Host {
	allow, err := egress.ParsePolicy("127.0.0.0/8")
	require.NoError(t, err)
	guard := egress.NewChecks(egress.ChecksOptions{Allow: allow, Resolver: names{}})
	return &check.Host{Dial: guard.Dial, Addresses: guard.Addresses, Now: time.Now}
}

// probe is one check with one collector.
type probe struct {
	strategy  string
	config    object
	collector string
	about     object
	secrets   map[string]string
	host      *check.Host
	scope     check.Scope
	asserted  []check.Assertion
	settings  strategy.Settings
}

// asserting is the probe with one more assertion; an empty value for an operator that takes none.
func (p probe) asserting(field, path, operator, value string) probe {
	p.asserted = append(slices.Clone(p.asserted), check.Assertion{
		Field: field, JSONPath: path, Operator: operator, Value: json.RawMessage(value),
	})
	return p
}

// with is the probe with other settings of its strategy.
func (p probe) with(settings object) probe {
	config := object{}
	for _, from := range []object{p.config, settings} {
		for name, value := range from {
			if value == nil {
				delete(config, name)
			} else {
				config[name] = value
			}
		}
	}
	p.config = config
	return p
}

// asking is the probe with another config of its collector.
func (p probe) asking(about object) probe {
	p.about = about
	return p
}

// run runs it once. What it found is decoded into result, if that is not nil.
func (p probe) run(t testing.TB, result any) (check.Outcome, check.Report) {
	registry, err := check.NewRegistry(strategy.With(p.settings)...)
	require.NoError(t, err)
	encode := func(o object) json.RawMessage {
		if o == nil {
			o = object{}
		}
		data, err := json.Marshal(o)
		require.NoError(t, err)
		return data
	}
	if p.host == nil {
		p.host = here(t)
	}
	secrets := map[string]secret.Value{"PASSWORD": secret.NewValue(password)}
	for name, value := range p.secrets {
		secrets[name] = secret.NewValue(value)
	}
	prepared, err := registry.Prepare(check.Configuration{
		Strategy: p.strategy, Config: encode(p.config),
		Collectors: []check.Collected{{ID: uuid.New(), CollectorID: p.collector, Config: encode(p.about), Assertions: p.asserted}},
	}, p.scope, secrets)
	require.NoError(t, err)
	outcome := prepared.Draft().Run(t.Context(), p.host, 1, time.Now())
	report := outcome.Report()
	text, err := json.Marshal(report)
	require.NoError(t, err)
	for _, value := range secrets {
		require.NotContains(t, string(text), value.Reveal())
	}
	if result != nil {
		require.NotEmpty(t, report.Collectors[0].Result, report.Message)
		require.NoError(t, json.Unmarshal(report.Collectors[0].Result, result))
	}
	return outcome, report
}

// passes runs a check that has to pass.
func (p probe) passes(t testing.TB, result any) {
	t.Helper()
	outcome, report := p.run(t, result)
	require.Equal(t, check.Passed, outcome.Verdict, report.Message)
	require.Empty(t, report.Message)
}

// fails runs a check that has to fail for a cause, with a sentence that has some words.
func (p probe) fails(t testing.TB, cause check.Cause, words string) {
	t.Helper()
	outcome, report := p.run(t, nil)
	require.Contains(t, report.Message, words)
	require.Equal(t, cause, outcome.Cause, report.Message)
	verdict := check.Failed
	if !cause.AboutTarget() {
		verdict = check.Errored
	}
	require.Equal(t, verdict, outcome.Verdict, report.Message)
	require.Regexp(t, `^[A-Z0-9].*[.?]$`, report.Message, "it is a sentence")
}

// unreachable checks what any strategy says of a target that it does not come to speak with.
func unreachable(t *testing.T, p probe, protocol string) {
	t.Helper()
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		p.with(object{"port": porttest.Closed(t)}).fails(t, check.Refused, "the connection was refused")
	})
	t.Run("timed out", func(t *testing.T) {
		t.Parallel()
		p.with(object{"port": serve(t, func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }), "timeout": 300}).
			fails(t, check.TimedOut, "")
	})
	t.Run("name not found", func(t *testing.T) {
		t.Parallel()
		p.with(object{"host": "missing.test"}).fails(t, check.NameNotFound, "missing.test")
	})
	t.Run("another protocol", func(t *testing.T) {
		t.Parallel()
		p.with(object{"port": serve(t, func(conn net.Conn) {
			_, _ = conn.Write([]byte("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
			_, _ = conn.Read(make([]byte, 1024))
		})}).fails(t, check.BadProtocol, "does not speak "+protocol)
	})
	t.Run("broken off", func(t *testing.T) {
		t.Parallel()
		p.with(object{"port": serve(t, func(net.Conn) {})}).fails(t, check.Broken, "was interrupted")
	})
	t.Run("not allowed", func(t *testing.T) {
		t.Parallel()
		strict := egress.NewChecks(egress.ChecksOptions{Resolver: names{}})
		closed := p
		closed.host = &check.Host{Dial: strict.Dial, Addresses: strict.Addresses, Now: time.Now}
		closed.fails(t, check.EgressRefused, "may not reach")
	})
}

// certificates checks what any strategy with TLS says of a certificate. secured is the port of a server with that certificate.
func certificates(t *testing.T, p probe, ca *authority, secured func(t *testing.T, c tls.Certificate) int) {
	t.Helper()
	for name, c := range map[string]struct {
		certificate tls.Certificate
		cause       check.Cause
		words       string
		authority   string
	}{
		"trusted":    {ca.issue(t, "known.test", time.Hour), check.None, "", ca.pem},
		"unknown":    {ca.issue(t, "known.test", time.Hour), check.BadCertificate, "authority that is not known", ""},
		"expired":    {ca.issue(t, "known.test", -time.Hour), check.BadCertificate, "expired", ca.pem},
		"other name": {ca.issue(t, "elsewhere.test", time.Hour), check.BadCertificate, "is not for known.test but for elsewhere.test", ca.pem},
	} {
		t.Run("certificate "+name, func(t *testing.T) {
			t.Parallel()
			asked := p.with(object{"port": secured(t, c.certificate), "ca": c.authority})
			if c.cause == check.None {
				asked.passes(t, nil)
				return
			}
			asked.fails(t, c.cause, c.words)
		})
	}
}

// certificateTerms checks what a strategy says of the days of a certificate. untested are the settings that take any certificate.
func certificateTerms(t *testing.T, p probe, ca *authority, untested object, secured func(t *testing.T, c tls.Certificate) object) {
	t.Helper()
	good := p.with(secured(t, ca.issue(t, "known.test", 100*time.Hour))).with(object{"ca": ca.pem})
	good.asserting("certificateDaysRemaining", "", "equals", "4").passes(t, nil)
	good.with(object{"minDaysUntilExpiry": 4}).passes(t, nil)
	good.with(object{"minDaysUntilExpiry": 7}).fails(t, check.BadCertificate, " expires in 4 days; this check requires 7.")
	good.with(object{"ca": nil}).with(untested).passes(t, nil)
	expired := p.with(secured(t, ca.issue(t, "known.test", -time.Hour))).with(untested)
	expired.fails(t, check.BadCertificate, " expired on ")
	expired.asserting("certificateDaysRemaining", "", "greaterThan", "-30").passes(t, nil)
	expired.asserting("certificateDaysRemaining", "", "greaterThanOrEqual", "0").
		fails(t, check.AssertionFailed, "Expected certificateDaysRemaining >= 0, got -1.")
}

// atPort makes a config of a server's port.
func atPort(secured func(t *testing.T, c tls.Certificate) int) func(t *testing.T, c tls.Certificate) object {
	return func(t *testing.T, c tls.Certificate) object { return object{"port": secured(t, c)} }
}

// serve listens until the test ends and hands each connection to do, which is over when it returns.
func serve(t testing.TB, do func(net.Conn)) int {
	listener := listen(t)
	servertest.Serve(listener, do)
	return port(listener.Addr())
}

func listen(t testing.TB) net.Listener {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}

func port(a net.Addr) int {
	_, text, _ := net.SplitHostPort(a.String())
	n, _ := strconv.Atoi(text)
	return n
}

// authority issues certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pem         string
}

func newAuthority(t testing.TB) *authority {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Test authority"}, NotBefore: time.Now().Add(-48 * time.Hour),
		NotAfter: time.Now().Add(240 * time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	certificate, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return &authority{certificate, key, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))}
}

// issue makes a certificate for a name that is valid for a while, or not any more.
func (a *authority) issue(t testing.TB, name string, valid time.Duration) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: time.Now().Add(valid), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// messages are the issues of a configuration, one a line.
func messages(t testing.TB, registry *check.Registry, p probe) string {
	encode := func(o object) json.RawMessage {
		data, err := json.Marshal(o)
		require.NoError(t, err)
		if o == nil {
			return json.RawMessage("{}")
		}
		return data
	}
	issues := registry.Validate(t.Context(), check.Configuration{
		Strategy: p.strategy, Config: encode(p.config),
		Collectors: []check.Collected{{ID: uuid.New(), CollectorID: p.collector, Config: encode(p.about), Assertions: p.asserted}},
	})
	lines := make([]string, len(issues))
	for i, issue := range issues {
		lines[i] = issue.Path + " " + issue.Message
	}
	return strings.Join(lines, "\n")
}

func itoa(n any) string { return fmt.Sprint(n) }
