// Package egress is the SSRF guard: it checks every outbound connection that untrusted input causes, such as a URL from a chat,
// a model or a script. Server-side request forgery means a URL that leads to this machine, to the operator's network, or to a
// cloud's metadata service.
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

	"countersign/internal/problem"
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
	Policy Policy
	// Only, when set, is an allowlist that replaces Policy. A name must be listed before it is resolved, a private
	// address must be listed as an address or a prefix, and special addresses (link-local, metadata services) are never
	// reached. An empty list reaches nothing.
	Only *Allowlist
	// Closed are the servers of the installation itself, which neither Policy nor Only opens.
	Closed *Endpoints
	// Advice ends the text of a refusal: who can open the target, and where. By default it names COUNTERSIGN_EGRESS_ALLOW.
	Advice   string
	Resolver Resolver
	// Dial replaces the system's dialer. It gets a checked address, never a name.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// OwnAddrs lists the addresses of this machine, which count as private; by default those of its interfaces.
	OwnAddrs func() ([]netip.Addr, error)
}

// Guard opens connections to allowed targets only. It is safe for concurrent use.
type Guard struct {
	policy     Policy
	only       *Allowlist
	closed     *Endpoints
	advice     string
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
		policy: opts.Policy, only: opts.Only, closed: opts.Closed, advice: opts.Advice, classifier: newClassifier(),
		resolver: opts.Resolver, dial: opts.Dial, ownAddrs: opts.OwnAddrs,
	}
	if g.advice == "" {
		g.advice = "An operator can allow internal targets with COUNTERSIGN_EGRESS_ALLOW"
	}
	if g.resolver == nil {
		g.resolver = net.DefaultResolver
	}
	if g.ownAddrs == nil {
		g.ownAddrs = interfaceAddrs
	}
	return g
}

// Check parses a URL, resolves its host and reports whether it may currently be reached. It dials nothing.
func (g *Guard) Check(ctx context.Context, raw string) (Target, error) {
	target, err := ParseTarget(raw)
	if err != nil {
		return Target{}, err
	}
	if _, err := g.resolve(ctx, target.Host, target.Port, target.Addr); err != nil {
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
	res, err := t.base.RoundTrip(checked)
	if err != nil || res.StatusCode >= http.StatusOK {
		return res, err
	}
	// After a protocol switch the body is the connection itself, which no deadline of the request ends.
	_ = res.Body.Close()
	return nil, unreachable(nil, "it answered with status %d, which is not an answer to a plain request", res.StatusCode)
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
	addrs, err := g.resolve(ctx, host, uint16(port), literal)
	if err != nil {
		return nil, err
	}
	return g.dialFirst(ctx, network, host, uint16(port), addrs)
}

// resolve answers the addresses of a host, all of them checked.
func (g *Guard) resolve(ctx context.Context, host string, port uint16, literal netip.Addr) ([]netip.Addr, error) {
	if literal.IsValid() {
		if g.only != nil && !g.only.allowsAddr(literal, port) {
			return nil, g.refusedTarget(host, port)
		}
		return []netip.Addr{literal}, g.permitAt(host, port, []netip.Addr{literal})
	}
	if g.only != nil && !g.only.allowsName(host, port) {
		return nil, g.refusedTarget(host, port)
	}
	if g.only == nil && internalName(host) && !g.policy.allowsHost(host) {
		return nil, g.refusedAddress()
	}
	// The root dot keeps the resolver from trying the machine's search domains.
	answer, err := g.resolver.LookupNetIP(ctx, "ip", host+".")
	if err != nil && ctx.Err() == nil && g.only == nil && g.policy.allowsHost(host) {
		// An allowlisted name may exist only in the hosts file of this machine.
		answer, err = g.resolver.LookupNetIP(ctx, "ip", host)
	}
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
	if err := g.permitAt(host, port, addrs); err != nil {
		return nil, err
	}
	slices.SortStableFunc(addrs, func(a, b netip.Addr) int { return a.BitLen() - b.BitLen() })
	return slices.Compact(addrs), nil
}

// permitAt refuses what neither the list of a guard that has one nor the policy of another allows.
func (g *Guard) permitAt(host string, port uint16, addrs []netip.Addr) error {
	for _, addr := range addrs {
		if err := g.closed.permit(addr, port); err != nil {
			return err
		}
	}
	if g.only == nil {
		return g.permit(host, addrs)
	}
	own, err := g.ownAddrs()
	if err != nil {
		return fmt.Errorf("list own addresses: %w", err)
	}
	for _, addr := range addrs {
		where := g.reachOf(addr, own)
		if where == reachSpecial || (where == reachPrivate && !g.only.allowsAddr(addr, port)) {
			return g.refusedAddress()
		}
	}
	return nil
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
		where := g.reachOf(addr, own)
		if where == reachSpecial || (where == reachPrivate && !g.policy.allowsHost(host)) {
			return g.refusedAddress()
		}
	}
	return nil
}

// reachOf also knows that a public address of this machine leads into it.
func (g *Guard) reachOf(addr netip.Addr, own []netip.Addr) reach {
	where := g.classifier.classify(addr)
	if where == reachPublic && slices.Contains(own, addr) {
		return reachPrivate
	}
	return where
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
		return g.refusedAddress()
	}
	return g.permitAt(host, addr.Port(), []netip.Addr{addr.Addr().Unmap()})
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
