package egress

import (
	"errors"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

// The check at the socket stands behind the check of the answer, so only from inside can it be shown to work alone.
func TestTheSocketItselfIsChecked(t *testing.T) {
	t.Parallel()
	g := New(Options{OwnAddrs: func() ([]netip.Addr, error) { return nil, nil }})
	control := g.systemDialer("www.example.com").Control
	require.NoError(t, control("tcp4", "8.8.8.8:80", nil))
	require.NoError(t, control("tcp6", "[2606:4700::1111]:443", nil))
	for _, socket := range []struct{ network, address string }{
		{"tcp4", "127.0.0.1:80"},
		{"tcp6", "[::1]:80"},
		{"tcp6", "[::ffff:127.0.0.1]:80"},
		{"tcp4", "10.0.0.1:80"},
		{"tcp6", "[fe80::1%eth0]:80"},
		{"udp4", "8.8.8.8:53"},
		{"tcp", "8.8.8.8:80"},
		{"unix", "/run/x.sock"},
		{"tcp4", "x"},
	} {
		require.ErrorIs(t, control(socket.network, socket.address, nil), ErrRefused, socket.address)
	}
}

func TestAMachineThatCannotListItsAddressesDialsNothing(t *testing.T) {
	t.Parallel()
	g := New(Options{OwnAddrs: func() ([]netip.Addr, error) { return nil, errNoInterfaces }})
	require.ErrorIs(t, g.permit("www.example.com", []netip.Addr{netip.MustParseAddr("8.8.8.8")}), errNoInterfaces)
}

var errNoInterfaces = errors.New("no interfaces")
