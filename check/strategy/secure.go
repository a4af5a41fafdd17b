package strategy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strings"
	"time"

	"countersign/check"
)

// trust describes the certificate that a target must present.
type trust struct {
	// name is the name in the certificate.
	name string
	// authority holds trusted CA certificates in PEM; empty for the system's.
	authority string
	// anyName accepts a certificate for another name, unchecked any certificate.
	anyName, unchecked bool
}

// config returns the TLS client config. Its failure is about the authority.
func (t trust) config() (*tls.Config, error) {
	//nolint:gosec // the check's author asks for it
	c := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		ServerName:         t.name,
		InsecureSkipVerify: t.unchecked || t.anyName,
	}
	if t.authority != "" {
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM([]byte(t.authority)) {
			return nil, check.Fail(check.NotRunnable, "The certificate authority of this check is not a certificate in PEM.")
		}
	}
	if t.anyName && !t.unchecked {
		c.VerifyConnection = func(state tls.ConnectionState) error { return chained(state, c.RootCAs) }
	}
	return c, nil
}

// chained verifies the chain of a certificate, without the name.
func chained(state tls.ConnectionState, roots *x509.CertPool) error {
	o := x509.VerifyOptions{Roots: roots, Intermediates: x509.NewCertPool()}
	for _, c := range state.PeerCertificates[1:] {
		o.Intermediates.AddCert(c)
	}
	if _, err := state.PeerCertificates[0].Verify(o); err != nil {
		return &tls.CertificateVerificationError{UnverifiedCertificates: state.PeerCertificates, Err: err}
	}
	return nil
}

// noProtocol and the following are TLS alerts as crypto/tls words them: no common protocol, and a missing or unacceptable
// client certificate.
const noProtocol = "tls: no application protocol"

var certificateAsked = []string{
	"tls: bad certificate", "tls: unsupported certificate", "tls: revoked certificate", "tls: expired certificate", "tls: unknown certificate",
	"tls: unknown certificate authority", "tls: access denied", "tls: certificate required",
}

// alertOf returns the TLS alert of a server; empty for other errors.
func alertOf(err error) string {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "remote error" && op.Err != nil {
		return op.Err.Error()
	}
	return ""
}

// encrypt starts TLS on a connection.
func encrypt(ctx context.Context, w *wire, t trust, protocols ...string) (*tls.Conn, error) {
	c, err := t.config()
	if err != nil {
		return nil, err
	}
	c.NextProtos = protocols
	conn := tls.Client(w, c)
	if err := conn.HandshakeContext(ctx); err != nil {
		if alertOf(err) == noProtocol {
			return nil, misspoken(w.address, strings.Join(protocols, " or ")+" over TLS")
		}
		return nil, check.Classify(ctx, "set up TLS with "+w.address, err)
	}
	return conn, nil
}

// daysLeft returns the number of days until the certificate of a connection expires.
func daysLeft(state tls.ConnectionState, now time.Time) int {
	if len(state.PeerCertificates) == 0 {
		return 0
	}
	return int(state.PeerCertificates[0].NotAfter.Sub(now).Hours() / 24)
}
