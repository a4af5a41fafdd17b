// Package strategy implements the protocols of health checks, one file each.
package strategy

import (
	"golang.org/x/net/icmp"

	"countersign/check"
)

// All returns the strategies with the zero Settings.
func All() []check.Strategy { return With(Settings{}) }

// With returns the strategies in display order. Each call makes new connection pools, so a process calls it once.
func With(settings Settings) []check.Strategy {
	return []check.Strategy{
		httpStrategy(newTransports()),
		tcpStrategy(),
		tlsStrategy(),
		dnsStrategy(systemNameservers),
		pingStrategy(icmp.ListenPacket),
		domainStrategy(settings.RDAPBootstrap),
		websocketStrategy(),
		mqttStrategy(),
		heartbeatStrategy(),
		scriptStrategy(),
		grpcStrategy(),
		smtpStrategy(),
		postgresStrategy(),
		mysqlStrategy(),
		redisStrategy(),
		mongoStrategy(),
		prometheusStrategy(),
		dockerStrategy(settings.DockerSockets),
		snmpStrategy(),
		sshStrategy(),
	}
}
