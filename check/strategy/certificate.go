package strategy

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/check"
	"countersign/internal/egress"
)

// tlsConfig configures the server and the requirements of its certificate.
type tlsConfig struct {
	Host               string `json:"host" jsonschema:"minLength=1,maxLength=253" jsonschema_description:"Host name or address" check:"template,label=Host"`
	Port               int    `json:"port,omitempty" jsonschema:"minimum=1,maximum=65535,default=443" jsonschema_description:"Port that speaks TLS from the beginning" check:"label=Port"`
	ServerName         string `json:"servername,omitempty" jsonschema:"maxLength=253" jsonschema_description:"The name to ask for, and for which the certificate has to be; the host when empty" check:"template,label=Server name"`
	MinDaysUntilExpiry *int   `json:"minDaysUntilExpiry,omitempty" jsonschema:"minimum=0,maximum=3650,default=30" jsonschema_description:"The check fails when the certificate, or one that signs it, is valid for fewer days. An expired certificate always fails, unless an assertion is about that." check:"unit=days,label=Minimum days left"`
	RejectUnauthorized bool   `json:"rejectUnauthorized,omitempty" jsonschema:"default=true" jsonschema_description:"The check fails when the certificate is not trusted, expired or for another name. Otherwise that is a result: assert valid." check:"label=Reject invalid certificates"`
	CA                 string `json:"ca,omitempty" jsonschema:"maxLength=65536" jsonschema_description:"Certificates in PEM to trust instead of the public authorities" check:"editor=text,label=Certificate authority"`
	check.Deadline
	check.Tries
	check.Addressing
}

// tlsCertificateConfig is empty: the collector has no options.
type tlsCertificateConfig struct{}

// tlsCertificateResult describes the certificate of a server. Times are of the form 2006-01-02T15:04:05Z.
type tlsCertificateResult struct {
	Subject            string   `json:"subject" jsonschema_description:"Whose certificate it is, such as CN=example.com" check:"label=Subject"`
	Issuer             string   `json:"issuer" jsonschema_description:"Who has signed it" check:"label=Issuer"`
	ValidFrom          string   `json:"validFrom" jsonschema_description:"From when on it is valid" check:"label=Valid from"`
	ValidTo            string   `json:"validTo" jsonschema_description:"Until when it is valid" check:"label=Valid to"`
	DaysRemaining      int      `json:"daysRemaining" jsonschema_description:"For how many days it is valid yet; negative when it has expired" check:"chart=line,unit=days,label=Days left,keep"`
	ChainDaysRemaining int      `json:"chainDaysRemaining" jsonschema_description:"The same for the certificate that expires first in the verified chain, without the root" check:"chart=line,unit=days,label=Days left in the chain"`
	Valid              bool     `json:"valid" jsonschema_description:"Whether it is trusted, in its time and for the name" check:"label=Valid"`
	Problems           []string `json:"problems" jsonschema_description:"Why it is not valid: expired, not valid yet, other name, unknown authority, self-signed, or otherwise" check:"label=Problems"`
	Names              []string `json:"names" jsonschema_description:"The names and addresses that it is for" check:"label=Names"`
	SelfSigned         bool     `json:"selfSigned" jsonschema_description:"Whether it is signed by its own key" check:"label=Self-signed"`
	ChainLength        int      `json:"chainLength" jsonschema_description:"How many certificates the server sends" check:"label=Chain length"`
	Serial             string   `json:"serialNumber" jsonschema_description:"Serial number, hexadecimal" check:"label=Serial number"`
	Fingerprint        string   `json:"fingerprint" jsonschema_description:"SHA-256 of the certificate, hexadecimal" check:"label=Fingerprint"`
	Key                string   `json:"keyType" jsonschema_description:"Kind of its key, such as ECDSA" check:"label=Key"`
	Protocol           string   `json:"protocol" jsonschema_description:"Version of TLS, such as TLS 1.3" check:"label=Protocol"`
	Cipher             string   `json:"cipher" jsonschema_description:"Cipher suite of the connection" check:"label=Cipher"`
	ConnectTimeMs      float64  `json:"connectTimeMs" jsonschema_description:"How long connecting took, looking up the name included" check:"chart=line,unit=ms,label=Connect time"`
	HandshakeTimeMs    float64  `json:"handshakeTimeMs" jsonschema_description:"How long setting up TLS took" check:"chart=line,unit=ms,label=Handshake"`
}

// tlsSession holds the TLS state of a server.
type tlsSession struct {
	config    *tlsConfig
	address   string
	trust     trust
	state     tls.ConnectionState
	connected time.Duration
	handshake time.Duration
}

func tlsStrategy() check.Strategy {
	return check.NewStrategy(
		check.Kind{
			ID: "healthcheck-tls.tls", Name: "TLS certificate", Category: "Network",
			Description: "Looks at the certificate of a server: whether it is valid, for which name, and for how many days yet.",
		},
		openTLS, nil,
		check.NewCollector(check.Kind{
			ID: "healthcheck-tls.certificate", Name: "Certificate", Category: "Network",
			Description: "What the certificate says, and what is wrong with it.",
		}, tlsCertificate),
	)
}

// openTLS accepts any certificate; the collector reports its defects.
func openTLS(ctx context.Context, run check.Run, c *tlsConfig) (*tlsSession, error) {
	s := &tlsSession{config: c, trust: trust{name: otherwise(c.ServerName, c.Host), roots: authorities(c.CA)}}
	w, err := reach(ctx, run, c.Host, otherwise(c.Port, 443))
	if err != nil {
		return nil, err
	}
	defer w.Close()
	s.address, s.connected = w.address, w.took
	begun := time.Now()
	//nolint:gosec // it is looked at, not trusted
	conn := tls.Client(
		w,
		&tls.Config{ServerName: s.trust.server(), InsecureSkipVerify: true, MinVersion: tls.VersionTLS10},
	)
	if err := conn.HandshakeContext(ctx); err != nil {
		// A server that requests a client certificate has sent its own before.
		if alertOf(err) == "" || len(conn.ConnectionState().PeerCertificates) == 0 {
			return nil, s.trust.failure(ctx, w.address, run.Now(), err)
		}
	}
	s.handshake, s.state = time.Since(begun), conn.ConnectionState()
	if len(s.state.PeerCertificates) == 0 {
		return nil, check.Fail(check.BadProtocol, "The server at "+w.address+" shows no certificate.")
	}
	return s, nil
}

func tlsCertificate(_ context.Context, run check.Run, s *tlsSession, _ *tlsCertificateConfig) (*tlsCertificateResult, error) {
	chain, now := s.state.PeerCertificates, run.Now()
	own := chain[0]
	fingerprint := sha256.Sum256(own.Raw)
	r := &tlsCertificateResult{
		Subject: clip(own.Subject.String(), 500), Issuer: clip(own.Issuer.String(), 500),
		ValidFrom: own.NotBefore.UTC().Format(time.RFC3339), ValidTo: own.NotAfter.UTC().Format(time.RFC3339),
		DaysRemaining: daysUntil(own.NotAfter, now), ChainLength: len(chain), Serial: fmt.Sprintf("%x", own.SerialNumber),
		Fingerprint: hex.EncodeToString(fingerprint[:]), Key: own.PublicKeyAlgorithm.String(), Protocol: tls.VersionName(s.state.Version),
		Cipher: tls.CipherSuiteName(s.state.CipherSuite), Names: certificateNames(own), SelfSigned: selfSigned(own),
		ConnectTimeMs: milliseconds(s.connected), HandshakeTimeMs: milliseconds(s.handshake), Problems: []string{},
	}
	r.ChainDaysRemaining = daysUntil(chainEnd(chain, s.trust.roots, now), now)
	d := defectsOf(chain, s.trust.name, s.trust.roots, now)
	r.Problems = append(r.Problems, d.problems...)
	r.Valid = len(r.Problems) == 0
	least := 30
	if s.config.MinDaysUntilExpiry != nil {
		least = *s.config.MinDaysUntilExpiry
	}
	if !r.Valid && s.config.RejectUnauthorized {
		return r, check.Fail(check.BadCertificate, "The certificate of "+s.address+" "+d.says+".")
	}
	if now.After(own.NotAfter) && run.Asserted("daysRemaining", "chainDaysRemaining", "valid", "problems", "validTo") {
		return r, nil
	}
	return r, expiryFailure(s.address, chain, s.trust.roots, now, least)
}

// expiryFailure is the failure of a certificate that expires too early; nil if it does not. Certificates that sign it
// count too.
func expiryFailure(address string, sent []*x509.Certificate, roots *x509.CertPool, now time.Time, least int) error {
	end := chainEnd(sent, roots, now)
	left := daysUntil(end, now)
	switch {
	case now.After(sent[0].NotAfter):
		return check.Fail(check.BadCertificate, "The certificate of "+address+" "+expiredOn(sent[0])+".")
	case left >= least:
		return nil
	case end.Equal(sent[0].NotAfter):
		return check.Fail(
			check.BadCertificate, fmt.Sprintf("The certificate of %s expires in %s; this check requires %d.", address, days(left), least),
		)
	default:
		return check.Fail(check.BadCertificate, fmt.Sprintf(
			"A certificate in the chain of %s expires in %s; this check requires %d.", address, days(left), least,
		))
	}
}

// defects are what is wrong with a certificate: short names for results, and a sentence about the first one.
type defects struct {
	problems []string
	says     string
}

func (d *defects) found(problem, says string) {
	if d.problems = append(d.problems, problem); d.says == "" {
		d.says = says
	}
}

// defectsOf judges the certificates that a server sends, the leaf first. An empty name is not compared. The sentence is
// without its subject, "The certificate of <address>".
func defectsOf(sent []*x509.Certificate, name string, roots *x509.CertPool, now time.Time) defects {
	own := sent[0]
	var d defects
	if now.After(own.NotAfter) {
		d.found("expired", expiredOn(own))
	}
	if now.Before(own.NotBefore) {
		d.found("not valid yet", outOfTime(own, now))
	}
	if ascii, err := egress.ASCIIHost(name); name != "" && (err != nil || own.VerifyHostname(ascii) != nil) {
		says := "is not for " + name + ": it names no host"
		if names := certificateNames(own); len(names) > 0 {
			says = "is not for " + name + " but for " + enumerate(names)
		}
		d.found("other name", says)
	}
	_, err := chainsOf(sent, roots, now)
	invalid, isInvalid := errors.AsType[x509.CertificateInvalidError](err)
	switch {
	case err == nil:
	case errors.As(err, new(x509.UnknownAuthorityError)) && selfSigned(own):
		d.found("self-signed", "is self-signed, so nobody vouches for it")
	case errors.As(err, new(x509.UnknownAuthorityError)):
		says := "is signed by an authority that is not known: " + brief(clip(sent[len(sent)-1].Issuer.String(), 500))
		if len(sent) == 1 {
			says += "; the server may lack an intermediate certificate, as it sends only its own"
		}
		d.found("unknown authority", says)
	case isInvalid && invalid.Reason == x509.Expired && invalid.Cert != own:
		d.found(
			"expired authority",
			"is signed by "+brief(clip(invalid.Cert.Subject.String(), 500))+", whose own certificate "+outOfTime(invalid.Cert, now),
		)
	case isInvalid && invalid.Reason == x509.Expired:
		// Reported above.
	default:
		d.found("not trusted", "is not trusted")
	}
	return d
}

// outOfTime says how a certificate is not in its time.
func outOfTime(c *x509.Certificate, now time.Time) string {
	if now.Before(c.NotBefore) {
		return "is not valid before " + c.NotBefore.UTC().Format("2006-01-02 15:04") + " UTC"
	}
	return expiredOn(c)
}

func expiredOn(c *x509.Certificate) string {
	return "expired on " + c.NotAfter.UTC().Format("2006-01-02 15:04") + " UTC"
}

// chainsOf returns the verified chains of a certificate, whether or not the certificate itself is in its time.
func chainsOf(sent []*x509.Certificate, roots *x509.CertPool, now time.Time) ([][]*x509.Certificate, error) {
	own := sent[0]
	options := x509.VerifyOptions{Roots: roots, Intermediates: x509.NewCertPool(), CurrentTime: now}
	if now.After(own.NotAfter) {
		options.CurrentTime = own.NotAfter
	} else if now.Before(own.NotBefore) {
		options.CurrentTime = own.NotBefore
	}
	for _, c := range sent[1:] {
		options.Intermediates.AddCert(c)
	}
	return own.Verify(options)
}

// chainEnd returns when the first certificate of a chain expires. Of several verified chains, the one that lasts longest
// counts, and superfluous certificates that a server sends do not. Without a verified chain, it is the end of the leaf.
func chainEnd(sent []*x509.Certificate, roots *x509.CertPool, now time.Time) time.Time {
	chains, _ := chainsOf(sent, roots, now)
	var latest time.Time
	for _, chain := range chains {
		end := chain[0].NotAfter
		for _, c := range chain[:max(len(chain)-1, 1)] { // without the root, which clients trust by itself
			if c.NotAfter.Before(end) {
				end = c.NotAfter
			}
		}
		if end.After(latest) {
			latest = end
		}
	}
	if latest.IsZero() {
		return sent[0].NotAfter
	}
	return latest
}

func certificateNames(c *x509.Certificate) []string {
	names := slices.Clone(c.DNSNames)
	for _, ip := range c.IPAddresses {
		names = append(names, ip.String())
	}
	if names = names[:min(len(names), 100)]; len(names) == 0 {
		return []string{}
	}
	for i := range names {
		names[i] = clip(names[i], 253)
	}
	return names
}

// enumerate lists the first entries of a list in words.
func enumerate(names []string) string {
	switch len(names) {
	case 0, 1, 2, 3:
		return strings.Join(names, ", ")
	default:
		return strings.Join(names[:3], ", ") + " and " + itoa(len(names)-3) + " more"
	}
}

func selfSigned(c *x509.Certificate) bool {
	return bytes.Equal(c.RawIssuer, c.RawSubject) && c.CheckSignature(c.SignatureAlgorithm, c.RawTBSCertificate, c.Signature) == nil
}

// daysUntil counts whole days; it is negative from the end on.
func daysUntil(end, now time.Time) int {
	left := end.Sub(now)
	whole := int(left / (24 * time.Hour))
	if left < 0 {
		whole--
	}
	return whole
}

func days(n int) string {
	switch n {
	case 0:
		return "less than a day"
	case 1:
		return "1 day"
	}
	return itoa(n) + " days"
}

// Sends implements check.Sender.
func (c *tlsConfig) Sends() check.Sending {
	line := "It looks at the certificate of " + hostPort(c.Host, otherwise(c.Port, 443)) + "."
	return unlessLines(check.Sending{Reads: true, Lines: []string{line}}, c.Host, c.ServerName)
}

// Sends implements check.Sender.
func (*tlsCertificateConfig) Sends() check.Sending { return check.Sending{Reads: true} }
