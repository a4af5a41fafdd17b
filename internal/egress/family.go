package egress

import (
	"context"
	"fmt"
	"net/netip"
)

// IPVersion restricts dials to the addresses of one IP version. Its values are those of configurations: empty, any, ipv4, ipv6.
type IPVersion string

// Network returns the network of a dial, such as tcp6 for tcp.
func (v IPVersion) Network(base string) string {
	switch v {
	case "ipv4":
		return base + "4"
	case "ipv6":
		return base + "6"
	default:
		return base
	}
}

// Over names the version at the end of a description of a dial; empty for any.
func (v IPVersion) Over() string {
	switch v {
	case "ipv4":
		return " over IPv4"
	case "ipv6":
		return " over IPv6"
	default:
		return ""
	}
}

// NoAddressError is the error of a name or address of another IP version than the wanted one. It counts the addresses and
// shows none.
type NoAddressError struct {
	Host string
	// Wanted is the missing IP version, Other the one of the addresses that the host has, Count their number.
	Wanted, Other string
	Count         int
	// Literal reports that the host is an address.
	Literal bool
}

func (e *NoAddressError) Error() string {
	switch {
	case e.Literal:
		return fmt.Sprintf("%s is an %s address, and this check asks for %s", e.Host, e.Other, e.Wanted)
	case e.Count == 1:
		return fmt.Sprintf("the name %s has no %s address; the DNS has 1 %s address", e.Host, e.Wanted, e.Other)
	default:
		return fmt.Sprintf("the name %s has no %s address; the DNS has %d %s addresses", e.Host, e.Wanted, e.Count, e.Other)
	}
}

// AddressesOver is Addresses for one IP version.
func (v IPVersion) AddressesOver(
	ctx context.Context, addresses func(context.Context, string) ([]netip.Addr, error), host string,
) ([]netip.Addr, error) {
	addrs, err := addresses(ctx, host)
	if err != nil {
		return nil, err
	}
	return ofFamily(v.Network(""), host, addrs)
}

// ofFamily returns the addresses of the version that a network ends with. Its error is a *NoAddressError.
func ofFamily(network, host string, addrs []netip.Addr) ([]netip.Addr, error) {
	wanted, other := "IPv4", "IPv6"
	switch {
	case network == "" || network[len(network)-1] != '4' && network[len(network)-1] != '6':
		return addrs, nil
	case network[len(network)-1] == '6':
		wanted, other = other, wanted
	}
	var kept []netip.Addr
	for _, addr := range addrs {
		if addr.Is4() == (wanted == "IPv4") {
			kept = append(kept, addr)
		}
	}
	if len(kept) == 0 {
		_, err := netip.ParseAddr(host)
		return nil, &NoAddressError{Host: host, Wanted: wanted, Other: other, Count: len(addrs), Literal: err == nil}
	}
	return kept, nil
}
