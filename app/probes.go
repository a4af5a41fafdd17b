package app

import (
	"context"
	"fmt"
	"sync"

	sdkworker "go.temporal.io/sdk/worker"

	"countersign/check"
	"countersign/check/engine"
	"countersign/check/engine/lane"
	"countersign/event"
	"countersign/internal/principal"
	"countersign/internal/secret"
	"countersign/internal/store"
	"countersign/modules/vault"
	"countersign/worker"
	"countersign/workflows"
)

// probes runs health checks in this process.
type probes struct {
	engine *engine.Engine
	checks *engine.Checks
	// claiming ends with release, which hands the shards of this process over.
	claiming context.Context //nolint:containedctx // of the claims, which start after it is made
	release  context.CancelFunc
	claims   sync.WaitGroup
}

// buildProbes constructs the check engine, in a process that runs checks.
func (a *App) buildProbes(p *parts) error {
	if !a.runsChecks() {
		return nil
	}
	// Its clock is set after the engine exists.
	host := &check.Host{Dial: p.reach.Dial, Addresses: p.reach.Addresses, Scripts: p.checkScripts, LastHeartbeat: a.heartbeats(p).Last}
	checks := &engine.Checks{Registry: p.kinds, Host: host, Secrets: checkSecrets{p.vault}, Log: a.log}
	var closed func([]string)
	if a.roles.Probe {
		closed = a.extendClosed
	}
	e, err := engine.New(a.background, engine.Options{
		DB: a.db, Log: a.log, Runner: checks, Events: func(db *store.DB) event.Appender { return event.NewOutbox(db, p.events.types) },
		Limits: lane.Limits{Running: a.config.CheckMaxInFlight, Slow: a.config.CheckMaxSlow, Host: a.config.CheckMaxPerHost},
		Tracer: a.telemetry.Tracer(), Location: a.location(), Version: Version, Closed: closed,
	})
	if err != nil {
		return fmt.Errorf("make the engine of checks: %w", err)
	}
	host.Now = e.Now
	a.listener.Subscribe(e.Subscriptions())
	if !a.roles.Probe {
		options := worker.ChecksOptions{Client: a.temporal, Queue: a.config.QueuePrefix + workflows.ChecksQueue, Log: a.log}
		a.crew.add(func() (sdkworker.Worker, error) { return worker.NewChecks(options), nil })
	}
	claiming, release := context.WithCancel(a.background)
	a.probes = &probes{engine: e, checks: checks, claiming: claiming, release: release}
	return nil
}

// location is the place of this process.
func (a *App) location() engine.Location {
	if !a.roles.Probe {
		return engine.Location{}
	}
	return engine.Location{Name: a.config.ProbeLocation, Labels: a.config.ProbeLabels}
}

// start registers the process for its share of the shards.
func (p *probes) start(a *App) {
	if p == nil {
		return
	}
	a.running.Go(func() { p.engine.Run(a.background) })
	p.claims.Go(func() { p.engine.ClaimShares(p.claiming) })
	a.running.Go(func() { p.checks.Run(a.background) })
}

// drain begins to hand the shards of this process over to others; the result waits for that until ctx ends.
func (p *probes) drain() (wait func(ctx context.Context)) {
	if p == nil {
		return func(context.Context) {}
	}
	p.release()
	return p.wait
}

func (p *probes) wait(ctx context.Context) {
	released := make(chan struct{})
	go func() {
		defer close(released)
		p.claims.Wait()
	}()
	select {
	case <-released:
	case <-ctx.Done():
	}
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
