package egress

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Own guards requests to servers that an administrator configured, such as model providers, which may be in the
// operator's own network. It refuses only addresses that are never such a server: link-local addresses and metadata
// services with the machine's credentials, in every spelling and by name. It dials the address that it checked.
type Own struct {
	// Policy opens addresses that are refused otherwise.
	Policy Policy
	// Closed are the servers of the installation itself, which Policy does not open.
	Closed   *Endpoints
	Resolver Resolver
	// Dial replaces the system's dialer. It gets a checked address, never a name.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// neverOwn4 and neverOwn6 are the addresses that no server of one's own has.
var (
	neverOwn4 = append([]netip.Prefix{netip.MustParsePrefix("169.254.0.0/16")}, metadata4...)
	neverOwn6 = append([]netip.Prefix{netip.MustParsePrefix("fe80::/10")}, metadata6...)
)

func neverOwn(addr netip.Addr) bool {
	addr = addr.WithZone("")
	return within(neverOwn6, addr) || endsInMetadata(addr) || carries(addr, func(inner netip.Addr) bool { return within(neverOwn4, inner) })
}

func within(prefixes []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(a) })
}

// refused is one text for all of them.
func (o Own) refused() error {
	return refuse("its host is a link-local address or a metadata service, which is never a server of your own")
}

// permit expects port 0 where none is known.
func (o Own) permit(addr netip.Addr, port uint16) error {
	if err := o.Closed.permit(addr, port); err != nil {
		return err
	}
	if o.Policy.allowsAddr(addr) || !neverOwn(addr) {
		return nil
	}
	return o.refused()
}

// Check reports whether the host of a URL may currently be dialled. A name that cannot be resolved passes: it is
// checked again when it is dialled.
func (o Own) Check(ctx context.Context, host string) error {
	return o.check(ctx, host, 0)
}

// CheckURL is Check with the port of a URL.
func (o Own) CheckURL(ctx context.Context, u *url.URL) error {
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		port = 443
		if u.Scheme == "http" {
			port = 80
		}
	}
	return o.check(ctx, u.Hostname(), uint16(port))
}

func (o Own) check(ctx context.Context, host string, port uint16) error {
	_, err := o.resolve(ctx, host, port)
	if _, unknown := err.(unresolved); unknown { //nolint:errorlint // it is not wrapped
		return nil
	}
	return err
}

type unresolved struct{ error }

func (u unresolved) Unwrap() error { return u.error }

func (o Own) resolve(ctx context.Context, host string, port uint16) ([]netip.Addr, error) {
	name := strings.TrimSuffix(strings.ToLower(host), ".")
	if literal, err := netip.ParseAddr(name); err == nil {
		return []netip.Addr{literal}, o.permit(literal, port)
	}
	if isMetadataName(name) && !o.Policy.allowsHost(name) {
		return nil, o.refused()
	}
	resolver := o.Resolver
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	addrs, err := resolver.LookupNetIP(ctx, "ip", host)
	if err != nil || len(addrs) == 0 {
		return nil, unresolved{fmt.Errorf("look up %s: %w", host, err)}
	}
	for _, addr := range addrs {
		if err := o.permit(addr, port); err != nil {
			return nil, err
		}
	}
	return addrs, nil
}

// DialContext resolves the host of address ("host:port"), checks every answer and connects to one of them.
func (o Own) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("dial %s: %w", address, err)
	}
	ctx, cancel := context.WithTimeout(ctx, ownDialTimeout)
	defer cancel()
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("dial %s: %w", address, err)
	}
	addrs, err := o.resolve(ctx, host, uint16(number))
	if err != nil {
		return nil, err
	}
	dial := o.Dial
	if dial == nil {
		dial = (&net.Dialer{KeepAlive: 30 * time.Second, Control: o.permitSocket}).DialContext
	}
	addrs = addrs[:min(len(addrs), maxDialed)]
	var last error
	for i, addr := range addrs {
		share, end := shareOf(ctx, len(addrs)-i)
		conn, err := dial(share, network, netip.AddrPortFrom(addr, uint16(number)).String())
		end()
		if err == nil {
			return conn, nil
		}
		if last = err; ctx.Err() != nil {
			break
		}
	}
	return nil, last
}

const ownDialTimeout = 10 * time.Second

// permitSocket looks at the address of the socket once more.
func (o Own) permitSocket(_, address string, _ syscall.RawConn) error {
	addr, err := netip.ParseAddrPort(address)
	if err != nil {
		return o.refused()
	}
	return o.permit(addr.Addr(), addr.Port())
}

// Guarded makes a transport check the host of every request, also of those that a proxy would dial.
func (o Own) Guarded(t *http.Transport) http.RoundTripper {
	t.DialContext = o.DialContext
	return ownTransport{o, t}
}

type ownTransport struct {
	own  Own
	base *http.Transport
}

// RoundTrip implements http.RoundTripper.
func (t ownTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.base.Proxy != nil {
		if proxy, err := t.base.Proxy(r); err == nil && proxy != nil {
			if err := t.own.CheckURL(r.Context(), r.URL); err != nil {
				if r.Body != nil {
					_ = r.Body.Close()
				}
				return nil, err
			}
		}
	}
	return t.base.RoundTrip(r)
}

// CloseIdleConnections implements the optional interface of http.Client.
func (t ownTransport) CloseIdleConnections() { t.base.CloseIdleConnections() }
