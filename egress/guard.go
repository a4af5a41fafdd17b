// Package egress guards every connection that the product opens on behalf of untrusted input: a URL from a chat, from
// a model, from a script. The danger is server-side request forgery: a URL that leads to this machine, to the
// operator's network, or to a cloud's metadata service.
//
// A Guard works in three steps. ParseTarget reads the URL so strictly that no other parser can understand it
// differently. The name is checked against the zones that are internal by definition. Then the name is resolved, once,
// every address of the answer is checked, and one of exactly these addresses is dialled; a last check looks at the
// address of the socket itself. There is no second resolution that an attacker's DNS server could answer differently,
// no proxy, and no followed redirect.
//
// A Policy opens exceptions for operators and tests. Refusals are *problem.Error values that wrap ErrRefused and never
// show an address that a name resolved to.
package egress

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"syscall"
	"time"

	"countersign/problem"
)

var (
	// ErrRefused is the cause of every error about a target that may not be reached.
	ErrRefused = errors.New("egress refused")
	// ErrUnreachable is the cause of every error about an allowed target that did not answer.
	ErrUnreachable = errors.New("target unreachable")
)

// Resolver resolves names; *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Options of a Guard. The zero value is a guard for production that reaches public addresses only.
type Options struct {
	Policy   Policy
	Resolver Resolver
	// Dial replaces the system's dialer. It gets a checked address, never a name.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// OwnAddrs lists the addresses of this machine, which count as private; by default those of its interfaces.
	OwnAddrs func() ([]netip.Addr, error)
}

// Guard opens connections to allowed targets only. It is safe for concurrent use.
type Guard struct {
	policy     Policy
	classifier classifier
	resolver   Resolver
	dial       func(ctx context.Context, network, address string) (net.Conn, error)
	ownAddrs   func() ([]netip.Addr, error)
}

// maxDialed bounds how many addresses of one name are tried.
const maxDialed = 4

// New makes a guard.
func New(opts Options) *Guard {
	g := &Guard{
		policy: opts.Policy, classifier: newClassifier(),
		resolver: opts.Resolver, dial: opts.Dial, ownAddrs: opts.OwnAddrs,
	}
	if g.resolver == nil {
		g.resolver = net.DefaultResolver
	}
	if g.ownAddrs == nil {
		g.ownAddrs = interfaceAddrs
	}
	return g
}

// Check parses a URL, resolves its host and says whether it may be reached at this moment. It dials nothing.
func (g *Guard) Check(ctx context.Context, raw string) (Target, error) {
	target, err := ParseTarget(raw)
	if err != nil {
		return Target{}, err
	}
	if _, err := g.resolve(ctx, target.Host, target.Addr); err != nil {
		return Target{}, err
	}
	return target, nil
}

// Client makes an HTTP client whose every request is checked and dialled by the guard. It uses no proxy, follows no
// redirect, keeps no cookie and no idle connection. timeout covers a whole exchange, the body included.
func (g *Guard) Client(timeout time.Duration) *http.Client {
	return &http.Client{
		Timeout: timeout,
		Transport: &transport{base: &http.Transport{
			Proxy:                  nil,
			DialContext:            g.DialContext,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
			DisableKeepAlives:      true,
			DisableCompression:     true,
			MaxResponseHeaderBytes: 64 << 10,
		}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// transport sends only what ParseTarget understood, so that the host on the wire is the host that was checked.
type transport struct{ base *http.Transport }

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	target, err := ParseTarget(req.URL.String())
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	checked := req.Clone(req.Context())
	checked.URL = target.URL
	checked.Host = ""
	return t.base.RoundTrip(checked)
}

// DialContext resolves the host of address ("host:port"), checks every answer and connects to one of them.
func (g *Guard) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, portText, err := net.SplitHostPort(address)
	if err != nil || network != "tcp" {
		return nil, refuse("its host or port cannot be read")
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, refuse("its port is not a number from 1 to 65535")
	}
	literal, err := netip.ParseAddr(host)
	if err != nil {
		literal = netip.Addr{}
	}
	addrs, err := g.resolve(ctx, host, literal)
	if err != nil {
		return nil, err
	}
	return g.dialFirst(ctx, network, host, uint16(port), addrs)
}

// resolve answers the addresses of a host, all of them checked.
func (g *Guard) resolve(ctx context.Context, host string, literal netip.Addr) ([]netip.Addr, error) {
	if literal.IsValid() {
		return []netip.Addr{literal}, g.permit(host, []netip.Addr{literal})
	}
	if internalName(host) && !g.policy.allowsHost(host) {
		return nil, refusedAddress()
	}
	// The root dot keeps the resolver from trying the machine's search domains.
	answer, err := g.resolver.LookupNetIP(ctx, "ip", host+".")
	if err != nil {
		if ctx.Err() != nil {
			return nil, unreachable(ctx.Err(), "looking up the host %s took too long", host)
		}
		return nil, unreachable(nil, "the host %s could not be found in the DNS", host)
	}
	if len(answer) == 0 {
		return nil, unreachable(nil, "the host %s has no address", host)
	}
	// A resolver may give IPv4 addresses in their v4-mapped form.
	addrs := make([]netip.Addr, len(answer))
	for i, addr := range answer {
		addrs[i] = addr.Unmap()
	}
	if err := g.permit(host, addrs); err != nil {
		return nil, err
	}
	slices.SortStableFunc(addrs, func(a, b netip.Addr) int { return a.BitLen() - b.BitLen() })
	return slices.Compact(addrs), nil
}

// permit refuses a host when any of its addresses is not allowed: a name with one bad address is a trap.
func (g *Guard) permit(host string, addrs []netip.Addr) error {
	own, err := g.ownAddrs()
	if err != nil {
		return fmt.Errorf("list own addresses: %w", err)
	}
	for _, addr := range addrs {
		if g.policy.allowsAddr(addr) {
			continue
		}
		where := g.classifier.classify(addr)
		if where == reachPublic && slices.Contains(own, addr) {
			where = reachPrivate
		}
		if where == reachSpecial || (where == reachPrivate && !g.policy.allowsHost(host)) {
			return refusedAddress()
		}
	}
	return nil
}

func (g *Guard) dialFirst(ctx context.Context, network, host string, port uint16, addrs []netip.Addr) (net.Conn, error) {
	addrs = addrs[:min(len(addrs), maxDialed)]
	dial := g.dial
	if dial == nil {
		dial = g.systemDialer(host).DialContext
	}
	var last error
	for i, addr := range addrs {
		share, cancel := shareOf(ctx, len(addrs)-i)
		conn, err := dial(share, network, netip.AddrPortFrom(addr, port).String())
		cancel()
		if err == nil {
			return conn, nil
		}
		last = err
		if ctx.Err() != nil {
			break
		}
	}
	if refusal, ok := errors.AsType[*problem.Error](last); ok {
		return nil, refusal
	}
	return nil, unreachable(last, "no connection to %s: %s", host, reasonOf(last))
}

// shareOf gives each address its part of the time that is left, so that a dead one does not use up all of it.
func shareOf(ctx context.Context, left int) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Until(deadline)/time.Duration(left))
}

// systemDialer makes a dialer that looks at the address of each socket once more, right before it connects.
func (g *Guard) systemDialer(host string) *net.Dialer {
	return &net.Dialer{
		KeepAlive: -1,
		Control: func(network, address string, _ syscall.RawConn) error {
			return g.permitSocket(host, network, address)
		},
	}
}

func (g *Guard) permitSocket(host, network, address string) error {
	addr, err := netip.ParseAddrPort(address)
	if err != nil || (network != "tcp4" && network != "tcp6") {
		return refusedAddress()
	}
	return g.permit(host, []netip.Addr{addr.Addr().Unmap()})
}

func interfaceAddrs() ([]netip.Addr, error) {
	nets, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	addrs := make([]netip.Addr, 0, len(nets))
	for _, n := range nets {
		if prefix, err := netip.ParsePrefix(n.String()); err == nil {
			addrs = append(addrs, prefix.Addr().Unmap())
		}
	}
	return addrs, nil
}
