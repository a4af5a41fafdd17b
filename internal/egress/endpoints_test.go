package egress_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/egress"
)

func endpoints(t *testing.T, resolver egress.Resolver, list ...string) *egress.Endpoints {
	t.Helper()
	own := func() ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("10.0.0.9"), netip.MustParseAddr("203.0.113.9")}, nil
	}
	e, err := egress.NewEndpoints(list, resolver, own)
	require.NoError(t, err)
	return e
}

// No allowance opens a server of the installation, in whatever form its address is written.
func TestNoGuardReachesAServerOfTheInstallation(t *testing.T) {
	t.Parallel()
	everything, err := egress.ParsePolicy("0.0.0.0/0,::/0,temporal,alias.example.com,localhost,other")
	require.NoError(t, err)
	names := answers{
		"temporal": {"10.1.0.5"}, "temporal.": {"10.1.0.5"}, "alias.example.com": {"8.8.8.8", "10.1.0.5"},
		"alias.example.com.": {"8.8.8.8", "10.1.0.5"},
		"localhost":          {"127.0.0.1"}, "localhost.": {"127.0.0.1"}, "other": {"10.1.0.6"}, "other.": {"10.1.0.6"},
	}
	closed := endpoints(t, names, "temporal:7233", "10.1.0.7:5432", "0.0.0.0:8080", "127.0.0.1:8233", "[fd12::5]:9000", ":9100")
	dialled := func(context.Context, string, string) (net.Conn, error) { return nil, net.ErrClosed }
	checks := egress.NewChecks(egress.ChecksOptions{Allow: everything, Closed: closed, Resolver: names, Dial: dialled})
	guard := egress.New(egress.Options{Policy: everything, Closed: closed, Resolver: names, Dial: dialled})
	own := egress.Own{Policy: everything, Closed: closed, Resolver: names, Dial: dialled}
	dials := map[string]func(string) error{
		"checks":                    func(address string) error { _, err := checks.Dial(t.Context(), "tcp", address); return err },
		"checks, by way of a proxy": func(address string) error { _, err := checks.Addresses(t.Context(), address); return err },
		"guard":                     func(address string) error { _, err := guard.DialContext(t.Context(), "tcp", address); return err },
		"own":                       func(address string) error { _, err := own.DialContext(t.Context(), "tcp", address); return err },
		"own, by way of a proxy": func(address string) error {
			return own.CheckURL(t.Context(),
				&url.URL{Scheme: "http", Host: address})
		},
	}
	for name, dial := range dials {
		for _, address := range []string{
			"temporal:7233", "10.1.0.5:7233", "alias.example.com:7233", "[::ffff:10.1.0.5]:7233",
			"[64:ff9b::a01:5]:7233", "[2002:a01:5::]:7233",
			"10.1.0.7:5432", "127.0.0.1:8080", "127.9.9.9:8080", "[::1]:8080", "10.0.0.9:8080", "203.0.113.9:8080",
			"localhost:8080", "0.0.0.0:8080",
			"127.0.0.1:8233", "127.0.0.2:8233", "10.0.0.9:8233", "[fd12::5]:9000", "localhost:9100",
			"[::ffff:127.0.0.1]:8080", "[::ffff:10.0.0.9]:9100",
		} {
			require.ErrorIs(t, dial(address), egress.ErrRefused, "%s: %s", name, address)
		}
		for _, address := range []string{
			"temporal:7244", "10.1.0.6:7233", "other:7233", "10.1.0.7:5433",
			"10.1.0.8:5432", "127.0.0.1:8099", "[fd12::6]:9000",
		} {
			require.NotErrorIs(t, dial(address), egress.ErrRefused, "%s: %s", name, address)
		}
	}
}

// A script's list does not open one either.
func TestAnAllowlistDoesNotOpenAServerOfTheInstallation(t *testing.T) {
	t.Parallel()
	entry, err := egress.ParseEntry("10.1.0.0/16")
	require.NoError(t, err)
	guard := egress.New(egress.Options{
		Only: &egress.Allowlist{entry}, Closed: endpoints(t, answers{}, "10.1.0.5:7233"),
		OwnAddrs: noOwnAddrs,
	})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://10.1.0.5:7233/", http.NoBody)
	require.NoError(t, err)
	answer, err := guard.Client(0).Do(request)
	if err == nil {
		_ = answer.Body.Close()
	}
	require.ErrorIs(t, err, egress.ErrRefused)
	_, err = guard.Check(t.Context(), "http://10.1.0.5:7234/")
	require.NoError(t, err)
}

// The last known addresses count while the DNS is away, and a port is closed when none were ever known.
func TestANameThatCannotBeLookedUpStaysClosed(t *testing.T) {
	t.Parallel()
	away := &unsteady{}
	checks := egress.NewChecks(egress.ChecksOptions{Closed: endpoints(t, away, "temporal:7233")})
	_, err := checks.Addresses(t.Context(), "10.1.0.5:7233")
	require.ErrorIs(t, err, egress.ErrRefused)
	_, err = checks.Addresses(t.Context(), "10.1.0.5:80")
	require.NoError(t, err)
	away.unknown = true
	_, err = checks.Addresses(t.Context(), "10.1.0.5:7233")
	require.NoError(t, err, "nothing is there")
}

type unsteady struct{ unknown bool }

func (f *unsteady) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return nil, &net.DNSError{Err: "no", IsNotFound: f.unknown, IsTemporary: !f.unknown}
}

// A process closes what another one has said beside its own, until it says something else.
func TestClosedServersAreExtended(t *testing.T) {
	t.Parallel()
	everything, err := egress.ParsePolicy("0.0.0.0/0,::/0")
	require.NoError(t, err)
	names := answers{"temporal": {"10.1.0.5"}}
	closed := endpoints(t, names, "10.1.0.7:5432")
	checks := egress.NewChecks(egress.ChecksOptions{
		Allow: everything, Closed: closed, Resolver: names,
		Dial: func(context.Context, string, string) (net.Conn, error) { return nil, net.ErrClosed },
	})
	refused := func(address string) bool {
		_, err := checks.Dial(t.Context(), "tcp", address)
		require.Error(t, err)
		return errors.Is(err, egress.ErrRefused)
	}
	require.False(t, refused("10.1.0.5:7233"))
	require.NoError(t, closed.Extend([]string{"temporal:7233", "10.1.0.8:8080"}))
	require.True(t, refused("10.1.0.5:7233"))
	require.True(t, refused("10.1.0.8:8080"))
	require.True(t, refused("10.1.0.7:5432"))
	err = closed.Extend([]string{"no address", "temporal:7233", "10.1.0.9:http"})
	require.ErrorContains(t, err, `"no address" is not host:port`)
	require.ErrorContains(t, err, `"10.1.0.9:http" has no port`)
	require.True(t, refused("10.1.0.5:7233"), "those that can be read are closed")
	require.False(t, refused("10.1.0.8:8080"), "it is no longer among them")
	require.NoError(t, closed.Extend(nil))
	require.False(t, refused("10.1.0.5:7233"))
	require.True(t, refused("10.1.0.7:5432"))

	list := []string{
		"temporal:7233",
		":8080",
		"0.0.0.0:8080",
		"127.0.0.1:5432",
		"LocalHost:5432",
		"[::1]:9000",
		"[fd12::5]:9000",
		"10.0.0.5:5432",
	}
	require.Equal(t, []string{"temporal:7233", "[fd12::5]:9000", "10.0.0.5:5432"}, egress.AreElsewhere(list))
}
