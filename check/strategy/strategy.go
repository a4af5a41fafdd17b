// Package strategy implements the protocols of health checks, one file each.
package strategy

import (
	"golang.org/x/net/icmp"

	"countersign/check"
)

// All returns the strategies in display order. Each call makes new connection pools, so a process calls it once.
func All() []check.Strategy {
	return []check.Strategy{
		httpStrategy(newTransports()),
		tcpStrategy(),
		tlsStrategy(),
		dnsStrategy(systemNameservers),
		pingStrategy(icmp.ListenPacket),
		websocketStrategy(),
		heartbeatStrategy(),
		scriptStrategy(),
		grpcStrategy(),
		smtpStrategy(),
		postgresStrategy(),
		mysqlStrategy(),
		redisStrategy(),
		sshStrategy(),
	}
}
