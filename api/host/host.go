// Package host refuses requests that were sent to a name which is not this server's.
//
// A web page can point a name of its own at an address that only its reader can reach, such as 127.0.0.1, and then counts
// as the same origin as whatever answers there (DNS rebinding). The browser still says in the Host header which name it
// was sent to. So a server answers to names that nobody else can own, and to those that its operator has named.
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

// New are the names of this machine (localhost and what ends in .localhost), every literal IP address, which no name
// server can redirect, and the hosts of the given addresses: https://host[:port], host:port or host. Empty ones are left out.
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

// WithShort also answers to names without a dot. Networks of containers give such names to their services, and nobody can
// register one. It is for servers that listen to more than their own machine.
func (n Names) WithShort() Names {
	n.short = true
	return n
}

// Allow reports whether a request with this Host header was meant for the server. Only programs leave the header out:
// browsers send it always.
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

// Guard serves with next what was sent to one of the names, and everything else with refuse.
func (n Names) Guard(next, refuse http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !n.Allow(r.Host) {
			refuse.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// bare is the name in a Host header, without port, in lower case and without the dot of the root.
func bare(header string) string {
	name := header
	if h, _, err := net.SplitHostPort(header); err == nil {
		name = h
	}
	return strings.TrimSuffix(strings.ToLower(strings.TrimSpace(name)), ".")
}
