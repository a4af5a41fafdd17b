package postgres

import (
	"slices"
	"strconv"
	"strings"
)

// settings are the arguments that configure the server. They are passed at each start rather than written to
// postgresql.conf, so that an existing cluster follows the program. A volatile server does not wait for the disk: a
// crash of the machine loses data, a crash of the server does not.
func settings(port int, volatile bool) []string {
	var args []string
	for _, setting := range []string{
		"listen_addresses=127.0.0.1",
		"port=" + strconv.Itoa(port),
		"unix_socket_directories=",

		// Temporal's four services keep a pool each, the product and its tests
		// have theirs.
		"max_connections=300",
		"shared_buffers=256MB",
		"jit=off", // compiling costs more than the short queries here take

		"fsync=" + onOff(!volatile),
		"full_page_writes=" + onOff(!volatile),
		"wal_compression=" + onOff(!volatile),
		"max_wal_size=2GB",
		"checkpoint_timeout=15min",

		// Queries here are short and storage is rarely a spinning disk.
		"random_page_cost=1.1",
		"log_line_prefix=%m [%p] %q%d ",
		"log_min_messages=warning",
		"log_checkpoints=off",
		"timezone=UTC",
		"log_timezone=UTC",
	} {
		args = append(args, "-c", setting)
	}
	return args
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// serverEnvironment removes the caller's libpq and server settings (PGDATA,
// PGPORT, ...), which must not reach this server.
func serverEnvironment(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(variable string) bool {
		return strings.HasPrefix(variable, "PG")
	})
}
