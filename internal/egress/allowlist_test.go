package egress_test

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/egress"
)

func allowing(t *testing.T, entries ...string) *egress.Allowlist {
	t.Helper()
	list := egress.Allowlist{}
	for _, text := range entries {
		entry, err := egress.ParseEntry(text)
		require.NoError(t, err, text)
		list = append(list, entry)
	}
	return &list
}

func TestAnEntryOfAnAllowlistIsRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"example.com": "example.com", "EXAMPLE.com.": "example.com", "*.Example.COM": "*.example.com", "example.com:8443": "example.com:8443",
		"*.example.com:443": "*.example.com:443", "bücher.example": "xn--bcher-kva.example", "db": "db", "status.corp.internal": "status.corp.internal",
		"10.1.2.3": "10.1.2.3", "10.1.2.3:8080": "10.1.2.3:8080", "10.1.2.3/16": "10.1.0.0/16", "10.1.2.3/16:8080": "10.1.0.0/16:8080",
		"127.0.0.0/8": "127.0.0.0/8", "fd12::1": "fd12::1", "[fd12::1]": "fd12::1", "[fd12::1]:8080": "[fd12::1]:8080", "fd12:34::/32": "fd12:34::/32",
		"[fd12:34::/32]:8080": "[fd12:34::/32]:8080", "::1": "::1", "8.8.8.8/32": "8.8.8.8", "2606:4700::/32": "2606:4700::/32",
	} {
		entry, err := egress.ParseEntry(text)
		require.NoError(t, err, text)
		require.Equal(t, want, entry.String(), text)
		again, err := egress.ParseEntry(entry.String())
		require.NoError(t, err, text)
		require.Equal(t, entry, again, text)
	}
}

func TestAnEntryThatMeansSomethingElseIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "http://example.com", "example.com/path", "example.com?x", "user@example.com", "*", "*.", "*.com", "*.co.uk", "*.localhost", "a.*.com",
		"**.example.com", "*example.com", "*.10.0.0.1", "*.10.0.0.0/8", "example.com:", "example.com:0", "example.com:22", "example.com:080",
		"example.com:65536", "example.com:x", "127.1", "0x7f.1", "2130706433", "10.0.0.0/7", "0.0.0.0/0", "::/0", "fc00::/7", "10.0.0.0/33",
		"10.0.0.0/", "169.254.169.254", "169.254.0.0/16", "169.254.169.254:80", "fe80::1", "fe80::/64", "fe80::1%eth0", "::ffff:10.0.0.1",
		"::ffff:10.0.0.0/104", "fd00:ec2::254", "224.0.0.1", "255.255.255.255", "0.0.0.0", "64:ff9b::/96", "2002::/16", "[10.0.0.1]:80",
		"[fd12::1", "[fd12::1]8080", "[fd12::1]:", "[]", "[", "]", "10.0.0.0/8:22", "a..b", "-a.com", strings.Repeat("a", 400), "exa mple.com", "a,b",
	} {
		_, err := egress.ParseEntry(text)
		require.Error(t, err, text)
		require.True(t, strings.HasPrefix(err.Error(), "must "), err.Error())
	}
}

func TestAnAllowlistClosesEverythingElse(t *testing.T) {
	t.Parallel()
	guard := egress.New(egress.Options{
		Only: allowing(
			t,
			"api.example.com",
			"*.wild.example.com:443",
			"in.example.com",
			"10.1.0.0/16:8080",
			"127.0.0.1",
			"8.8.8.8",
			"meta.example.com",
		),
		// A policy must not open what the list leaves closed.
		Policy: egress.Policy{Prefixes: []netip.Prefix{netip.MustParsePrefix("192.168.0.0/16")}, Hosts: []string{"localhost"}},
		Resolver: answers{
			"api.example.com.": {"8.8.4.4"}, "a.wild.example.com.": {"8.8.4.4"}, "a.b.wild.example.com.": {"8.8.4.4"},
			"in.example.com.": {"10.1.2.3"}, "meta.example.com.": {"169.254.169.254"},
		},
		OwnAddrs: noOwnAddrs,
		Advice:   "Ask an administrator",
	})
	for url, ok := range map[string]bool{
		"http://api.example.com/": true, "https://API.example.com.:8443/": true, "http://other.example.com/": false, "http://x.api.example.com/": false,
		"https://a.wild.example.com/": true, "https://a.b.wild.example.com/": true, "http://a.wild.example.com/": false, "https://wild.example.com/": false,
		"https://evilwild.example.com/":  false,
		"http://in.example.com:8080/":    true,
		"http://in.example.com/":         false, // the private address is open on one port only
		"http://10.1.2.3:8080/":          true,
		"http://10.1.2.3/":               false,
		"http://10.2.0.1:8080/":          false,
		"http://127.0.0.1:9000/":         true,
		"http://127.0.0.2:9000/":         false,
		"http://localhost:9000/":         false,
		"http://8.8.8.8/":                true,
		"http://8.8.4.4/":                false,
		"http://192.168.0.1/":            false,
		"http://meta.example.com/":       false,
		"http://169.254.169.254/":        false,
		"http://[::ffff:127.0.0.1]:9000": false,
	} {
		_, err := guard.Check(t.Context(), url)
		require.Equal(t, ok, err == nil, "%s: %v", url, err)
		if !ok {
			require.ErrorIs(t, err, egress.ErrRefused, url)
			require.Contains(t, err.Error(), "Ask an administrator", url)
		}
	}
}

func TestANameThatIsNotOnTheListIsNotEvenLookedUp(t *testing.T) {
	t.Parallel()
	guard := egress.New(egress.Options{Only: allowing(t, "api.example.com", "10.0.0.0/8"), Resolver: mustNotResolve{t}, OwnAddrs: noOwnAddrs})
	_, err := guard.Check(t.Context(), "http://stolen-data.evil.example/")
	require.ErrorIs(t, err, egress.ErrRefused)
	_, err = guard.DialContext(t.Context(), "tcp", "stolen-data.evil.example:80")
	require.ErrorIs(t, err, egress.ErrRefused)
	_, err = egress.New(egress.Options{Only: &egress.Allowlist{}, Resolver: mustNotResolve{t}}).Check(t.Context(), "http://example.com/")
	require.ErrorIs(t, err, egress.ErrRefused, "an empty list reaches nothing")
}

func TestAListedAddressIsReallyDialled(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	result, err := egress.Probe(t.Context(), egress.New(egress.Options{Only: allowing(t, "127.0.0.0/8:"+port)}), server.URL, "GET")
	require.NoError(t, err)
	require.Equal(t, http.StatusTeapot, result.Status)
}

func FuzzEntry(f *testing.F) {
	for _, seed := range []string{"example.com", "*.example.com:443", "10.0.0.0/8:80", "[fd12::/32]:8080", "::1", "[", "*.", "a:1:2", "1.2.3.4/33:80", "xn--a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		entry, err := egress.ParseEntry(text)
		if err != nil {
			return
		}
		require.NotEqual(t, entry.Host == "", !entry.Prefix.IsValid(), "an entry names either a host or addresses")
		again, err := egress.ParseEntry(entry.String())
		require.NoError(t, err, entry.String())
		require.Equal(t, entry, again)
		// Whatever an entry says, special addresses stay closed.
		guard := egress.New(
			egress.Options{Only: &egress.Allowlist{entry}, OwnAddrs: noOwnAddrs, Resolver: answers{entry.Host + ".": {"169.254.169.254"}}},
		)
		for _, url := range []string{"http://169.254.169.254/", "http://[fe80::1]:8080/", "http://" + entry.Host + "/"} {
			_, err := guard.Check(t.Context(), url)
			require.Error(t, err)
		}
	})
}
