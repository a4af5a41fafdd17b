// Package strategy has the ways in which checks reach their targets, one file each.
package strategy

import "countersign/check"

// All are the strategies, in the order in which people see them.
func All() []check.Strategy {
	return []check.Strategy{
		scriptStrategy(),
		grpcStrategy(),
		smtpStrategy(),
		postgresStrategy(),
		mysqlStrategy(),
		redisStrategy(),
		sshStrategy(),
	}
}
