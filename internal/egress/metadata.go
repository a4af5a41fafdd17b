package egress

import (
	"net/netip"
	"slices"
)

// metadata4 and metadata6 are the addresses of services that hand out a machine's credentials, beside the link-local
// ones. A range is named only where a cloud owns it: people number their own networks from fd00:: too.
var (
	metadata4 = []netip.Prefix{
		netip.MustParsePrefix("100.100.100.200/32"), // Alibaba, inside the CGNAT range
		netip.MustParsePrefix("168.63.129.16/32"),   // the host agent of Azure, a public address
		netip.MustParsePrefix("192.0.0.192/32"),     // Oracle Cloud Infrastructure Classic
	}
	metadata6 = []netip.Prefix{
		netip.MustParsePrefix("fd00:ec2::/32"),          // AWS: metadata, container credentials, time, DNS
		netip.MustParsePrefix("fd20:ce::254/128"),       // Google
		netip.MustParsePrefix("fd00:c1::a9fe:a9fe/128"), // Oracle
		netip.MustParsePrefix("fd00:42::42/128"),        // Scaleway
		netip.MustParsePrefix("fd00:a9fe:a9fe::1/128"),  // Akamai, formerly Linode
		netip.MustParsePrefix("fd00:100::100:200/128"),  // Alibaba
	}
	// metadataHosts are single link-local addresses with such a service.
	metadataHosts = []netip.Addr{
		netip.MustParseAddr("169.254.169.254"), netip.MustParseAddr("169.254.169.250"), netip.MustParseAddr("169.254.170.2"),
		netip.MustParseAddr("169.254.170.23"), netip.MustParseAddr("169.254.42.42"), netip.MustParseAddr("169.254.0.23"),
	}
)

// endsInMetadata reports an IPv6 address whose last 32 bits are the IPv4 address of a metadata service: clouds choose
// such addresses, and translators with a prefix of their own make them (RFC 6052).
func endsInMetadata(addr netip.Addr) bool {
	if !addr.Is6() {
		return false
	}
	raw := addr.As16()
	inner := netip.AddrFrom4([4]byte(raw[12:]))
	return slices.Contains(metadataHosts, inner) || within(metadata4, inner)
}

// carriers are IPv6 addresses with an IPv4 address inside: at which bytes, and whether its bits are inverted.
var carriers = []struct {
	prefix   netip.Prefix
	at       [4]int
	inverted bool
}{
	{netip.MustParsePrefix("::/96"), [4]int{12, 13, 14, 15}, false},           // v4-compatible, RFC 4291
	{netip.MustParsePrefix("::ffff:0:0/96"), [4]int{12, 13, 14, 15}, false},   // v4-mapped
	{netip.MustParsePrefix("::ffff:0:0:0/96"), [4]int{12, 13, 14, 15}, false}, // v4-translated, RFC 2765
	{netip.MustParsePrefix("64:ff9b::/96"), [4]int{12, 13, 14, 15}, false},    // NAT64, RFC 6052
	{netip.MustParsePrefix("64:ff9b:1::/48"), [4]int{12, 13, 14, 15}, false},  // NAT64 of one's own, RFC 8215, as a prefix of 96 bits
	{netip.MustParsePrefix("64:ff9b:1::/48"), [4]int{6, 7, 9, 10}, false},     // of 48 bits
	{netip.MustParsePrefix("64:ff9b:1::/48"), [4]int{7, 9, 10, 11}, false},    // of 56 bits
	{netip.MustParsePrefix("64:ff9b:1::/48"), [4]int{9, 10, 11, 12}, false},   // of 64 bits
	{netip.MustParsePrefix("2002::/16"), [4]int{2, 3, 4, 5}, false},           // 6to4, RFC 3056
	{netip.MustParsePrefix("2001::/32"), [4]int{4, 5, 6, 7}, false},           // Teredo: the server, RFC 4380
	{netip.MustParsePrefix("2001::/32"), [4]int{12, 13, 14, 15}, true},        // Teredo: the client
}

// carries reports whether is holds for an address without a zone, or for an IPv4 address that it has inside.
func carries(addr netip.Addr, is func(netip.Addr) bool) bool {
	if is(addr) {
		return true
	}
	if addr.Is4() {
		return false
	}
	raw := addr.As16()
	for _, c := range carriers {
		if !c.prefix.Contains(addr) {
			continue
		}
		var inner [4]byte
		for i, at := range c.at {
			if inner[i] = raw[at]; c.inverted {
				inner[i] = ^inner[i]
			}
		}
		if is(netip.AddrFrom4(inner)) {
			return true
		}
	}
	// ISATAP has an interface identifier of its own below any prefix, RFC 5214.
	if isatap := raw[8]&^2 == 0 && raw[9] == 0 && raw[10] == 0x5e && raw[11] == 0xfe; isatap && is(netip.AddrFrom4([4]byte(raw[12:]))) {
		return true
	}
	return addr.Is4In6() && is(addr.Unmap())
}

// metadataNames are names of the services that clouds give their machines.
var metadataNames = []string{
	"metadata", "metadata.google.internal", "metadata.goog", "metadata.tencentyun.com", "instance-data", "instance-data.ec2.internal",
	"metadata.packet.net", "metadata.platformequinix.com", "api.metadata.cloud.ibm.com", "rancher-metadata",
}

func isMetadataName(name string) bool { return slices.Contains(metadataNames, name) }
