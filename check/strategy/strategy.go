// Package strategy has the ways in which checks reach their targets, one file each.
package strategy

import (
	"golang.org/x/net/icmp"

	"countersign/check"
)

// All are the strategies, in the order in which people see them. Each call makes a list with connections of its own, which are kept
// from run to run, so a process calls it once.
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
