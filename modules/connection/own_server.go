package connection

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// privateDomains are top-level domains of private networks.
var privateDomains = []string{"localhost", "local", "lan", "internal", "home", "intranet", "arpa"}

// sharedAddresses are those behind the NAT of a carrier, and of most virtual private networks.
var sharedAddresses = netip.MustParsePrefix("100.64.0.0/10")

// IsOwnServer reports whether the model runs on a server in a private network, as its address tells: such a server has a
// few slots at most, and no price for each token.
func (c Connection) IsOwnServer() bool {
	u, err := url.Parse(c.BaseURL)
	if err != nil || c.Kind == Demo || u.Hostname() == "" {
		return false
	}
	if address, err := netip.ParseAddr(u.Hostname()); err == nil {
		address = address.Unmap()
		return address.IsLoopback() || address.IsPrivate() || address.IsLinkLocalUnicast() || sharedAddresses.Contains(address)
	}
	labels := strings.Split(strings.ToLower(strings.TrimSuffix(u.Hostname(), ".")), ".")
	return len(labels) == 1 || slices.Contains(privateDomains, labels[len(labels)-1])
}
