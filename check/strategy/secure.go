package strategy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"countersign/check"
	"countersign/internal/egress"
	"countersign/internal/problem"
)

// CertificateTerm is the member minDaysUntilExpiry of configs with TLS, to embed.
type CertificateTerm struct {
	MinDaysUntilExpiry int `json:"minDaysUntilExpiry,omitempty" jsonschema:"minimum=0,maximum=3650" jsonschema_description:"The check fails when the certificate of the server, or one that signs it, is valid for fewer days; 0 to not look" check:"unit=days,label=Minimum days left"`
}

// without lists the problem of a term in a config that connects without TLS, and so never sees a certificate. remedy is what to set.
func (t CertificateTerm) without(remedy string) []problem.Issue {
	if t.MinDaysUntilExpiry == 0 {
		return nil
	}
	return []problem.Issue{{
		Path: "minDaysUntilExpiry", Message: "is about a certificate, which there is not without TLS: " + remedy + ", or leave it out",
	}}
}

// trust describes the certificate that a target must present.
type trust struct {
	// name is the name in the certificate.
	name string
	// roots are the trusted authorities; nil for the system's.
	roots *x509.CertPool
	// anyName accepts a certificate for another name, unchecked any certificate.
	anyName, unchecked bool
	// own are the certificates that the check shows.
	own []tls.Certificate
	// least is the minimum of days that the certificate has to be valid for.
	least int
	// asked receives whether the server requested a client certificate; nil where nobody asks.
	asked *atomic.Bool
	// sent receives the certificates of the server, the leaf first. Drivers of databases show them in no other way.
	sent *[]*x509.Certificate
}

// server returns the name that the certificate has to be for, in ASCII.
func (t trust) server() string {
	name, err := egress.ASCIIHost(t.name)
	if err != nil {
		return t.name
	}
	return name
}

// CertificateDays are the members about the certificate of a server in results, to embed; absent without TLS.
type CertificateDays struct {
	CertificateDaysRemaining *int   `json:"certificateDaysRemaining,omitempty" jsonschema_description:"For how many days the certificate of the server is valid yet; negative when it has expired" check:"chart=line,unit=days,label=Certificate days left"`
	CertificateValidTo       string `json:"certificateValidTo,omitempty" jsonschema_description:"Until when the certificate of the server is valid" check:"label=Certificate valid to"`
}

// lifetime is what a session knows of its certificate.
type lifetime struct {
	days CertificateDays
	// expired is the failure of an expired certificate that the check does not verify, tooShort that of one that expires too early; nil
	// otherwise.
	expired, tooShort error
}

// lifetime judges the certificates of a connection.
func (t trust) lifetime(address string, sent []*x509.Certificate, now time.Time) lifetime {
	if len(sent) == 0 {
		return lifetime{}
	}
	left := daysUntil(sent[0].NotAfter, now)
	l := lifetime{days: CertificateDays{&left, sent[0].NotAfter.UTC().Format(time.RFC3339)}}
	if t.unchecked && now.After(sent[0].NotAfter) {
		l.expired = expiryFailure(address, sent, t.roots, now, 0)
	}
	if t.least > 0 {
		l.tooShort = expiryFailure(address, sent, t.roots, now, t.least)
	}
	return l
}

// failure is the failure of the certificate; nil for a good one. An assertion about its days decides in place of the rule that an expired
// certificate fails.
func (l lifetime) failure(run check.Run) error {
	if l.expired != nil && !run.Asserted("certificateDaysRemaining", "certificateValidTo") {
		return l.expired
	}
	return l.tooShort
}

// authorities returns the certificates in the member ca of a config, which is checked before a run; nil for the system's.
func authorities(ca string) *x509.CertPool {
	if ca == "" {
		return nil
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(ca))
	return roots
}

// config returns the TLS client config.
func (t trust) config() *tls.Config {
	//nolint:gosec // the check's author asks for it
	c := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		ServerName:         t.server(),
		InsecureSkipVerify: t.unchecked || t.anyName,
		RootCAs:            t.roots,
		Certificates:       t.own,
	}
	if t.asked != nil {
		c.GetClientCertificate = func(wanted *tls.CertificateRequestInfo) (*tls.Certificate, error) {
			t.asked.Store(true)
			for i := range t.own {
				if wanted.SupportsCertificate(&t.own[i]) == nil {
					return &t.own[i], nil
				}
			}
			return &tls.Certificate{}, nil
		}
	}
	c.VerifyConnection = func(state tls.ConnectionState) error {
		if t.sent != nil {
			*t.sent = state.PeerCertificates
		}
		if t.anyName && !t.unchecked {
			return chained(state, c.RootCAs)
		}
		return nil
	}
	return c
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
	t.asked = &atomic.Bool{}
	c := t.config()
	c.NextProtos = protocols
	conn := tls.Client(w, c)
	if err := conn.HandshakeContext(ctx); err != nil {
		if alertOf(err) == noProtocol {
			return nil, misspoken(w.address, strings.Join(protocols, " or ")+" over TLS")
		}
		return nil, t.failure(ctx, w.address, time.Now(), err)
	}
	return conn, nil
}

// failure explains a failed TLS handshake.
func (t trust) failure(ctx context.Context, address string, now time.Time, err error) error {
	if invalid, ok := errors.AsType[*tls.CertificateVerificationError](err); ok && len(invalid.UnverifiedCertificates) > 0 {
		name := t.name
		if t.anyName {
			name = ""
		}
		if d := defectsOf(invalid.UnverifiedCertificates, name, t.roots, now); d.says != "" {
			return check.Fail(check.BadCertificate, "The certificate of "+address+" "+d.says+".")
		}
	}
	alert := alertOf(err)
	switch {
	case alert == noProtocol:
		return check.Fail(check.BadProtocol, "The server at "+address+" does not speak the protocol of this check over TLS.")
	case slices.Contains(certificateAsked, alert):
		return unwanted(address)
	case alert == "tls: protocol version not supported", strings.Contains(err.Error(), "unsupported protocol version"):
		return check.Fail(
			check.BadProtocol,
			"The server at "+address+" speaks no version of TLS that checks accept, which are 1.2 and 1.3.",
		)
	case alert != "" && t.asked != nil && t.asked.Load():
		return unwanted(address)
	case alert != "":
		return check.Fail(check.BadProtocol, "The server at "+address+" breaks off TLS"+t.reason(alert)+".")
	}
	if said := err.Error(); strings.HasPrefix(said, "local error: tls: ") || strings.HasPrefix(said, "tls: received unexpected ") {
		return check.Fail(check.BadProtocol, "The server at "+address+" does not keep to TLS.")
	}
	f := check.Classify(ctx, "set up TLS with "+address, err)
	if f.Cause == check.Broken {
		f = check.Fail(f.Cause, strings.TrimSuffix(f.Message, ".")+"; the server may not speak TLS there.")
	}
	return f
}

// reason ends a sentence about an alert of a server that accepts no handshake.
func (t trust) reason(alert string) string {
	name := t.server()
	_, err := netip.ParseAddr(name)
	unnamed := name == "" || err == nil // TLS sends no addresses
	switch {
	case alert == "tls: unrecognized name" && !unnamed:
		return ": it has no certificate for the name " + name
	case unnamed:
		return " with the alert " + strings.TrimPrefix(alert, "tls: ") + ": it may want to be asked for by a name, which an address is not"
	case alert == "tls: handshake failure":
		return ": it shares no cipher with this check, or asks for a client certificate"
	default:
		return " with the alert " + strings.TrimPrefix(alert, "tls: ")
	}
}
