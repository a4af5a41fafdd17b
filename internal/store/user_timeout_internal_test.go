//go:build linux

package store

import (
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheKernelEndsConnectionsThatNobodyConfirms(t *testing.T) {
	t.Parallel()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	c, err := dialer(time.Minute).DialContext(t.Context(), "tcp", l.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	tcp, ok := c.(*net.TCPConn)
	require.True(t, ok)
	raw, err := tcp.SyscallConn()
	require.NoError(t, err)
	for option, want := range map[int]int{
		tcpUserTimeoutOption: int(unacknowledgedTimeout.Milliseconds()), syscall.TCP_KEEPIDLE: 10, syscall.TCP_KEEPINTVL: 3,
		syscall.TCP_KEEPCNT: 4,
	} {
		var got int
		var failed error
		require.NoError(t, raw.Control(func(fd uintptr) { got, failed = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, option) }))
		require.NoError(t, failed)
		require.Equal(t, want, got, option)
	}
}
