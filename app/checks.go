package app

import (
	"fmt"

	"countersign/check/heartbeat"
	"countersign/check/strategy"
	"countersign/internal/egress"
)

// checkEgress constructs the network access of health checks, with its SSRF guard.
func (a *App) checkEgress() (*egress.Checks, error) {
	allow, err := egress.ParsePolicy(a.config.CheckEgressAllow)
	if err != nil {
		return nil, fmt.Errorf("COUNTERSIGN_CHECK_EGRESS_ALLOW: %w", err)
	}
	deny, err := egress.ParsePolicy(a.config.CheckEgressDeny)
	if err != nil {
		return nil, fmt.Errorf("COUNTERSIGN_CHECK_EGRESS_DENY: %w", err)
	}
	return egress.NewChecks(egress.ChecksOptions{Allow: allow, Deny: deny, Closed: a.closed}), nil
}

// checkSettings are the settings of the operator for health checks.
func (a *App) checkSettings() strategy.Settings {
	return strategy.Settings{RDAPBootstrap: a.config.RDAPBootstrap, DockerSockets: a.config.CheckDockerSockets}
}

// heartbeats stores the pings of jobs with heartbeat checks.
func (a *App) heartbeats(p *parts) *heartbeat.Store {
	return heartbeat.New(a.db, p.keys.Derive(heartbeat.Purpose))
}
