package strategy

import (
	"crypto/tls"

	"countersign/check"
	"countersign/internal/problem"
)

// Encryption are the members of configs about certificates, to embed.
type Encryption struct {
	ServerName        string `json:"serverName,omitempty" jsonschema:"maxLength=253" jsonschema_description:"The name that the certificate has to be for; the host when empty" check:"template,label=Server name"`
	CA                string `json:"ca,omitempty" jsonschema:"maxLength=65536" jsonschema_description:"Certificates in PEM to trust instead of the public authorities" check:"editor=text,label=Certificate authority"`
	SkipVerify        bool   `json:"skipVerify,omitempty" jsonschema_description:"Take any certificate. An expired one fails all the same, unless an assertion is about certificateDaysRemaining." check:"label=Take any certificate"`
	ClientCertificate string `json:"clientCertificate,omitempty" jsonschema:"maxLength=65536" jsonschema_description:"Certificate in PEM that the check shows to the server, with its chain" check:"editor=text,label=Client certificate"`
	ClientKey         string `json:"clientKey,omitempty" jsonschema:"maxLength=65536" jsonschema_description:"Private key in PEM of the client certificate" check:"secret,label=Client key"`
	CertificateTerm
}

// issues lists the problems of the members.
func (e *Encryption) issues() []problem.Issue { return pairIssues(e.ClientCertificate, e.ClientKey) }

func pairIssues(certificate, key string) []problem.Issue {
	if (certificate == "") == (key == "") {
		return nil
	}
	return []problem.Issue{{Path: "clientKey", Message: "and clientCertificate belong together: set both or none"}}
}

// trust describes the certificates of a connection to a host. Its error is a *check.Failure.
func (e *Encryption) trust(host string) (trust, error) {
	t := trust{name: otherwise(e.ServerName, host), roots: authorities(e.CA), unchecked: e.SkipVerify, least: e.MinDaysUntilExpiry}
	if e.ClientCertificate == "" {
		return t, nil
	}
	own, err := tls.X509KeyPair([]byte(e.ClientCertificate), []byte(e.ClientKey))
	if err != nil {
		return t, check.Fail(check.NotRunnable, "The client certificate and its key are not a pair in PEM.")
	}
	t.own = []tls.Certificate{own}
	return t, nil
}
