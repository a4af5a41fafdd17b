package store

import (
	"strings"
	"syscall"
)

// tcpUserTimeoutOption is TCP_USER_TIMEOUT of tcp(7).
const tcpUserTimeoutOption = 18

// setUserTimeout makes the kernel close a connection whose peer does not acknowledge sent data; by default that takes a quarter
// of an hour. Kernels without the option ignore it.
func setUserTimeout(network, _ string, c syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	return c.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeoutOption, int(unacknowledgedTimeout.Milliseconds()))
	})
}
