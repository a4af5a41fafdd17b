package porttest_test

import (
	"net"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/egress/porttest"
)

func TestAClosedPortRefusesAndIsNobodyElses(t *testing.T) {
	t.Parallel()
	address := porttest.ClosedAddress(t)
	_, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	_, err = new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	require.ErrorIs(t, err, syscall.EADDRINUSE)
}

func TestFreePortsDifferAndCanBeListenedOn(t *testing.T) {
	t.Parallel()
	one, other := porttest.Free(t), porttest.Free(t)
	require.NotEqual(t, one, other)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:"+strconv.Itoa(one))
	require.NoError(t, err)
	require.NoError(t, l.Close())
}
