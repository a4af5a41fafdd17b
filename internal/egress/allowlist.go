package egress

import (
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/publicsuffix"
)

const (
	maxEntryLength = 320
	// Wider prefixes would open a large part of the internet by a slip of the finger.
	minBits4 = 8
	minBits6 = 16
)

// Allowlist names everything that a guard reaches; see Options.Only.
type Allowlist []Entry

// Entry names targets: a host name, all names below one, an address or a prefix of addresses, each on one port or on
// any that ParseTarget allows.
type Entry struct {
	// Host is a lower-case name in ASCII; empty when Prefix is set.
	Host string
	// Subdomains makes the entry name every name below Host, at any depth, and not Host itself.
	Subdomains bool
	// Prefix is masked; a single address is one of full length.
	Prefix netip.Prefix
	// Port is 0 for any.
	Port uint16
}

// ParseEntry parses one entry: status.example.com, *.example.com, 10.1.2.3, 10.1.0.0/16, fd12::/48, each also with a
// port, as in example.com:8443, 10.1.0.0/16:8080 or [fd12::1]:8080. Its error describes the allowed forms.
func ParseEntry(text string) (Entry, error) {
	switch {
	case text == "" || len(text) > maxEntryLength:
		return Entry{}, errors.New("must be a host name, an address or a prefix, of at most 320 characters")
	case strings.Contains(text, "://"):
		return Entry{}, errors.New("must be a host without http:// or https://")
	case strings.ContainsAny(text, "@?#%\\") || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return Entry{}, errors.New("must be a host only, without spaces, user, path or query")
	}
	target, port, err := splitPort(text)
	if err != nil {
		return Entry{}, err
	}
	if strings.ContainsAny(target, "/:[") {
		return prefixEntry(target, port)
	}
	name, wildcard := strings.CutPrefix(target, "*.")
	host, addr, err := parseHost(name)
	switch {
	case err != nil:
		return Entry{}, errors.New("must be a valid host name such as example.com or *.example.com, an address, or a prefix such as 10.1.0.0/16")
	case addr.IsValid() && wildcard:
		return Entry{}, errors.New("must not put a wildcard before an address; write a prefix such as 10.1.0.0/16")
	case addr.IsValid():
		return addressEntry(netip.PrefixFrom(addr, addr.BitLen()), port)
	case wildcard && tooWide(host):
		return Entry{}, errors.New("must have a domain of its own after the wildcard, such as *.example.com")
	}
	return Entry{Host: host, Subdomains: wildcard, Port: port}, nil
}

// String is the entry in the form that ParseEntry reads.
func (e Entry) String() string {
	text := e.Host
	switch {
	case e.Prefix.IsValid() && e.Prefix.IsSingleIP():
		text = e.Prefix.Addr().String()
	case e.Prefix.IsValid():
		text = e.Prefix.String()
	case e.Subdomains:
		text = "*." + e.Host
	}
	if e.Port == 0 {
		return text
	}
	if e.Prefix.IsValid() && e.Prefix.Addr().Is6() {
		text = "[" + text + "]"
	}
	return text + ":" + strconv.Itoa(int(e.Port))
}

// splitPort takes the port off an entry. An IPv6 address has one only after brackets.
func splitPort(text string) (target string, port uint16, err error) {
	if inside, rest, ok := strings.Cut(strings.TrimPrefix(text, "["), "]"); ok && text[0] == '[' {
		if !strings.Contains(inside, ":") {
			return "", 0, errors.New("must have brackets around an IPv6 address only")
		}
		if rest == "" {
			return inside, 0, nil
		}
		number, ok := strings.CutPrefix(rest, ":")
		if !ok {
			return "", 0, errors.New("must have nothing but a port after the brackets")
		}
		port, err = entryPort(number)
		return inside, port, err
	}
	address, bits, isPrefix := strings.Cut(text, "/")
	if !isPrefix && strings.Count(text, ":") > 1 || isPrefix && strings.Contains(address, ":") {
		return text, 0, nil
	}
	at := strings.LastIndex(text, ":")
	if at < 0 || isPrefix && !strings.Contains(bits, ":") {
		return text, 0, nil
	}
	port, err = entryPort(text[at+1:])
	return text[:at], port, err
}

func entryPort(text string) (uint16, error) {
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || strconv.FormatUint(port, 10) != text || !openPort(uint16(port)) {
		return 0, errors.New("must have the port 80, 443 or one from 1024 to 65535")
	}
	return uint16(port), nil
}

func prefixEntry(text string, port uint16) (Entry, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		return addressEntry(netip.PrefixFrom(addr, addr.BitLen()), port)
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return Entry{}, errors.New("must be an address or a prefix such as 10.1.0.0/16; a path is not possible")
	}
	return addressEntry(prefix, port)
}

func addressEntry(prefix netip.Prefix, port uint16) (Entry, error) {
	prefix = prefix.Masked()
	first := prefix.Addr()
	if !first.IsValid() || first.Is4In6() || first.Zone() != "" {
		return Entry{}, errors.New("must be a plain IPv4 or IPv6 address, without a zone and not IPv4 inside of IPv6")
	}
	if first.Is4() && prefix.Bits() < minBits4 || first.Is6() && prefix.Bits() < minBits6 {
		return Entry{}, errors.New("must not be wider than /8, or /16 for IPv6; to reach the internet, open the network instead")
	}
	c := newClassifier()
	if c.classify(first) == reachSpecial && c.classify(last(prefix)) == reachSpecial {
		return Entry{}, errors.New("must not be link-local, multicast, a metadata service or another special range: those are never reached")
	}
	return Entry{Prefix: prefix, Port: port}, nil
}

// last is the highest address of a prefix.
func last(prefix netip.Prefix) netip.Addr {
	bytes := prefix.Addr().AsSlice()
	for i := prefix.Bits(); i < len(bytes)*8; i++ {
		bytes[i/8] |= 1 << (7 - i%8)
	}
	addr, _ := netip.AddrFromSlice(bytes)
	return addr
}

// tooWide reports public suffixes, such as com and co.uk, below which anyone can register a name.
func tooWide(name string) bool {
	suffix, listed := publicsuffix.PublicSuffix(name)
	return !strings.Contains(name, ".") || suffix == name && listed
}

func (l Allowlist) allowsName(name string, port uint16) bool {
	return slices.ContainsFunc(l, func(e Entry) bool {
		if e.Host == "" || e.Port != 0 && e.Port != port {
			return false
		}
		if e.Subdomains {
			return strings.HasSuffix(name, "."+e.Host)
		}
		return name == e.Host
	})
}

func (l Allowlist) allowsAddr(addr netip.Addr, port uint16) bool {
	return slices.ContainsFunc(l, func(e Entry) bool {
		return e.Prefix.IsValid() && e.Prefix.Contains(addr) && (e.Port == 0 || e.Port == port)
	})
}
