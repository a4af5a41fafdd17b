package port_test

import (
	"net"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/dev/stack/port"
)

func TestFreePortsDifferAndCanBeUsed(t *testing.T) {
	t.Parallel()
	ports, err := port.Free(20)
	require.NoError(t, err)
	require.Len(t, ports, 20)
	seen := map[int]bool{}
	for _, number := range ports {
		require.False(t, seen[number])
		seen[number] = true
		require.NoError(t, port.Check(number, "PORT"))
	}
}

func TestTakenPortIsNamedWithItsVariable(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"127.0.0.1:0", "0.0.0.0:0", ":0"} {
		t.Run(address, func(t *testing.T) {
			t.Parallel()
			listener, err := net.Listen("tcp", address)
			require.NoError(t, err)
			defer listener.Close()
			taken := listener.Addr().(*net.TCPAddr).Port

			err = port.Check(taken, "TEMPORAL_UI_PORT")

			require.ErrorContains(t, err, strconv.Itoa(taken))
			require.ErrorContains(t, err, "TEMPORAL_UI_PORT")
		})
	}
}

func TestPrivilegedPortIsExplained(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may use every port")
	}
	if listener, err := net.Listen("tcp", "127.0.0.1:81"); err == nil {
		_ = listener.Close()
		t.Skip("this system has no privileged ports")
	}
	require.ErrorContains(t, port.Check(81, "PORT"), "privileges")
}
