package config

import (
	"fmt"
	"net/netip"
	"slices"
)

// proxies parses the networks of TrustedProxies.
func (c Config) proxies() ([]netip.Prefix, error) {
	var list []netip.Prefix
	for _, text := range c.TrustedProxies {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			addr, addrErr := netip.ParseAddr(text)
			if addrErr != nil || addr.Zone() != "" {
				return nil, fmt.Errorf("trusted proxy %q is neither an address nor a network", text)
			}
			prefix = netip.PrefixFrom(addr.Unmap(), addr.Unmap().BitLen())
		}
		list = append(list, prefix.Masked())
	}
	return list, nil
}

// Proxies returns the networks of trusted proxies.
func (c Config) Proxies() []netip.Prefix {
	list, _ := c.proxies() // Load has checked them
	return list
}

// ExemptProxy reports whether connections from addr are exempt from the limit per address: those of trusted proxies,
// and all behind a proxy of unknown address, because all connections come from it.
func (c Config) ExemptProxy(addr netip.Addr) bool {
	list := c.Proxies()
	if len(list) == 0 {
		return c.TrustProxy
	}
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(addr) })
}
