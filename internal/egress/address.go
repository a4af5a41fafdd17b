package egress

import (
	"net/netip"
	"slices"
)

// reach classifies the network that an address belongs to.
type reach int

const (
	// reachPublic is the ordinary internet.
	reachPublic reach = iota
	// reachPrivate is this machine or the operator's own network.
	reachPrivate
	// reachSpecial is everything that is never a web server a person means: link-local and metadata services,
	// multicast, documentation, benchmarking, tunnels that carry another address inside, unallocated space.
	reachSpecial
)

// block is one row of the IANA special-purpose address registries.
type block struct {
	prefix netip.Prefix
	reach  reach
}

// special4 follows the IANA IPv4 Special-Purpose Address Registry (RFC 6890) with multicast and class E. The two
// globally reachable AS112 and AMT anycast blocks of that registry are left public.
func special4() []block {
	return []block{
		{netip.MustParsePrefix("0.0.0.0/8"), reachSpecial},       // this network, RFC 791
		{netip.MustParsePrefix("10.0.0.0/8"), reachPrivate},      // RFC 1918
		{netip.MustParsePrefix("100.64.0.0/10"), reachPrivate},   // carrier-grade NAT, RFC 6598
		{netip.MustParsePrefix("127.0.0.0/8"), reachPrivate},     // loopback, RFC 1122
		{netip.MustParsePrefix("169.254.0.0/16"), reachSpecial},  // link-local, cloud metadata, RFC 3927
		{netip.MustParsePrefix("172.16.0.0/12"), reachPrivate},   // RFC 1918
		{netip.MustParsePrefix("192.0.0.0/24"), reachSpecial},    // IETF protocol assignments, RFC 6890
		{netip.MustParsePrefix("192.0.2.0/24"), reachSpecial},    // documentation, RFC 5737
		{netip.MustParsePrefix("192.88.99.0/24"), reachSpecial},  // 6to4 relay anycast, RFC 7526
		{netip.MustParsePrefix("192.168.0.0/16"), reachPrivate},  // RFC 1918
		{netip.MustParsePrefix("198.18.0.0/15"), reachSpecial},   // benchmarking, RFC 2544
		{netip.MustParsePrefix("198.51.100.0/24"), reachSpecial}, // documentation, RFC 5737
		{netip.MustParsePrefix("203.0.113.0/24"), reachSpecial},  // documentation, RFC 5737
		{netip.MustParsePrefix("224.0.0.0/4"), reachSpecial},     // multicast, RFC 5771
		{netip.MustParsePrefix("240.0.0.0/4"), reachSpecial},     // reserved and broadcast, RFC 1112, RFC 919
	}
}

// special6 lists special IPv6 space inside of 2000::/3. classify refuses everything outside as a whole: v4-compatible
// and v4-mapped addresses, NAT64 (64:ff9b::/96, 64:ff9b:1::/48), discard-only, SRv6, link-local, site-local (fec0::/10)
// and multicast. Only private space is listed, because an operator may allow it by host.
func special6() []block {
	return []block{
		{netip.MustParsePrefix("::1/128"), reachPrivate},       // loopback, RFC 4291
		{netip.MustParsePrefix("fc00::/7"), reachPrivate},      // unique local, RFC 4193
		{netip.MustParsePrefix("2001::/23"), reachSpecial},     // IETF protocol assignments: Teredo, ORCHID, benchmarking, RFC 2928
		{netip.MustParsePrefix("2001:db8::/32"), reachSpecial}, // documentation, RFC 3849
		{netip.MustParsePrefix("2002::/16"), reachSpecial},     // 6to4, whatever address it carries, RFC 3056
		{netip.MustParsePrefix("3fff::/20"), reachSpecial},     // documentation, RFC 9637
	}
}

func closedBlocks(prefixes []netip.Prefix) []block {
	blocks := make([]block, 0, len(prefixes))
	for _, p := range prefixes {
		blocks = append(blocks, block{p, reachSpecial})
	}
	return blocks
}

// classifier knows the reach of an address. The first matching row counts, so narrow rows stand before wide ones.
type classifier struct {
	v4, v6  []block
	unicast netip.Prefix
}

func newClassifier() classifier {
	return classifier{
		v4: slices.Concat(closedBlocks(metadata4), special4()),
		v6: slices.Concat(closedBlocks(metadata6), special6()), unicast: netip.MustParsePrefix("2000::/3"),
	}
}

// classify expects an unmapped address: a v4-mapped one counts as special, since only a resolver's answer may be
// unmapped first.
func (c classifier) classify(addr netip.Addr) reach {
	if !addr.IsValid() || addr.Zone() != "" {
		return reachSpecial
	}
	rows := c.v6
	if addr.Is4() {
		rows = c.v4
	}
	for _, row := range rows {
		if row.prefix.Contains(addr) {
			if row.reach == reachPrivate && endsInMetadata(addr) {
				return reachSpecial
			}
			return row.reach
		}
	}
	if addr.Is6() && (!c.unicast.Contains(addr) || endsInMetadata(addr) || carriesSpecial(addr, c.v4)) {
		return reachSpecial
	}
	return reachPublic
}

// carriesSpecial reports an IPv6 address that leads to an IPv4 address which is not public.
func carriesSpecial(addr netip.Addr, rows []block) bool {
	return carries(addr, func(inner netip.Addr) bool {
		return inner.Is4() && slices.ContainsFunc(rows, func(row block) bool { return row.prefix.Contains(inner) })
	})
}

// closed4 and closed6 are closed to health checks unless an operator opens them: non-host addresses, and those that no
// monitor should reach. Private space is open to health checks.
var (
	closed4 = append([]netip.Prefix{
		netip.MustParsePrefix("0.0.0.0/8"),      // this machine
		netip.MustParsePrefix("127.0.0.0/8"),    // loopback
		netip.MustParsePrefix("169.254.0.0/16"), // link-local, cloud metadata
		netip.MustParsePrefix("192.0.0.0/24"),   // protocol assignments
		netip.MustParsePrefix("224.0.0.0/4"),    // multicast
		netip.MustParsePrefix("240.0.0.0/4"),    // reserved, broadcast
	}, metadata4...)
	closed6 = append([]netip.Prefix{
		netip.MustParsePrefix("::/127"),   // unspecified, loopback
		netip.MustParsePrefix("fe80::/9"), // link-local and site-local
		netip.MustParsePrefix("ff00::/8"), // multicast
	}, metadata6...)
)

// closedToChecks also looks at IPv4 addresses that an IPv6 address has inside.
func closedToChecks(addr netip.Addr) bool {
	return within(closed6, addr) || endsInMetadata(addr) || carries(addr, func(a netip.Addr) bool { return within(closed4, a) })
}
