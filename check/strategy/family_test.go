package strategy_test

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/internal/egress"
)

// dual is a resolver of names with addresses of both IP versions, or of one.
type dual struct{}

func (dual) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	v4, v6 := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1")
	switch host {
	case "dual.test":
		return []netip.Addr{v6, v4}, nil
	case "old.test":
		return []netip.Addr{v4, netip.MustParseAddr("192.0.2.2")}, nil
	case "new.test":
		return []netip.Addr{v6}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

// dials records the addresses that a guard dials, and refuses the connection.
type dials struct {
	mu  sync.Mutex
	all []string
}

func (d *dials) host() *check.Host {
	guard := egress.NewChecks(egress.ChecksOptions{Resolver: dual{}, Dial: func(_ context.Context, _, address string) (net.Conn, error) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.all = append(d.all, address)
		return nil, &net.OpError{Op: "dial", Err: net.ErrClosed}
	}})
	return &check.Host{Dial: guard.Dial, Addresses: guard.Addresses, Now: time.Now}
}

// overNetwork are a check of each strategy that connects to an address, with the member that names the host.
func overNetwork() map[string]probe {
	return map[string]probe{
		"http": {strategy: "healthcheck-http.http", collector: "healthcheck-http.request", about: object{"url": "http://HOST:4711/"}},
		"tcp": {
			strategy: "healthcheck-tcp.tcp", collector: "healthcheck-tcp.connection", config: object{"host": "HOST", "port": 4711},
		},
		"tls": {
			strategy: "healthcheck-tls.tls", collector: "healthcheck-tls.certificate", config: object{"host": "HOST", "port": 4711},
		},
		"dns": {
			strategy: "healthcheck-dns.dns", collector: "healthcheck-dns.lookup", config: object{"nameserver": "HOST:4711"},
			about: object{"hostname": "a.test"},
		},
		"websocket": {
			strategy: "healthcheck-websocket.websocket", collector: "healthcheck-websocket.exchange",
			config: object{"url": "ws://HOST:4711/"},
		},
		"grpc": {strategy: "healthcheck-grpc.grpc", collector: "healthcheck-grpc.health", config: object{"host": "HOST", "port": 4711}},
		"smtp": {strategy: "healthcheck-smtp.smtp", collector: "healthcheck-smtp.session", config: object{"host": "HOST", "port": 4711}},
		"postgres": {
			strategy: "healthcheck-postgres.postgres", collector: "healthcheck-postgres.query",
			config: object{"host": "HOST", "port": 4711, "user": "a", "database": "a"},
		},
		"mysql": {
			strategy: "healthcheck-mysql.mysql", collector: "healthcheck-mysql.query",
			config: object{"host": "HOST", "port": 4711, "user": "a"},
		},
		"redis": {
			strategy: "healthcheck-redis.redis", collector: "healthcheck-redis.command", config: object{"host": "HOST", "port": 4711},
		},
		"ssh": {
			strategy: "healthcheck-ssh.ssh", collector: "healthcheck-ssh.command",
			config: object{"host": "HOST", "port": 4711, "username": "a", "password": "${{ secrets.PASSWORD }}"},
			about:  object{"command": "true"},
		},
		"prometheus": {
			strategy: "healthcheck-prometheus.prometheus", collector: "healthcheck-prometheus.query",
			config: object{"url": "http://HOST:4711"}, about: object{"query": "up"},
		},
		"docker": {
			strategy: "healthcheck-docker.docker", collector: "healthcheck-docker.container",
			config: object{"host": "HOST", "port": 4711, "withoutTls": true}, about: object{"container": "shop"},
		},
		"domain": {
			strategy: "healthcheck-domain.domain", collector: "healthcheck-domain.registration",
			config: object{"server": "http://HOST:4711"}, about: object{"domain": "shop.com"},
		},
		"mqtt": {
			strategy: "healthcheck-mqtt.mqtt", collector: "healthcheck-mqtt.connection", config: object{"host": "HOST", "port": 4711},
		},
		"mongodb": {
			strategy: "healthcheck-mongodb.mongodb", collector: "healthcheck-mongodb.command", config: object{"host": "HOST", "port": 4711},
		},
		"snmp": {
			strategy: "healthcheck-snmp.snmp", collector: "healthcheck-snmp.get",
			config: object{"host": "HOST", "port": 4711, "community": "${{ secrets.PASSWORD }}"}, about: object{"oid": "1.3.6.1"},
		},
		"ping": {strategy: "healthcheck-ping.ping", collector: "healthcheck-ping.ping", about: object{"host": "HOST"}},
	}
}

// towards is the probe with a host in the place of HOST.
func (p probe) towards(host string) probe {
	fill := func(o object) object {
		filled := object{}
		for name, value := range o {
			if text, is := value.(string); is {
				value = strings.ReplaceAll(text, "HOST", host)
			}
			filled[name] = value
		}
		return filled
	}
	p.config, p.about = fill(p.config), fill(p.about)
	return p
}

func TestTheIPVersionIsThatOfTheCheck(t *testing.T) {
	t.Parallel()
	const lacking = "the name old.test has no IPv6 address; the DNS has 2 IPv4 addresses."
	// Pings need a socket that not every machine grants; the address is chosen before.
	for name, p := range overNetwork() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var d dials
			p.host = d.host()
			p.towards("old.test").with(object{"ipVersion": "ipv6"}).fails(t, check.NameNotFound, lacking)
			p.towards("new.test").with(object{"ipVersion": "ipv4"}).
				fails(t, check.NameNotFound, "the name new.test has no IPv4 address; the DNS has 1 IPv6 address.")
			require.Empty(t, d.all)
			if name == "ping" {
				return
			}
			p.towards("dual.test").with(object{"ipVersion": "ipv6"}).fails(t, check.Broken, " over IPv6: ")
			require.Equal(t, []string{"[2001:db8::1]:4711"}, d.all)
			p.towards("dual.test").with(object{"ipVersion": "ipv4"}).fails(t, check.Broken, " over IPv4: ")
			require.Equal(t, "192.0.2.1:4711", d.all[1])
			require.Len(t, d.all, 2)
			p.towards("dual.test").fails(t, check.Broken, "Could not connect to ")
			require.ElementsMatch(t, []string{"192.0.2.1:4711", "[2001:db8::1]:4711"}, d.all[2:], "any tries all")
			p.towards("192.0.2.1").with(object{"ipVersion": "ipv6"}).
				fails(t, check.NameNotFound, "192.0.2.1 is an IPv4 address, and this check asks for IPv6.")
		})
	}
}
