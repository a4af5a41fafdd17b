package check

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/netip"
	"strings"

	"countersign/internal/egress"
	"countersign/internal/problem"
)

// rules runs the Check method of a config, and the rules about members that many kinds have: host and ca.
func rules(config any) []problem.Issue {
	issues := memberRules(config)
	if c, ok := config.(Checker); ok {
		issues = append(issues, c.Check()...)
	}
	return issues
}

func memberRules(config any) []problem.Issue {
	var issues []problem.Issue
	for _, m := range []struct {
		name string
		rule func(string) string
	}{{"host", HostProblem}, {"ca", authorityProblem}} {
		text := textMember(config, m.name)
		if text == "" {
			continue
		}
		if message := m.rule(text); message != "" {
			issues = append(issues, problem.Issue{Path: m.name, Message: message})
		}
	}
	if retries, delay := triesOf(config); retries > 0 && TimeOfTry(timeoutOf(config, 0), retries, delay) < MinTimeout {
		issues = append(issues, problem.Issue{
			Path:    "retries",
			Message: "and retryDelayMs leave less than 100 ms of the timeout to each try; set fewer, a shorter delay or a longer timeout",
		})
	}
	return issues
}

// HostProblem returns what is wrong with the form of a host name or address, as the end of a sentence; empty if nothing.
func HostProblem(host string) string {
	const example = ", such as db.example.com or 2001:db8::1"
	if _, err := netip.ParseAddr(host); err == nil {
		return ""
	}
	switch {
	case strings.Contains(host, "://"):
		return "must be a host without a scheme" + example
	case strings.ContainsAny(host, "/?#@"):
		return "must be a host alone, without a user and a path" + example
	case strings.HasPrefix(host, "["):
		return "must be an address without brackets and port" + example
	case strings.Contains(host, ":"):
		return "must be a host without a port" + example + ": the port has a field of its own where there is one"
	case strings.Contains(host, " "):
		return "must be one host, without spaces" + example
	case strings.Contains(host, "*"):
		return "must be one host: a wildcard such as *.example.com names no server"
	case strings.Contains(strings.TrimSuffix(host, "."), "..") || strings.HasPrefix(host, "."):
		return "must not have empty labels between dots" + example
	}
	ascii, err := egress.ASCIIHost(host)
	if err != nil {
		return "is not a valid internationalized name" + example
	}
	for label := range strings.SplitSeq(ascii, ".") {
		if len(label) > maxLabel {
			return "must not have a label of more than 63 characters between dots" + example
		}
	}
	return ""
}

// maxLabel is the limit of RFC 1035, section 2.3.4.
const maxLabel = 63

// authorityProblem returns what is wrong with trusted certificates. One that cannot be read must not be skipped: what it vouches for
// would be untrusted.
func authorityProblem(text string) string {
	const form = "must hold certificates in PEM, which begin with -----BEGIN CERTIFICATE-----"
	rest, read := []byte(text), 0
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			return form + ", and nothing else: it has a " + block.Type
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return fmt.Sprintf("has certificate %d that cannot be read: copy the whole of it again", read+1)
		}
		read++
	}
	switch {
	case strings.Contains(string(rest), "-----BEGIN"):
		return fmt.Sprintf("has certificate %d without its end: it may be cut; copy the whole of it again", read+1)
	case read == 0:
		return form
	}
	return ""
}
