package egress

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Policy lists the targets that may be reached beyond the public internet. The zero value is none.
type Policy struct {
	// Prefixes may be dialled whatever they are, by any name that resolves to them.
	Prefixes []netip.Prefix
	// Hosts are exact, lower-case names that may be reached although they are internal names or resolve to loopback,
	// private, shared or unique-local addresses. They do not open link-local (metadata) or other special addresses:
	// those need a prefix.
	Hosts []string
}

// ParsePolicy reads a comma-separated list of prefixes (10.1.0.0/16), addresses (127.0.0.1) and host names
// (status.corp.internal), the format of COUNTERSIGN_EGRESS_ALLOW. Spaces around entries and empty entries are ignored.
func ParsePolicy(list string) (Policy, error) {
	var p Policy
	for entry := range strings.SplitSeq(list, ",") {
		entry = strings.TrimSpace(entry)
		if entry == "" {
			continue
		}
		if strings.Contains(entry, "/") {
			prefix, err := netip.ParsePrefix(entry)
			if err != nil || prefix.Addr().Is4In6() {
				return Policy{}, fmt.Errorf("egress allowance %q is not a prefix such as 10.1.0.0/16", entry)
			}
			p.Prefixes = append(p.Prefixes, prefix.Masked())
			continue
		}
		if addr, err := netip.ParseAddr(entry); err == nil {
			if addr.Zone() != "" {
				return Policy{}, fmt.Errorf("egress allowance %q has a zone; name the address without it", entry)
			}
			addr = addr.Unmap()
			p.Prefixes = append(p.Prefixes, netip.PrefixFrom(addr, addr.BitLen()))
			continue
		}
		host, err := normalizeName(entry)
		if err != nil {
			return Policy{}, fmt.Errorf("egress allowance %q is neither an address, a prefix nor a host name", entry)
		}
		p.Hosts = append(p.Hosts, host)
	}
	return p, nil
}

func (p Policy) allowsHost(host string) bool { return slices.Contains(p.Hosts, host) }

func (p Policy) allowsAddr(addr netip.Addr) bool {
	return slices.ContainsFunc(p.Prefixes, func(prefix netip.Prefix) bool { return prefix.Contains(addr) })
}

// closesName reports whether a list of closed names has a host or one of its parent domains.
func (p Policy) closesName(name string) bool {
	return slices.ContainsFunc(p.Hosts, func(host string) bool { return name == host || strings.HasSuffix(name, "."+host) })
}
