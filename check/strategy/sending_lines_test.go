package strategy_test

import (
	"bufio"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/check"
)

// A server of another protocol takes lines in a login, a question or a name for commands: such a run reads nothing.
func TestARunThatCarriesCommandsOfAnotherProtocolIsNoRead(t *testing.T) {
	t.Parallel()
	lines := make(chan string, 100)
	// It reads as Redis does: a line is a command, and what is none is passed over.
	port := serve(t, func(conn net.Conn) {
		_ = conn.SetReadDeadline(time.Now().Add(5 * time.Second))
		for in := bufio.NewScanner(conn); in.Scan(); {
			line := strings.TrimSuffix(in.Text(), "\r")
			if lines <- line; line == "FLUSHALL" {
				return
			}
		}
	})
	const address = "127.0.0.1"
	at := net.JoinHostPort(address, strconv.Itoa(port))
	about := object{}
	for what, p := range map[string]func(command, escaped string) *check.Prepared{
		"a login": func(command, _ string) *check.Prepared {
			config := object{"host": address, "port": port, "user": command, "database": "shop"}
			return prepared(t, "healthcheck-postgres.postgres", config, map[string][]object{"healthcheck-postgres.query": {about}})
		},
		"a question": func(_, escaped string) *check.Prepared {
			config := object{"nameserver": at, "protocol": "tcp"}
			return prepared(t, "healthcheck-dns.dns", config,
				map[string][]object{"healthcheck-dns.lookup": {{"hostname": escaped + ".test"}}})
		},
		"a name in TLS": func(command, _ string) *check.Prepared {
			config := object{"host": address, "port": port, "servername": command}
			return prepared(t, "healthcheck-tls.tls", config, map[string][]object{"healthcheck-tls.certificate": {about}})
		},
		"a name in TLS of a web server": func(command, _ string) *check.Prepared {
			url := "https://" + at + "/"
			return prepared(t, "healthcheck-http.http", object{"serverName": command},
				map[string][]object{"healthcheck-http.request": {{"url": url}}})
		},
	} {
		harmless := p("shop", "shop")
		require.True(t, harmless.Sends().Reads, what)
		run := p("\r\nFLUSHALL\r\n", `\013\010FLUSHALL\013\010`)
		sending := run.Sends()
		require.False(t, sending.Reads, what)
		require.Contains(t, strings.Join(sending.Lines, "\n"), "commands of another protocol", what)

		run.Run(t.Context(), here(t), 0, here(t).Now())
		for found := false; !found; {
			select {
			case line := <-lines:
				found = line == "FLUSHALL"
			case <-time.After(10 * time.Second):
				t.Fatalf("%s carries no command: the test proves nothing", what)
			}
		}
	}
}
