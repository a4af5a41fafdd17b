package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"countersign/internal/problem"
)

// Endpoints are the servers of the installation itself, such as its database and Temporal, which no check, tool or
// script reaches: they trust the network that they are in. No allowance opens one of them. They are compared by address
// and port, names are looked up when there is a dial to such a port, and all addresses of this machine count as one. A
// nil list is empty. It is safe for concurrent use.
type Endpoints struct {
	list []endpoint
	// further are those that Extend has set.
	further  atomic.Pointer[[]endpoint]
	resolver Resolver
	ownAddrs func() ([]netip.Addr, error)

	mu    sync.Mutex
	known map[string]known
}

type endpoint struct {
	host string
	addr netip.Addr
	port uint16
}

const (
	// endpointKeep is for how long an answer of the DNS is used again, and endpointLookup how long a look-up may take.
	endpointKeep   = 5 * time.Second
	endpointLookup = 2 * time.Second
)

// NewEndpoints reads addresses such as temporal:7233, 10.0.0.5:5432, [::1]:8080 and :8080, which is all of this
// machine. resolver and ownAddrs may be nil.
func NewEndpoints(addresses []string, resolver Resolver, ownAddrs func() ([]netip.Addr, error)) (*Endpoints, error) {
	e := &Endpoints{resolver: resolver, ownAddrs: ownAddrs, known: map[string]known{}}
	if e.resolver == nil {
		e.resolver = net.DefaultResolver
	}
	if e.ownAddrs == nil {
		e.ownAddrs = interfaceAddrs
	}
	var err error
	e.list, err = parseEndpoints(addresses)
	return e, err
}

// parseEndpoints parses addresses. It returns those that can be read and what is wrong with the others.
func parseEndpoints(addresses []string) ([]endpoint, error) {
	list := make([]endpoint, 0, len(addresses))
	var wrong error
	for _, text := range addresses {
		host, portText, err := net.SplitHostPort(text)
		if err != nil {
			wrong = errors.Join(wrong, fmt.Errorf("%q is not host:port", text))
			continue
		}
		port, err := strconv.ParseUint(portText, 10, 16)
		if err != nil {
			wrong = errors.Join(wrong, fmt.Errorf("%q has no port from 0 to 65535", text))
			continue
		}
		entry := endpoint{host: strings.ToLower(host), port: uint16(port)}
		if host == "" {
			entry.addr = netip.IPv6Unspecified()
		} else if addr, err := netip.ParseAddr(host); err == nil {
			entry.addr = addr.Unmap().WithZone("")
		}
		list = append(list, entry)
	}
	return list, wrong
}

// Extend replaces the servers that another process has said are closed, beside those of NewEndpoints. Addresses that cannot be read
// are in the error, and keep no other from being closed.
func (e *Endpoints) Extend(addresses []string) error {
	further, err := parseEndpoints(addresses)
	e.further.Store(&further)
	return err
}

// all are the closed servers.
func (e *Endpoints) all() []endpoint {
	if further := e.further.Load(); further != nil {
		return slices.Concat(e.list, *further)
	}
	return e.list
}

// AreElsewhere returns the addresses that mean the same server on another machine: without those of this machine alone, such as :8080
// and localhost:5432.
func AreElsewhere(addresses []string) []string {
	return slices.DeleteFunc(slices.Clone(addresses), func(address string) bool {
		host, _, err := net.SplitHostPort(address)
		if err != nil || host == "" || strings.EqualFold(host, "localhost") {
			return true
		}
		addr, err := netip.ParseAddr(host)
		return err == nil && (addr.IsLoopback() || addr.IsUnspecified())
	})
}

// permit refuses an address in any form on a port that a server of the installation has there.
func (e *Endpoints) permit(addr netip.Addr, port uint16) error {
	if e == nil {
		return nil
	}
	for _, entry := range e.all() {
		if entry.port != port {
			continue
		}
		targets, err := e.addresses(entry)
		if err != nil {
			return err
		}
		local, err := e.ownAddrs()
		if err != nil {
			return fmt.Errorf("list own addresses: %w", err)
		}
		here := func(a netip.Addr) bool { return a.IsLoopback() || a.IsUnspecified() || slices.Contains(local, a) }
		for _, target := range targets {
			same := func(a netip.Addr) bool { return a == target || here(a) && here(target) }
			if carries(addr.WithZone(""), same) {
				return refusedEndpoint()
			}
		}
	}
	return nil
}

// addresses returns the addresses of an endpoint. When DNS fails, it returns the last known ones; without any the port
// is closed.
func (e *Endpoints) addresses(entry endpoint) ([]netip.Addr, error) {
	if entry.addr.IsValid() {
		return []netip.Addr{entry.addr}, nil
	}
	e.mu.Lock()
	last := e.known[entry.host]
	e.mu.Unlock()
	if time.Now().Before(last.until) {
		return last.addrs, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), endpointLookup)
	defer cancel()
	answer, err := e.resolver.LookupNetIP(ctx, "ip", entry.host)
	if err != nil {
		if failed, ok := errors.AsType[*net.DNSError](err); ok && failed.IsNotFound || last.addrs != nil {
			return last.addrs, nil
		}
		return nil, refusedEndpoint()
	}
	addrs := make([]netip.Addr, 0, len(answer))
	for _, addr := range answer {
		addrs = append(addrs, addr.Unmap().WithZone(""))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.known[entry.host] = known{addrs, time.Now().Add(endpointKeep)}
	return addrs, nil
}

func refusedEndpoint() *problem.Error {
	return failure(ErrRefused, "Servers of this installation cannot be reached from checks, tools and scripts. An "+
		"operator can open them with COUNTERSIGN_EGRESS_OWN.")
}
