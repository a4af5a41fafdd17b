package egress_test

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/egress"
)

// Each guard refuses metadata services of clouds in each form, and none of them the addresses beside those.
func TestNoGuardReachesAMetadataService(t *testing.T) {
	t.Parallel()
	dialled := func(context.Context, string, string) (net.Conn, error) { return nil, net.ErrClosed }
	opened, err := egress.ParsePolicy("models.example.com,x.internal")
	require.NoError(t, err)
	services := []string{
		"169.254.169.254", "169.254.170.2", "169.254.170.23", "169.254.42.42", "169.254.0.23", "100.100.100.200",
		"168.63.129.16", "192.0.0.192",
		"fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fd00:c1::a9fe:a9fe", "fd00:42::42", "fd00:a9fe:a9fe::1",
		"fd00:100::100:200", "fe80::a9fe:a9fe",
		// forms that carry one
		"::ffff:169.254.169.254", "::169.254.169.254", "::ffff:0:a9fe:a9fe", "64:ff9b::a9fe:a9fe", "64:ff9b::6464:64c8",
		"64:ff9b::a83f:8110",
		"64:ff9b:1::a9fe:a9fe", "64:ff9b:1:a9fe:a9:fe00::", "64:ff9b:1:ab:a9:fea9:fe00:0", "64:ff9b:1:0:a9:fea9:fe00:0",
		"2002:a9fe:a9fe::1", "2001:0:a9fe:a9fe::1", "fd12:3456::a9fe:a9fe", "2a01:4f8:64::a9fe:a9fe",
		"2a01:4f8::5efe:a9fe:a9fe", "fd12::200:5efe:a9fe:a9fe",
		"2a01:4f8::5efe:a9fe:1", "fd00:c1::a83f:8110",
	}
	for _, addr := range services {
		for _, host := range []string{addr, "models.example.com"} {
			names := answers{"models.example.com": {addr}, "models.example.com.": {addr}}
			_, err := egress.NewChecks(egress.ChecksOptions{Resolver: names}).Addresses(t.Context(), host)
			require.ErrorIs(t, err, egress.ErrRefused, "checks: %s as %s", addr, host)
			own := egress.Own{Resolver: names, Dial: dialled, Policy: egress.Policy{Hosts: opened.Hosts}}
			require.ErrorIs(t, own.Check(t.Context(), host), egress.ErrRefused, "own: %s as %s", addr, host)
			guard := egress.New(egress.Options{Policy: opened, Resolver: names, Dial: dialled, OwnAddrs: noOwnAddrs})
			_, err = guard.DialContext(t.Context(), "tcp", net.JoinHostPort(host, "80"))
			require.ErrorIs(t, err, egress.ErrRefused, "guard: %s as %s", addr, host)
		}
	}
	for _, addr := range []string{"fd00:c1::1", "fd00:42::43", "fd00:a9fe:a9fe::2", "fd00:100::1", "fd12::a00:1", "fd12::5efe:a00:1"} {
		names := answers{"models.example.com": {addr}, "models.example.com.": {addr}}
		_, err := egress.NewChecks(egress.ChecksOptions{Resolver: names}).Addresses(t.Context(), "models.example.com")
		require.NoError(t, err, addr)
		require.NoError(t, egress.Own{Resolver: names}.Check(t.Context(), "models.example.com"), addr)
		guard := egress.New(egress.Options{Policy: opened, Resolver: names, Dial: dialled, OwnAddrs: noOwnAddrs})
		_, err = guard.DialContext(t.Context(), "tcp", "models.example.com:80")
		require.NotErrorIs(t, err, egress.ErrRefused, addr)
	}
}
