package app

import (
	"context"
	"fmt"

	sdkworker "go.temporal.io/sdk/worker"

	"countersign/app/config"
	"countersign/check"
	"countersign/check/engine"
	"countersign/check/engine/lane"
	"countersign/event"
	"countersign/modules/vault"
	"countersign/principal"
	"countersign/secret"
	"countersign/store"
	"countersign/worker"
	"countersign/workflows"
)

// probes runs health checks in this process.
type probes struct {
	engine *engine.Engine
	checks *engine.Checks
}

// buildProbes constructs the check engine, in a process that serves the checks queue.
func (a *App) buildProbes(p *parts) error {
	if !a.works(config.QueueChecks) {
		return nil
	}
	// Its clock is set after the engine exists.
	host := &check.Host{Dial: p.reach.Dial, Addresses: p.reach.Addresses, Scripts: p.checkScripts, LastHeartbeat: a.heartbeats(p).Last}
	checks := &engine.Checks{Registry: p.kinds, Host: host, Secrets: checkSecrets{p.vault}, Log: a.log}
	e, err := engine.New(a.background, engine.Options{
		DB: a.db, Log: a.log, Runner: checks, Events: func(db *store.DB) event.Appender { return event.NewOutbox(db, p.events.types) },
		Limits:    lane.Limits{Running: a.config.CheckMaxInFlight, Slow: a.config.CheckMaxSlow, Host: a.config.CheckMaxPerHost},
		Tracer:    a.telemetry.Tracer(),
		Unclaimed: (&worker.StaleShardReaper{Engine: p.engine, Log: a.log}).Reap,
	})
	if err != nil {
		return fmt.Errorf("make the engine of checks: %w", err)
	}
	host.Now = e.Now
	a.listener.Subscribe(engine.Channel, e.Subscription())
	options := worker.ChecksOptions{
		Client: a.temporal, Queue: a.config.QueuePrefix + workflows.ChecksQueue, Engine: e, Log: a.log, DrainTimeout: a.config.DrainTimeout,
	}
	a.crew.add(func() (sdkworker.Worker, error) { return worker.NewChecks(options) })
	a.probes = &probes{engine: e, checks: checks}
	return nil
}

// start registers the process for its share of the shards.
func (p *probes) start(a *App) {
	if p == nil {
		return
	}
	a.running.Go(func() { p.engine.Run(a.background) })
	a.running.Go(func() { p.checks.Run(a.background) })
}

// checkSecrets resolves secrets for check runs, which have no caller.
type checkSecrets struct{ *vault.Module }

// Resolve implements engine.Secrets.
func (s checkSecrets) Resolve(ctx context.Context, names []string, purpose string) (map[string]secret.Value, error) {
	return s.Module.Resolve(
		ctx,
		principal.Principal{Kind: principal.Service, Name: "Health checks", Rules: []string{vault.Read}},
		names,
		purpose,
	)
}
