package egress_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/egress"
)

// FuzzDialledAddress compares, for any text, what ParseTarget understood with what an HTTP request really dials: the
// address must be public, and it must be the literal host or the answer for the parsed name.
func FuzzDialledAddress(f *testing.F) {
	for _, seed := range []string{
		"http://example.com/", "https://example.com:8443/a?b#c", "http://127.0.0.1/", "http://[::1]:8080/", "http://8.8.8.8/",
		"http://[2606:4700::1111]/", "http://0x7f.1/", "http://①.①.①.①/", "http://a@b/", "http://a\\@b/", "http://xn--a/", "http://a%41/",
		"http://example.com:65535", "HTTP://ExAmPlE.CoM.", "http://[::ffff:8.8.8.8]/", "http://1.1.1.1.", "http://[fe80::1%25a]/", "http://a_b.c/",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		target, parseErr := egress.ParseTarget(raw)
		network := &offline{}
		_, err := egress.Probe(t.Context(), network.guard(), raw, "GET")
		require.Error(t, err)
		network.agreesWith(t, target, parseErr)

		// A client gets what url.Parse makes of the text, without ParseTarget before it.
		if u, err := url.Parse(raw); err == nil {
			target, parseErr := egress.ParseTarget(u.String())
			network := &offline{}
			res, err := network.guard().Client(time.Second).Do(&http.Request{Method: http.MethodGet, URL: u, Header: http.Header{}})
			if res != nil {
				_ = res.Body.Close()
			}
			require.Error(t, err)
			network.agreesWith(t, target, parseErr)
		}
		if parseErr == nil {
			again, err := egress.ParseTarget(target.URL.String())
			require.NoError(t, err, "a normalised URL is a valid one")
			require.Equal(t, target.URL.String(), again.URL.String())
			require.Equal(t, target.Host, again.Host)
			require.Equal(t, strings.ToLower(target.Host), target.Host)
		}
	})
}

// offline resolves every name to one public address, connects to nothing and remembers what it was asked for.
type offline struct{ asked, dialed []string }

func (o *offline) guard() *egress.Guard {
	return egress.New(egress.Options{
		Resolver: o, OwnAddrs: noOwnAddrs,
		Dial: func(_ context.Context, _, address string) (net.Conn, error) {
			o.dialed = append(o.dialed, address)
			return nil, errOffline
		},
	})
}

var errOffline = errors.New("offline")

func (o *offline) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	o.asked = append(o.asked, host)
	return []netip.Addr{netip.MustParseAddr("8.8.4.4")}, nil
}

func (o *offline) agreesWith(t *testing.T, target egress.Target, parseErr error) {
	t.Helper()
	if parseErr != nil {
		require.Empty(t, o.asked)
		require.Empty(t, o.dialed)
		return
	}
	for _, name := range o.asked {
		require.Equal(t, target.Host+".", name)
	}
	for _, address := range o.dialed {
		got := netip.MustParseAddrPort(address)
		require.Equal(t, target.Port, got.Port())
		if target.Addr.IsValid() {
			require.Equal(t, target.Addr, got.Addr())
		} else {
			require.Equal(t, "8.8.4.4", got.Addr().String())
		}
		addr := got.Addr()
		require.False(
			t,
			addr.IsPrivate() || addr.IsLoopback() || addr.IsLinkLocalUnicast() || addr.IsMulticast() || addr.IsUnspecified() || addr.Is4In6(),
		)
	}
}

func FuzzPolicy(f *testing.F) {
	for _, seed := range []string{"", "10.0.0.0/8", "127.0.0.1,::1", "a.b,c", "1.2.3.4/33", "fe80::1%x/64", "::ffff:1.2.3.4/96", "*"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, list string) {
		policy, err := egress.ParsePolicy(list)
		if err != nil {
			return
		}
		for _, prefix := range policy.Prefixes {
			require.True(t, prefix.IsValid())
			require.Equal(t, prefix.Masked(), prefix)
		}
		for _, host := range policy.Hosts {
			require.NotContains(t, host, "/")
			require.Equal(t, strings.ToLower(host), host)
		}
	})
}
