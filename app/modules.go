package app

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"countersign/auth"
	"countersign/egress"
	"countersign/modules/automation"
	"countersign/modules/catalog"
	"countersign/modules/docs"
	"countersign/modules/healthcheck"
	"countersign/modules/memory"
	"countersign/modules/policy"
	"countersign/modules/probe"
	"countersign/modules/question"
	"countersign/modules/skill"
	"countersign/principal"
	"countersign/tool"
)

// module is a part of the product with routes and tools of its own.
type module interface {
	Routes(api huma.API)
	Tools() []tool.Tool
}

// buildModules makes the modules, the access rules and tools they declare, and what a first start needs.
func (a *App) buildModules(ctx context.Context, p *parts) error {
	rules, err := rules()
	if err != nil {
		return err
	}
	p.auth, err = auth.New(auth.Options{
		DB: a.db, Log: a.log, Rules: rules, DelegationKey: p.keys.Derive("delegation"),
		SecureCookie: a.config.Secure(), TrustProxy: a.config.TrustProxy,
	})
	if err != nil {
		return err
	}
	if a.roles.API {
		data, err := filepath.Abs(a.config.Data)
		if err != nil {
			return fmt.Errorf("data folder: %w", err)
		}
		if _, err := p.auth.Bootstrap(ctx, auth.FirstStart{Folder: data, URL: a.config.URL}); err != nil {
			return err
		}
	}
	documentation, err := docs.New()
	if err != nil {
		return err
	}
	guard, err := a.guard()
	if err != nil {
		return err
	}
	p.memories = memory.New(a.db, systemsOf{p}, turnsOf{p})
	p.catalog = catalog.New(a.db, catalogRemovals{catalogGrants{p.auth.Grants}, p.memories}, people{p.auth.Directory})
	p.auth.Grants.Bind(p.catalog)
	p.skills = skill.New(a.db, people{p.auth.Directory})
	p.modules = []module{documentation, probe.New(guard), question.New(), p.catalog, p.skills, p.memories}
	if err := a.buildConnections(ctx, p); err != nil {
		return err
	}
	if err := a.buildVault(p); err != nil {
		return err
	}
	a.buildScripts(p)
	p.modules = append(p.modules, healthcheck.New(p.tests), automation.New(p.tests))
	var tools []tool.Tool
	for _, m := range p.modules {
		tools = append(tools, m.Tools()...)
	}
	if p.registry, err = tool.NewRegistry(tools...); err != nil {
		return err
	}
	p.policies = policy.New(a.db, p.registry)
	p.router = &tool.Router{}
	p.callers = callers{router: p.router, delegator: p.auth.Delegator}
	return nil
}

func (a *App) guard() (*egress.Guard, error) {
	policy, err := egress.ParsePolicy(a.config.EgressAllow)
	if err != nil {
		return nil, fmt.Errorf("COUNTERSIGN_EGRESS_ALLOW: %w", err)
	}
	return egress.New(egress.Options{Policy: policy}), nil
}

// callers makes clients that act as a principal for the length of a tool call.
type callers struct {
	router    *tool.Router
	delegator *auth.Delegator
}

// Caller implements proposal.Callers.
func (c callers) Caller(p principal.Principal, turn uuid.UUID) tool.Caller {
	return tool.Caller{Principal: p, Client: &tool.Client{Router: c.router, Credential: c.delegator.Mint(p, turn, 0)}}
}

// catalogGrants speaks the catalog's types.
type catalogGrants struct{ *auth.Grants }

// Owners implements catalog.Grants.
func (g catalogGrants) Owners(ctx context.Context, objectType string, ids []uuid.UUID) (map[uuid.UUID][]catalog.Owner, error) {
	found, err := g.Grants.Owners(ctx, objectType, ids)
	if err != nil {
		return nil, err
	}
	owners := make(map[uuid.UUID][]catalog.Owner, len(found))
	for id, list := range found {
		for _, o := range list {
			owners[id] = append(owners[id], catalog.Owner(o))
		}
	}
	return owners, nil
}

// people looks users up for the modules.
type people struct{ *auth.Directory }

// People implements catalog.Directory.
func (d people) People(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]catalog.Person, error) {
	found, err := d.Directory.People(ctx, ids)
	if err != nil {
		return nil, err
	}
	result := make(map[uuid.UUID]catalog.Person, len(found))
	for id, u := range found {
		result[id] = catalog.Person(u)
	}
	return result, nil
}

// Names implements skill.Directory.
func (d people) Names(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	found, err := d.Directory.People(ctx, ids)
	if err != nil {
		return nil, err
	}
	names := make(map[uuid.UUID]string, len(found))
	for id, u := range found {
		names[id] = u.Name
	}
	return names, nil
}

// metrics are what /metrics shows.
func (a *App) metrics(p *parts) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	gauge := func(name, help string, value func() float64) {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "countersign", Name: name, Help: help}, value))
	}
	gauge("database_connections", "Open database connections.", func() float64 { return float64(a.db.Stat().TotalConns()) })
	gauge("database_connections_busy", "Database connections in use.", func() float64 { return float64(a.db.Stat().AcquiredConns()) })
	gauge("database_acquire_wait_seconds_total", "Time spent waiting for a database connection.", func() float64 { return a.db.Stat().AcquireDuration().Seconds() })
	registry.MustRegister(p.toolCalls)
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}
