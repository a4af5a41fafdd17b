//go:build linux

package strategy_test

import (
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

const insideNetwork = "COUNTERSIGN_TEST_INSIDE_NETWORK"

// TestPingInANetworkOfItsOwn runs TestPing where the kernel allows pings, whatever it allows here: in a network of its own.
func TestPingInANetworkOfItsOwn(t *testing.T) {
	t.Parallel()
	if os.Getenv(insideNetwork) != "" {
		t.Skip("this is the network")
	}
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPing$", "-test.v")
	command.Env = append(os.Environ(), insideNetwork+"=1")
	command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if os.Geteuid() != 0 {
		command.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		command.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		command.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	out, err := command.CombinedOutput()
	if command.ProcessState == nil {
		t.Skipf("this machine lets no test have a network of its own: %v", err)
	}
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "--- PASS: TestPing ")
}

// openNetwork brings the loopback of the network up and lets everybody in it ping.
func openNetwork(t *testing.T) {
	t.Helper()
	require.NoError(t, os.WriteFile("/proc/sys/net/ipv4/ping_group_range", []byte("0 65535"), 0o600))
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	require.NoError(t, err)
	defer func() { _ = syscall.Close(socket) }()
	request := struct {
		name  [16]byte
		flags uint16
		_     [22]byte
	}{flags: syscall.IFF_UP | syscall.IFF_RUNNING}
	copy(request.name[:], "lo")
	_, _, failed := syscall.Syscall(syscall.SYS_IOCTL, uintptr(socket), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request)))
	require.Zero(t, failed)
	_, err = net.InterfaceByName("lo")
	require.NoError(t, err)
}
