// Package porttest gives tests ports of this machine: free ones to listen on, and closed ones that stay closed.
package porttest

import (
	"net"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// last counts through ports below those that the operating system gives to clients, which could take one between here
// and the start of the process.
var last atomic.Int32

// Free is a port that a process of the test can listen on.
func Free(t testing.TB) int {
	t.Helper()
	const first, count = 20_000, 8_000
	// Test packages run side by side, as processes of their own.
	offset := os.Getpid() * 131
	for range count {
		port := first + (offset+int(last.Add(1)))%count
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			require.NoError(t, l.Close())
			return port
		}
	}
	require.FailNow(t, "No port is free")
	return 0
}

// Closed is a port of 127.0.0.1 that refuses connections until the test ends. A socket that does not listen holds it, as
// a port that is only given back is soon another test's server.
func Closed(t testing.TB) int {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	syscall.CloseOnExec(socket)
	t.Cleanup(func() { _ = syscall.Close(socket) })
	require.NoError(t, syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	address, err := syscall.Getsockname(socket)
	require.NoError(t, err)
	of, is := address.(*syscall.SockaddrInet4)
	require.True(t, is, "%T", address)
	return of.Port
}

// ClosedAddress is 127.0.0.1 with a closed port.
func ClosedAddress(t testing.TB) string {
	t.Helper()
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(Closed(t)))
}
