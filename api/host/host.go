// Package host refuses requests whose Host header is not one of the server's names (DNS rebinding protection).
//
// A web page can point its own name at an address that only its reader can reach, such as 127.0.0.1, and then has the
// same origin as the server there. The browser still sends the page's name in the Host header. So a server answers only
// to names that nobody else can own, and to those that its operator configures.
package host

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// Names are the names that a server answers to.
type Names struct {
	known map[string]bool
	short bool
}

// New accepts the names of this machine (localhost and *.localhost), every literal IP address, which no name server can
// redirect, and the hosts of the given addresses: https://host[:port], host:port or host. Empty addresses are skipped.
func New(addresses ...string) Names {
	n := Names{known: map[string]bool{"localhost": true}}
	for _, address := range addresses {
		if u, err := url.Parse(address); err == nil && u.Host != "" {
			address = u.Host
		}
		if name := bare(address); name != "" {
			n.known[name] = true
		}
	}
	return n
}

// WithShort also accepts names without a dot: container networks give such names to services, and nobody can register
// one. It is for servers that listen beyond their own machine.
func (n Names) WithShort() Names {
	n.short = true
	return n
}

// Allow reports whether the Host header names this server. Only programs omit the header: browsers always send it.
func (n Names) Allow(header string) bool {
	if header == "" {
		return true
	}
	name := bare(header)
	if name == "" {
		return false
	}
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		return true
	}
	return n.known[name] || strings.HasSuffix(name, ".localhost") || n.short && !strings.Contains(name, ".")
}

// Guard serves requests to one of the names with next, and all others with refuse.
func (n Names) Guard(next, refuse http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !n.Allow(r.Host) {
			refuse.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// bare normalises a Host header: no port, lower case, no trailing dot.
func bare(header string) string {
	name := header
	if h, _, err := net.SplitHostPort(header); err == nil {
		name = h
	}
	return strings.TrimSuffix(strings.ToLower(strings.TrimSpace(name)), ".")
}
