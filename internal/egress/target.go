package egress

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

const (
	maxURLLength  = 2000
	maxNameLength = 253
)

// Target is a parsed and normalised URL: exactly what will be dialled.
type Target struct {
	// URL has a lower-case scheme and host in ASCII, no user, no fragment, no default port.
	URL *url.URL
	// Host is the name or the address, without brackets and without a trailing dot.
	Host string
	// Addr is set when Host is an address.
	Addr netip.Addr
	Port uint16
}

// ParseTarget reads a URL more strictly than browsers and net/url do, so that no two parsers can disagree about its
// host: http and https only, no user information, no backslash, white space or control character, no percent-encoding
// in the host, IPv4 addresses as four decimal numbers only. International names are converted to ASCII, and a fragment
// is dropped. Allowed ports are 80, 443 and everything from 1024 up: the others below are the well-known services of
// other protocols. The error is a *problem.Error that wraps ErrRefused.
func ParseTarget(raw string) (Target, error) {
	if len(raw) > maxURLLength {
		return Target{}, refuse("it is longer than %d bytes", maxURLLength)
	}
	if strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' || r == '\ufffd' }) {
		return Target{}, refuse("it contains white space, a control character, a backslash or broken text")
	}
	u, err := url.Parse(raw)
	if err != nil {
		return Target{}, refuse("it is not a valid URL")
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return Target{}, refuse("only http:// and https:// URLs can be requested")
	}
	if u.Opaque != "" || u.Host == "" {
		return Target{}, refuse("it names no host")
	}
	authority := authorityOf(raw)
	if u.User != nil || strings.Contains(authority, "@") {
		return Target{}, refuse("it holds a user name or password; requests are made without credentials")
	}
	if strings.Contains(authority, "%") {
		return Target{}, refuse("its host is percent-encoded or has a zone; write the plain host")
	}
	port, err := parsePort(u)
	if err != nil {
		return Target{}, err
	}
	target := Target{Port: port}
	if strings.HasPrefix(u.Host, "[") {
		target.Addr, err = parseIPv6(u.Hostname())
	} else {
		target.Host, target.Addr, err = parseHost(u.Hostname())
	}
	if err != nil {
		return Target{}, err
	}
	if target.Addr.IsValid() {
		target.Host = target.Addr.String()
	}
	target.URL = &url.URL{
		Scheme: u.Scheme, Host: hostPort(u.Scheme, target), Path: u.Path, RawPath: u.RawPath,
		RawQuery: u.RawQuery, ForceQuery: u.ForceQuery,
	}
	return target, nil
}

// authorityOf is the part between the slashes and the path, as written.
func authorityOf(raw string) string {
	_, rest, _ := strings.Cut(raw, "//")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return rest
}

func parsePort(u *url.URL) (uint16, error) {
	text := u.Port()
	if text == "" {
		if strings.HasSuffix(u.Host, ":") {
			return 0, refuse("its port is empty")
		}
		if u.Scheme == "https" {
			return 443, nil
		}
		return 80, nil
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || strconv.FormatUint(port, 10) != text {
		return 0, refuse("its port is not a number from 1 to 65535")
	}
	if !openPort(uint16(port)) {
		return 0, refuse("port %d belongs to another protocol; allowed are 80, 443 and ports from 1024 up", port)
	}
	return uint16(port), nil
}

func openPort(port uint16) bool { return port == 80 || port == 443 || port >= 1024 }

func parseIPv6(text string) (netip.Addr, error) {
	addr, err := netip.ParseAddr(text)
	if err != nil || !addr.Is6() {
		return netip.Addr{}, refuse("its host is not a valid IPv6 address")
	}
	return addr, nil
}

// parseHost tells an IPv4 address from a name. Where a host ends in a number it must be four plain decimal numbers:
// 127.1, 0x7f.1, 017700000001 and 2130706433 mean an address to some resolvers and a name to others.
func parseHost(text string) (string, netip.Addr, error) {
	name, err := normalizeName(text)
	if err != nil {
		return "", netip.Addr{}, err
	}
	labels := strings.Split(name, ".")
	if !numeric(labels[len(labels)-1]) {
		return name, netip.Addr{}, nil
	}
	addr, err := netip.ParseAddr(name)
	if err != nil || !addr.Is4() {
		return "", netip.Addr{}, refuse("its host ends in a number but is not an IPv4 address of four decimal numbers")
	}
	return name, addr, nil
}

// numeric follows the "ends in a number" rule of the URL standard, which also knows hexadecimal.
func numeric(label string) bool {
	if rest, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(rest, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

// normalizeName brings a host name to its ASCII form without the root dot, and checks its syntax as a DNS name.
func normalizeName(text string) (string, error) {
	mapped, err := ASCIIHost(text)
	if err != nil {
		return "", refuse("its host is not a valid international domain name")
	}
	name := strings.TrimSuffix(strings.ToLower(mapped), ".")
	if name == "" || len(name) > maxNameLength {
		return "", refuse("its host is empty or too long")
	}
	for label := range strings.SplitSeq(name, ".") {
		if !validLabel(label) {
			return "", refuse("its host is not a valid domain name")
		}
	}
	return name, nil
}

func validLabel(label string) bool {
	if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
		return false
	}
	return !strings.ContainsFunc(label, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}

func hostPort(scheme string, t Target) string {
	if (scheme == "http" && t.Port == 80) || (scheme == "https" && t.Port == 443) {
		if t.Addr.Is6() {
			return "[" + t.Host + "]"
		}
		return t.Host
	}
	return net.JoinHostPort(t.Host, strconv.Itoa(int(t.Port)))
}

// internalZones never lead to the public internet: special-use names (RFC 6761, 6762, 7686, 8375, 9476), the private zone
// that ICANN reserved (.internal), zones that are common in private networks, those of service discovery, the reverse
// zones (.arpa), and names that clouds give their metadata services.
func internalZones() []string {
	return []string{
		"alt", "arpa", "consul", "corp", "home", "internal", "intranet", "invalid", "lan", "local", "localdomain",
		"localhost", "onion", "private", "svc", "metadata.goog", "metadata.tencentyun.com",
	}
}

// internalName reports names that are refused before anything is resolved. A name of one label is one: only a search
// list, a hosts file or a container network gives it a meaning.
func internalName(name string) bool {
	if !strings.Contains(name, ".") {
		return true
	}
	return slices.ContainsFunc(internalZones(), func(zone string) bool { return name == zone || strings.HasSuffix(name, "."+zone) })
}
