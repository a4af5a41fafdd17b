package egress

import (
	"net/netip"
	"strconv"
	"strings"

	"countersign/internal/problem"
)

// MaxPin bounds a pin, in bytes.
const MaxPin = 300

// Pin is where a secret may be sent: a scheme, a host and a port. It opens nothing that a Guard closes.
//
//	api.example.com          https, port 443
//	api.example.com:8443     https, that port
//	*.example.com            https, port 443, any name below example.com and not example.com
//	http://10.0.0.7:8080     http, that port; the value travels in the clear
type Pin struct {
	scheme string
	// host is a name or an address. below makes it a domain for all names below it.
	host  string
	below bool
	port  uint16
}

// ParsePin reads a pin. The error is a *problem.Error.
func ParsePin(text string) (Pin, error) {
	refused := func(why string) (Pin, error) {
		return Pin{}, problem.InvalidInput(
			"A secret is pinned to hosts such as api.example.com, api.example.com:8443 or *.example.com. This one "+why+".",
			problem.Issue{Path: "allowed_hosts", Message: why},
		)
	}
	if len(text) > MaxPin {
		return refused("is longer than 300 bytes")
	}
	p := Pin{scheme: "https"}
	rest := text
	if scheme, host, ok := strings.Cut(text, "://"); ok {
		if p.scheme = strings.ToLower(scheme); p.scheme != "http" && p.scheme != "https" {
			return refused("has another scheme than http or https")
		}
		rest = host
	}
	if rest, p.below = strings.CutPrefix(rest, "*."); strings.Contains(rest, "*") {
		return refused("has a star at another place than the beginning")
	}
	if strings.ContainsAny(rest, "/?#@%") {
		return refused("is more than a host and a port")
	}
	target, err := ParseTarget(p.scheme + "://" + rest + "/")
	if err != nil {
		return refused("has no host or port that requests can go to")
	}
	switch {
	case p.below && (target.Addr != netip.Addr{} || !strings.Contains(target.Host, ".")):
		return refused("has a star before what is no domain")
	case target.URL.Path != "/":
		return refused("is more than a host and a port")
	}
	p.host, p.port = target.Host, target.Port
	return p, nil
}

// Allows reports whether a secret with this pin may be sent to a target.
func (p Pin) Allows(t Target) bool {
	if t.URL == nil || t.URL.Scheme != p.scheme || t.Port != p.port {
		return false
	}
	if p.below {
		return !t.Addr.IsValid() && strings.HasSuffix(t.Host, "."+p.host)
	}
	return t.Host == p.host
}

// Host returns the name or the address of the pin. Below reports that the pin is for all names below it, without
// itself.
func (p Pin) Host() string { return p.host }

// Below reports whether subdomains of Host are included.
func (p Pin) Below() bool { return p.below }

// String is the pin with its scheme, host and port, as people may read it.
func (p Pin) String() string {
	host := p.host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if p.below {
		host = "*." + host
	}
	if standard := p.scheme == "https" && p.port == 443 || p.scheme == "http" && p.port == 80; !standard {
		host += ":" + strconv.Itoa(int(p.port))
	}
	return p.scheme + "://" + host
}
