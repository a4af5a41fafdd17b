package strategy_test

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/internal/egress/porttest"
)

// redisServer starts the server of Debian where it is installed.
func redisServer(t *testing.T) (port int) {
	t.Helper()
	server, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("there is no redis-server")
	}
	port = porttest.Free(t)
	ctx, cancel := context.WithCancel(context.Background()) //nolint:usetesting // it ends after the test's own context
	c := exec.CommandContext(
		ctx,
		server,
		"--bind",
		"127.0.0.1",
		"--port",
		strconv.Itoa(port),
		"--dir",
		t.TempDir(),
		"--save",
		"",
		"--appendonly",
		"no",
	)
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		cancel()
		_ = c.Wait()
	})
	require.Eventually(t, func() bool {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			err = conn.Close()
		}
		return err == nil
	}, time.Minute, 10*time.Millisecond)
	return port
}

// sayToRedis sends a command in the form that people type, and waits for its answer.
func sayToRedis(t *testing.T, port int, command string) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	require.NoError(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "%s\r\n", command)
	require.NoError(t, err)
	answer := make([]byte, 200)
	n, err := conn.Read(answer)
	require.NoError(t, err)
	require.NotEqual(t, "-", string(answer[:1]), "%s: %s", command, answer[:n])
}

// What the tests of redis_test.go show with an imitation holds of a real server.
func TestRedisServer(t *testing.T) {
	t.Parallel()
	port := redisServer(t)
	sayToRedis(t, port, "SET stock 42")
	sayToRedis(t, port, "LPUSH queue a b")
	p := probe{strategy: "healthcheck-redis.redis", collector: "healthcheck-redis.command", config: object{"host": "known.test", "port": port}}
	var found struct {
		Success, Found bool
		Response       string
		Number         *float64
	}
	p.passes(t, &found)
	require.Equal(t, "PONG", found.Response)
	p.asking(object{"command": "GET", "args": []string{"stock"}}).passes(t, &found)
	require.InDelta(t, 42, *found.Number, 0)
	p.asking(object{"command": "LLEN", "args": []string{"queue"}}).passes(t, &found)
	require.Equal(t, "2", found.Response)
	p.asking(object{"command": "GET", "args": []string{"absent"}}).passes(t, &found)
	require.False(t, found.Found)
	p.asking(object{"command": "LLEN", "args": []string{"stock"}}).fails(t, check.WrongAnswer, "WRONGTYPE")
	p.asking(object{"command": "GET"}).fails(t, check.WrongAnswer, "wrong number of arguments")
	info := struct{ Info string }{}
	p.asking(object{"command": "INFO", "args": []string{"clients"}}).passes(t, &info)
	require.Contains(t, info.Info, `"connected_clients":`)
}

func TestRedisServerLetsInWhoHasThePassword(t *testing.T) {
	t.Parallel()
	port := redisServer(t)
	sayToRedis(t, port, "ACL SETUSER watcher on >"+password+" ~* +@all")
	sayToRedis(t, port, "ACL SETUSER default off")
	p := probe{
		strategy: "healthcheck-redis.redis", collector: "healthcheck-redis.command",
		config: object{"host": "known.test", "port": port, "username": "watcher", "password": "${{ secrets.PASSWORD }}"},
	}
	p.passes(t, nil)
	p.with(object{"username": "nobody"}).fails(t, check.NotAdmitted, "WRONGPASS")
	p.with(object{"username": nil, "password": nil}).fails(t, check.NotAdmitted, "NOAUTH")
	p.secrets = map[string]string{"PASSWORD": "another-password"}
	p.fails(t, check.NotAdmitted, "WRONGPASS")
}
