package egress_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/egress"
)

func TestServersOfOnesOwnAreNeverLinkLocalOrMetadata(t *testing.T) {
	t.Parallel()
	dialled := func(context.Context, string, string) (net.Conn, error) { return nil, net.ErrClosed }
	refused := []string{
		"169.254.169.254",
		"169.254.0.1",
		"168.63.129.16",
		"100.100.100.200",
		"fe80::1",
		"fd00:ec2::254",
		"fd20:ce::254",
		"::ffff:169.254.169.254",
		"::169.254.169.254",
		"::ffff:0:169.254.169.254",
		"64:ff9b::a9fe:a9fe",
		"64:ff9b:1::a9fe:a9fe",
		"2002:a9fe:a9fe::1",
		"2001:0:a9fe:a9fe::1",
		"2001:0:4136:e378:8000:63bf:5601:5601",
		"::ffff:168.63.129.16",
		"64:ff9b::a83f:8110",
		"2002:a83f:8110::",
	}
	allowed := []string{
		"127.0.0.1", "10.0.0.5", "192.168.1.2", "172.16.3.4", "100.64.0.1", "::1", "fd12::1", "8.8.8.8", "2606:4700::1111", "64:ff9b::808:808",
		"169.253.255.255", "169.255.0.0", "168.63.129.15", "100.100.100.199",
	}
	for _, addr := range refused {
		own := egress.Own{Resolver: answers{"models.example.com": {addr}}, Dial: dialled}
		require.ErrorIs(t, own.Check(t.Context(), addr), egress.ErrRefused, addr)
		require.ErrorIs(t, own.Check(t.Context(), "models.example.com"), egress.ErrRefused, "as an answer: %s", addr)
		_, err := own.DialContext(t.Context(), "tcp", net.JoinHostPort(addr, "80"))
		require.ErrorIs(t, err, egress.ErrRefused, addr)
		_, err = own.DialContext(t.Context(), "tcp", "models.example.com:80")
		require.ErrorIs(t, err, egress.ErrRefused, "as an answer: %s", addr)
	}
	for _, addr := range allowed {
		own := egress.Own{Resolver: answers{"models.example.com": {addr}}, Dial: dialled}
		require.NoError(t, own.Check(t.Context(), addr), addr)
		_, err := own.DialContext(t.Context(), "tcp", "models.example.com:80")
		require.ErrorIs(t, err, net.ErrClosed, addr)
	}
	for _, name := range []string{"metadata.google.internal", "METADATA.google.internal.", "metadata.goog", "metadata.tencentyun.com", "metadata", "instance-data"} {
		require.ErrorIs(t, egress.Own{Resolver: mustNotResolve{t}}.Check(t.Context(), name), egress.ErrRefused, name)
	}
	require.NoError(
		t,
		egress.Own{Resolver: answers{}}.Check(t.Context(), "away.example.com"),
		"what cannot be looked up now is checked when it is dialled",
	)
	policy, err := egress.ParsePolicy("169.254.170.0/24")
	require.NoError(t, err)
	require.NoError(t, egress.Own{Policy: policy}.Check(t.Context(), "169.254.170.2"), "an operator may open one")
}

// The name has another address with each look-up, as those of attackers do.
type changing struct{ answers []string }

func (c *changing) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	next := netip.MustParseAddr(c.answers[0])
	c.answers = c.answers[1:]
	return []netip.Addr{next}, nil
}

func TestTheCheckedAddressOfOnesOwnServerIsTheOneThatIsDialled(t *testing.T) {
	t.Parallel()
	var dialled string
	own := egress.Own{
		Resolver: &changing{[]string{"10.0.0.5", "169.254.169.254"}},
		Dial: func(_ context.Context, _, address string) (net.Conn, error) {
			dialled = address
			return nil, net.ErrClosed
		},
	}
	_, err := own.DialContext(t.Context(), "tcp", "models.example.com:8000")
	require.ErrorIs(t, err, net.ErrClosed)
	require.Equal(t, "10.0.0.5:8000", dialled)
	_, err = own.DialContext(t.Context(), "tcp", "models.example.com:8000")
	require.ErrorIs(t, err, egress.ErrRefused)
}

func TestAProxyIsNotAskedForAMetadataService(t *testing.T) {
	t.Parallel()
	asked := false
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	t.Cleanup(proxy.Close)
	through, err := url.Parse(proxy.URL)
	require.NoError(t, err)
	client := http.Client{
		Transport: egress.Own{
			Resolver: answers{"models.example.com": {"169.254.169.254"}},
		}.Guarded(
			&http.Transport{Proxy: http.ProxyURL(through)},
		),
	}
	for _, target := range []string{"http://169.254.169.254/", "http://models.example.com/", "http://metadata.google.internal/"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target, http.NoBody)
		require.NoError(t, err)
		response, err := client.Do(request)
		if err == nil {
			_ = response.Body.Close()
		}
		require.ErrorIs(t, err, egress.ErrRefused, target)
	}
	require.False(t, asked)
}
