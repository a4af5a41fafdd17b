package egress_test

import (
	"context"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/egress"
)

// noOwnAddrs keeps the addresses of the machine that runs the tests out of their results.
func noOwnAddrs() ([]netip.Addr, error) { return nil, nil }

// literalURL writes an address the way a URL does.
func literalURL(addr string) string {
	if strings.Contains(addr, ":") {
		return "http://[" + addr + "]/"
	}
	return "http://" + addr + "/"
}

// Each range is tested at its edges: the last address outside, the first and the last inside, the first outside again.
func TestOnlyPublicAddressesAreReachable(t *testing.T) {
	t.Parallel()
	public := []string{
		"1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0", "168.63.129.15", "168.63.129.17",
		"169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0",
		"192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
		"198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "8.8.8.8",
		"2000::1", "2001:200::1", "2001:db7:ffff::1", "2001:db9::1", "2001:ffff::1", "2003::1", "2606:4700::1111",
		"3ffe:ffff::1", "3fff:1000::1",
	}
	internal := []string{
		"0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.0",
		"127.0.0.1", "127.255.255.255", "100.100.100.200", "168.63.129.16", "169.254.0.0", "169.254.169.254", "169.254.255.255", "172.16.0.0",
		"172.31.255.255", "192.0.0.0", "192.0.0.255", "192.0.2.0", "192.0.2.255", "192.88.99.0", "192.88.99.255",
		"192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.0", "198.51.100.255",
		"203.0.113.0", "203.0.113.255", "224.0.0.0", "239.255.255.255", "240.0.0.0", "255.255.255.254",
		"255.255.255.255",
		"::", "::1", "::2", "::7f00:1", "::ffff:7f00:1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:a00:1",
		"64:ff9b::a00:1", "64:ff9b::808:808", "64:ff9b:1::1", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "100::1",
		"1fff:ffff::1", "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:2::1", "2001:10::1", "2001:1ff:ffff::1",
		"2001:db8::1", "2001:db8:ffff::1", "2002::1", "2002:7f00:1::1", "2002:808:808::1", "2002:ffff::1", "3fff::1",
		"3fff:fff:ffff::1", "4000::1", "5f00::1", "fbff::1", "fc00::1", "fd00:ec2::254", "fd20:ce::254",
		"fdff:ffff::1", "fe00::1", "fe80::1", "febf::1", "fec0::1", "feff::1", "ff00::1", "ff02::1", "ffff::1",
	}
	guard := egress.New(egress.Options{OwnAddrs: noOwnAddrs, Resolver: answers{}})
	for _, addr := range public {
		_, err := guard.Check(t.Context(), literalURL(addr))
		require.NoError(t, err, addr)
		_, err = resolvingTo(addr).Check(t.Context(), "http://www.example.com/")
		require.NoError(t, err, "as an answer: %s", addr)
	}
	for _, addr := range internal {
		_, err := guard.Check(t.Context(), literalURL(addr))
		require.ErrorIs(t, err, egress.ErrRefused, addr)
		if strings.HasPrefix(addr, "::ffff:8.") {
			continue // as an answer this is how some resolvers write the public 8.8.8.8
		}
		_, err = resolvingTo(addr).Check(t.Context(), "http://www.example.com/")
		require.ErrorIs(t, err, egress.ErrRefused, "as an answer: %s", addr)
	}
}

// An operator who opens private hosts by name has not opened the services that hand out a machine's credentials.
func TestAMetadataServiceIsNotOpenedByANamedHost(t *testing.T) {
	t.Parallel()
	policy, err := egress.ParsePolicy("agent.example.com,metadata.goog")
	require.NoError(t, err)
	for _, addr := range []string{"168.63.129.16", "100.100.100.200", "169.254.169.254", "fd00:ec2::254"} {
		guard := egress.New(
			egress.Options{Policy: policy, OwnAddrs: noOwnAddrs, Resolver: answers{"agent.example.com.": {addr}, "metadata.goog.": {addr}}},
		)
		for _, host := range []string{"agent.example.com", "metadata.goog"} {
			_, err := guard.Check(t.Context(), "http://"+host+"/")
			require.ErrorIs(t, err, egress.ErrRefused, "%s at %s", host, addr)
		}
	}
}

func TestAMappedAnswerIsTakenForTheAddressItCarries(t *testing.T) {
	t.Parallel()
	_, err := resolvingTo("::ffff:8.8.8.8").Check(t.Context(), "http://www.example.com/")
	require.NoError(t, err)
	_, err = resolvingTo("::ffff:10.0.0.1").Check(t.Context(), "http://www.example.com/")
	require.ErrorIs(t, err, egress.ErrRefused)
}

func TestOneBadAddressRefusesTheWholeName(t *testing.T) {
	t.Parallel()
	for _, answer := range [][]string{
		{"8.8.8.8", "10.0.0.1"},
		{"10.0.0.1", "8.8.8.8"},
		{"2606:4700::1111", "8.8.8.8", "::1"},
		{"1.1.1.1", "1.0.0.1", "8.8.8.8", "9.9.9.9", "8.8.4.4", "127.0.0.1"},
	} {
		_, err := resolvingTo(answer...).Check(t.Context(), "http://www.example.com/")
		require.ErrorIs(t, err, egress.ErrRefused, "%v", answer)
	}
}

func TestAPublicAddressOfThisMachineIsPrivate(t *testing.T) {
	t.Parallel()
	own := func() ([]netip.Addr, error) { return []netip.Addr{netip.MustParseAddr("8.8.8.8")}, nil }
	guard := egress.New(egress.Options{OwnAddrs: own, Resolver: answers{}})
	_, err := guard.Check(t.Context(), "http://8.8.8.8/")
	require.ErrorIs(t, err, egress.ErrRefused)
	_, err = guard.Check(t.Context(), "http://8.8.4.4/")
	require.NoError(t, err)
}

func TestTheDefaultGuardKnowsTheAddressesOfThisMachine(t *testing.T) {
	t.Parallel()
	_, err := egress.New(egress.Options{Resolver: answers{}}).Check(t.Context(), "http://127.0.0.1/")
	require.ErrorIs(t, err, egress.ErrRefused)
}

// answers resolves each name to its fixed answer and fails for any other.
type answers map[string][]string

func (a answers) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	list, ok := a[host]
	if !ok {
		return nil, errNoSuchHost
	}
	addrs := make([]netip.Addr, len(list))
	for i, text := range list {
		addrs[i] = netip.MustParseAddr(text)
	}
	return addrs, nil
}

// resolvingTo makes a guard for which www.example.com has the given addresses.
func resolvingTo(addrs ...string) *egress.Guard {
	return egress.New(egress.Options{OwnAddrs: noOwnAddrs, Resolver: answers{"www.example.com.": addrs}})
}
