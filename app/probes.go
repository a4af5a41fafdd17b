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

// probes are what runs health checks in this process.
type probes struct {
	engine *engine.Engine
	checks *engine.Checks
}

// buildProbes makes what runs health checks, in a process that serves their queue.
func (a *App) buildProbes(p *parts) error {
	if !a.works(config.QueueChecks) {
		return nil
	}
	// Its clock is that of the engine, which is made of it.
	host := &check.Host{Dial: p.reach.Dial, Addresses: p.reach.Addresses, Scripts: p.checkScripts, Heard: a.heartbeats(p).Last}
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

// start makes the process ready for its share of the shards, which its worker takes.
func (p *probes) start(a *App) {
	if p == nil {
		return
	}
	a.running.Go(func() { p.engine.Run(a.background) })
	a.running.Go(func() { p.checks.Run(a.background) })
}

// checkSecrets gives the values of secrets to runs of checks, which act for nobody.
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
