package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/idna"

	"countersign/internal/problem"
)

// Checks is the SSRF guard of health checks. A monitor reaches the operator's own network, so private addresses and
// internal names are open to it. Closed are this machine's loopback, link-local addresses, metadata services with the
// machine's credentials, and non-host addresses (multicast, broadcast), in every spelling of an address. A name is
// resolved once, one closed address closes it, and only the checked addresses are dialled (against DNS rebinding). No
// error shows an address. It is safe for concurrent use.
type Checks struct {
	allow, deny Policy
	closed      *Endpoints
	resolver    Resolver
	dial        DialFunc
	names       *names
	stagger     time.Duration
}

// DialFunc connects to an "address:port"; it is never given a name.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// ChecksOptions of Checks. The zero value is for production.
type ChecksOptions struct {
	// Allow opens closed targets: a prefix everything in it, a name that of a metadata service; see ParsePolicy.
	Allow Policy
	// Deny closes prefixes, and names with all names below them. It wins over Allow.
	Deny Policy
	// Closed are the servers of the installation itself, which Allow does not open.
	Closed   *Endpoints
	Resolver Resolver
	// Dial replaces the system's dialer.
	Dial DialFunc
	// Stagger is after what time the next address is tried beside the one that has not answered yet; by default 250 ms.
	Stagger time.Duration
	// Remember is for how long an answer of the DNS is used again; by default 5 s, negative for not at all.
	Remember time.Duration
}

// Conn is a connection that Checks made.
type Conn struct {
	net.Conn
	// Lookup and Connect are how long the name and the connection took. Lookup is 0 for a literal address and for a name that was
	// remembered.
	Lookup, Connect time.Duration
}

// NetConn is the connection itself.
func (c *Conn) NetConn() net.Conn { return c.Conn }

// maxCheckDialed bounds how many addresses of one name are tried.
const maxCheckDialed = 6

// NewChecks makes the guard of a process.
func NewChecks(opts ChecksOptions) *Checks {
	c := &Checks{allow: opts.Allow, deny: opts.Deny, closed: opts.Closed, resolver: opts.Resolver, dial: opts.Dial, stagger: opts.Stagger}
	if c.resolver == nil {
		c.resolver = net.DefaultResolver
	}
	if c.stagger <= 0 {
		c.stagger = 250 * time.Millisecond
	}
	if opts.Remember == 0 {
		opts.Remember = 5 * time.Second
	}
	c.names = newNames(opts.Remember)
	return c
}

type fresh struct{}

// Fresh bypasses the DNS cache, for checks that measure the lookup.
func Fresh(ctx context.Context) context.Context { return context.WithValue(ctx, fresh{}, true) }

// Addresses returns the checked addresses of a host name or a literal address, alternating between families. The port
// of a "host:port" is checked too. Errors are those of Dial.
func (c *Checks) Addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	name, portText, err := net.SplitHostPort(host)
	if err != nil {
		addrs, _, err := c.resolve(ctx, host)
		return addrs, err
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("look up %s: the port is not a number from 0 to 65535", name)
	}
	addrs, _, err := c.resolve(ctx, name)
	if err != nil {
		return nil, err
	}
	return addrs, c.permitPort(addrs, uint16(port))
}

// permitPort refuses the servers of the installation itself.
func (c *Checks) permitPort(addrs []netip.Addr, port uint16) error {
	for _, addr := range addrs {
		if err := c.closed.permit(addr, port); err != nil {
			return err
		}
	}
	return nil
}

// resolve also returns the duration of the DNS lookup.
func (c *Checks) resolve(ctx context.Context, host string) ([]netip.Addr, time.Duration, error) {
	if literal, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")); err == nil {
		if literal.Zone() != "" || !c.permits(literal) {
			return nil, 0, refusedCheck()
		}
		return []netip.Addr{literal.Unmap()}, 0, nil
	}
	host, err := ASCIIHost(host)
	if err != nil {
		return nil, 0, err
	}
	name := strings.TrimSuffix(strings.ToLower(host), ".")
	if c.deny.closesName(name) || isMetadataName(name) && !c.allow.allowsHost(name) {
		return nil, 0, refusedCheck()
	}
	again, _ := ctx.Value(fresh{}).(bool)
	if !again {
		if addrs := c.names.get(host); addrs != nil {
			return addrs, 0, nil
		}
	}
	begun := time.Now()
	// The name goes to the resolver unchanged, so that the search domains of the machine, such as those of a cluster, apply.
	answer, err := c.resolver.LookupNetIP(ctx, "ip", host)
	took := time.Since(begun)
	if err != nil {
		return nil, took, lookupFailed(ctx, host, err)
	}
	if len(answer) == 0 {
		return nil, took, &net.DNSError{Err: "no address", Name: host, IsNotFound: true}
	}
	for _, addr := range answer {
		if !c.permits(addr) {
			return nil, took, refusedCheck()
		}
	}
	addrs := takingTurns(answer)
	c.names.put(host, addrs)
	return addrs, took, nil
}

// ASCIIHost returns the form of a host name for the DNS and for certificates (punycode, RFC 5891). Names in ASCII are
// returned unchanged, as some hosts have names that the RFC does not allow, such as my_host. Its error is a
// *net.DNSError.
func ASCIIHost(host string) (string, error) {
	if ascii(host) {
		return host, nil
	}
	name, err := idna.Lookup.ToASCII(host)
	if err != nil {
		return "", &net.DNSError{Err: "no valid internationalized name", Name: host, IsNotFound: true}
	}
	return name, nil
}

// permits expects any form of an address.
func (c *Checks) permits(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("") // no prefix holds an address with a zone
	if carries(addr, c.deny.allowsAddr) {
		return false
	}
	return c.allow.allowsAddr(addr) || !closedToChecks(addr)
}

// Dial resolves the host of address ("host:port"), checks every address and connects to the first one that answers; it
// tries the next one when the previous one has failed or is slow. The networks are tcp and udp, and those of
// one IP version, such as tcp6. An error wraps ErrRefused, a *net.DNSError, a *NoAddressError or the system's error for
// one of the addresses.
func (c *Checks) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, portText, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("dial: %q is not host:port", address)
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil || port == 0 {
		return nil, fmt.Errorf("dial %s: the port is not a number from 1 to 65535", host)
	}
	addrs, looked, err := c.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	if err := c.permitPort(addrs, uint16(port)); err != nil {
		return nil, err
	}
	if addrs, err = ofFamily(network, host, addrs); err != nil {
		return nil, err
	}
	begun := time.Now()
	conn, err := c.race(ctx, network, uint16(port), addrs[:min(len(addrs), maxCheckDialed)])
	if err != nil {
		return nil, withoutAddress(host, err)
	}
	return &Conn{Conn: conn, Lookup: looked, Connect: time.Since(begun)}, nil
}

type dialled struct {
	conn net.Conn
	err  error
	nth  int
}

// race dials addresses in parallel (happy eyeballs, RFC 8305).
func (c *Checks) race(ctx context.Context, network string, port uint16, addrs []netip.Addr) (net.Conn, error) {
	if len(addrs) == 1 {
		return c.dialOne(ctx, network, netip.AddrPortFrom(addrs[0], port))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan dialled, len(addrs))
	started, ended := 0, 0
	start := func() {
		nth := started
		started++
		go func() {
			conn, err := c.dialOne(ctx, network, netip.AddrPortFrom(addrs[nth], port))
			results <- dialled{conn, err, nth}
		}()
	}
	first := make([]error, len(addrs))
	timer := time.NewTimer(c.stagger)
	defer timer.Stop()
	start()
	for {
		select {
		case <-timer.C:
			if started < len(addrs) {
				start()
				timer.Reset(c.stagger)
			}
		case r := <-results:
			ended++
			if r.err == nil {
				go closeRest(results, started-ended)
				return r.conn, nil
			}
			first[r.nth] = r.err
			if ended == len(addrs) {
				return nil, telling(first)
			}
			if started < len(addrs) {
				start()
				timer.Reset(c.stagger)
			}
		}
	}
}

// telling returns the first error about the target: "no route" is often about this machine, which may have no IPv6.
func telling(failed []error) error {
	for _, err := range failed {
		if !errors.Is(err, syscall.ENETUNREACH) && !errors.Is(err, syscall.EHOSTUNREACH) && !errors.Is(err, syscall.EADDRNOTAVAIL) &&
			!errors.Is(err, syscall.EAFNOSUPPORT) {
			return err
		}
	}
	return failed[0]
}

// closeRest ends connections that came too late.
func closeRest(results <-chan dialled, left int) {
	for range left {
		if r := <-results; r.conn != nil {
			_ = r.conn.Close()
		}
	}
}

func (c *Checks) dialOne(ctx context.Context, network string, addr netip.AddrPort) (net.Conn, error) {
	if c.dial != nil {
		return c.dial(ctx, network, addr.String())
	}
	// Keepalive detects idle connections that a router has dropped.
	keepAlive := net.KeepAliveConfig{Enable: true, Idle: 30 * time.Second, Interval: 10 * time.Second, Count: 3}
	dialer := net.Dialer{KeepAliveConfig: keepAlive, Control: c.permitSocket}
	return dialer.DialContext(ctx, network, addr.String())
}

// permitSocket looks at the address of each socket once more, right before it connects.
func (c *Checks) permitSocket(_, address string, _ syscall.RawConn) error {
	addr, err := netip.ParseAddrPort(address)
	if err != nil || !c.permits(addr.Addr()) {
		return refusedCheck()
	}
	return c.closed.permit(addr.Addr(), addr.Port())
}

// takingTurns keeps the resolver's order within each family, and the family of its first answer first.
func takingTurns(answer []netip.Addr) []netip.Addr {
	var families [2][]netip.Addr
	seen := make(map[netip.Addr]bool, len(answer))
	first := answer[0].Unmap().BitLen()
	for _, addr := range answer {
		if addr = addr.Unmap(); seen[addr] {
			continue
		}
		seen[addr] = true
		family := 0
		if addr.BitLen() != first {
			family = 1
		}
		families[family] = append(families[family], addr)
	}
	addrs := make([]netip.Addr, 0, len(answer))
	for i := range max(len(families[0]), len(families[1])) {
		for _, family := range families {
			if i < len(family) {
				addrs = append(addrs, family[i])
			}
		}
	}
	return addrs
}

func refusedCheck() *problem.Error {
	const detail = "Checks may not reach that address. An operator can open it with COUNTERSIGN_CHECK_EGRESS_ALLOW."
	return problem.InvalidInput(detail).WithCause(ErrRefused)
}

// lookupFailed keeps the name server's address out of the error.
func lookupFailed(ctx context.Context, host string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("look up %s: %w", host, ctx.Err())
	}
	known, ok := errors.AsType[*net.DNSError](err)
	if !ok {
		return &net.DNSError{Err: "the lookup failed", Name: host, IsTemporary: true}
	}
	return &net.DNSError{Err: known.Err, Name: host, IsTimeout: known.IsTimeout, IsTemporary: known.IsTemporary, IsNotFound: known.IsNotFound}
}

// withoutAddress returns a system error without its address.
func withoutAddress(host string, err error) error {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err
	}
	return fmt.Errorf("dial %s: %w", host, err)
}
