package app

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"countersign/activities"
	"countersign/api"
	"countersign/api/chat"
	"countersign/app/config"
	"countersign/app/module"
	"countersign/audit"
	"countersign/auth"
	"countersign/auth/oauth"
	"countersign/chat/conversation"
	"countersign/chat/headless"
	"countersign/chat/turn"
	"countersign/check"
	"countersign/check/engine"
	"countersign/check/health"
	"countersign/check/history"
	"countersign/check/strategy"
	"countersign/event/feed"
	"countersign/internal/durable"
	"countersign/internal/egress"
	"countersign/internal/notice"
	"countersign/internal/principal"
	"countersign/internal/process"
	"countersign/internal/store/exactlyonce"
	"countersign/internal/store/quota"
	"countersign/internal/telemetry"
	"countersign/model"
	"countersign/modules/automation"
	"countersign/modules/catalog"
	"countersign/modules/connection"
	"countersign/modules/docs"
	"countersign/modules/feedback"
	"countersign/modules/healthcheck"
	"countersign/modules/incident"
	"countersign/modules/intake"
	"countersign/modules/maintenance"
	"countersign/modules/memory"
	"countersign/modules/modelcheck"
	"countersign/modules/oncall"
	"countersign/modules/policy"
	"countersign/modules/probe"
	"countersign/modules/question"
	"countersign/modules/scriptpolicy"
	"countersign/modules/share"
	"countersign/modules/skill"
	"countersign/modules/toolsearch"
	"countersign/modules/vault"
	"countersign/script"
	"countersign/script/typescript"
	"countersign/worker"
)

// buildModules constructs the modules that others depend on, and their dependencies.
func (a *App) buildModules(p *parts) error {
	p.notices = notice.NewLedger(a.db)
	p.catalog = catalog.New(catalog.Options{
		DB: a.db, Grants: catalogGrants{p.auth.Grants}, Directory: people{p.auth.Directory}, Followers: p.list,
	})
	p.memories = memory.New(memory.Options{DB: a.db, Systems: p.catalog, Turns: p.turns, Removed: p.list.OnRemoved})
	p.skills = skill.New(a.db, people{p.auth.Directory}, p.list.OnRemoved)
	p.policies = policy.New(a.db, p.registry, p.auth.Directory)
	p.auth.Directory.BindDeciders(p.policies.Deciders)
	p.scripts = scriptpolicy.New(scriptpolicy.Options{DB: a.db, Log: a.log, Names: names{p.auth.Directory}})
	p.sweeper = conversation.NewSweeper(a.db, p.engine, p.list.OnRemoved)
	// Erasures reads the list at each use, after the list is complete.
	p.erasures = conversation.NewErasures(conversation.ErasuresOptions{
		DB: a.db, People: accounts{p.auth.Directory}, Driver: worker.ErasureDriver{Engine: p.engine}, Erasers: p.list.Erasers,
		Removed: p.list.OnRemoved,
	})
	var err error
	if p.vault, err = vault.New(
		vault.Options{DB: a.db, Sealer: p.keys, Names: names{p.auth.Directory}, Referrers: p.list, Removed: p.list.OnRemoved},
	); err != nil {
		return err
	}
	a.buildScripts(p)
	if err := a.buildHealthChecks(p); err != nil {
		return err
	}
	a.buildAgents(p)
	if err := a.buildConnections(p); err != nil {
		return err
	}
	p.checks = modelcheck.New(modelcheck.Options{
		DB:          a.db,
		Log:         a.log,
		Engine:      p.engine,
		Connections: checked{p.connections},
		Ledger:      p.spend,
		Tools:       p.registry,
		Search:      SearchTools,
		Names:       names{p.auth.Directory},
	})
	return nil
}

// buildHealthChecks constructs the health checks and their strategies.
func (a *App) buildHealthChecks(p *parts) (err error) {
	if p.kinds, err = check.NewRegistry(strategy.With(a.checkSettings())...); err != nil {
		return fmt.Errorf("kinds of health checks: %w", err)
	}
	a.sourceChecker = typescript.New(typescript.Options{})
	if p.reach, err = a.checkEgress(); err != nil {
		return err
	}
	p.once = exactlyonce.New(a.db)
	p.maintenances = maintenance.New(maintenance.Options{
		DB: a.db, Systems: p.catalog, Names: names{p.auth.Directory}, People: p.auth.Authenticator, Events: p.events.outbox,
		Engine: p.engine, Mutes: p.notices, URL: a.config.URL, Removed: p.list.OnRemoved,
	})
	p.health = engine.Systems{DB: a.db, Events: p.events.outbox, Sources: &health.Sources{}, Names: checkedSystems{p.catalog}.Names}
	p.healthchecks = healthcheck.New(healthcheck.Options{
		History: history.NewReader(a.db, history.ReaderOptions{Live: 5 * time.Second}),
		Draft: healthcheck.Drafting{
			Host: &check.Host{
				Dial: p.reach.Dial, Addresses: p.reach.Addresses, Scripts: script.NewDrafts(p.tests),
				Now: time.Now,
			}, Preparer: p.kinds, Calls: p.budget, Quota: p.quota, Most: a.config.MaxRunningProbes,
			Once: p.once,
		},
		DB:         a.db,
		Kinds:      p.kinds,
		Systems:    checkedSystems{p.catalog},
		Grants:     p.auth.Grants,
		Secrets:    p.vault,
		Tester:     p.tests,
		Scripts:    script.NewSources(a.sourceChecker),
		Shards:     a.config.CheckShards,
		Runner:     engine.Requests{DB: a.db},
		Settler:    p.health,
		Sources:    p.health.Sources,
		Planned:    planned{p.maintenances},
		Keeper:     p.keeper,
		Heartbeats: a.heartbeats(p),
		URL:        a.config.URL,
		Address:    p.auth.Authenticator.Client,
	})
	return nil
}

// modules is the list of the product's modules. The list finds what a module offers (see package module), so a new
// module is one line here.
func (a *App) modules(p *parts) ([]any, error) {
	var err error
	if p.notifications, err = a.buildNotifications(p); err != nil {
		return nil, err
	}
	documentation, err := docs.New()
	if err != nil {
		return nil, err
	}
	guard, err := a.guard()
	if err != nil {
		return nil, err
	}
	p.feed = feed.New(feed.Options{DB: a.db, Log: a.log})
	a.buildRequests(p, guard)
	a.buildServers(p, guard)
	programs, err := oauth.New(oauth.Options{
		DB:       a.db,
		Log:      a.log,
		Issuer:   a.config.URL,
		Resource: p.auth.Authenticator.Resource(),
		Key:      p.keys.Derive("oauth refresh"),
		Fetch:    guard.Client(5 * time.Second),
		Address:  p.auth.Authenticator.Client,
		Trusts:   p.mcp.Trusts,
	})
	if err != nil {
		return nil, err
	}
	conversations := conversation.New(a.db, p.connections, p.list.OnRemoved)
	conversations.MaxOwned = a.config.MaxConversations
	p.auditLog = audit.NewLog(a.db, p.proposals, connection.ChatRead)
	incidents := incident.New(incident.Options{
		DB: a.db, Systems: p.catalog, Names: actors{names{p.auth.Directory}, p}, Events: p.events.outbox, Health: p.health,
		Removed: p.list.OnRemoved, Sources: a.timelineSources(p),
	})
	p.intake = intake.New(intake.Options{
		DB: a.db, Systems: p.catalog, Teams: people{p.auth.Directory}, Incidents: alerted{incidents}, Sealer: p.keys,
		Client: a.aws(guard), URL: a.config.URL, Removed: p.list.OnRemoved,
	})
	p.onCall = oncall.New(oncall.Options{
		DB: a.db, People: onCallPeople{people{p.auth.Directory}}, Incidents: onCallIncidents{incidents, p}, Events: p.events.outbox,
		Engine: p.engine, Notices: p.notices, Mutes: p.list, Sealer: p.keys, Feeds: guard.Client(20 * time.Second),
		Removed: p.list.OnRemoved,
	})
	answers, said, live := a.chat(p, conversations), feedback.New(a.db), a.live(p)
	return []any{
		p.auth, programs, p.mcp,
		p.connections.Module,
		p.checks,
		p.auditLog,
		&audit.Runner{
			Chain: audit.NewChain(a.db, p.keys.Derive(chainKey)), Log: a.log, Subscribers: []audit.Subscriber{callCounter{p.toolCalls}},
		},
		answers, a.completions(p, answers), &chat.AGUI{Chat: answers, Kind: clientKind(a.config.AGUI)},
		&chat.Conversations{Service: conversations, Turns: p.turns, Proposals: p.proposals, Feedback: said, URL: a.config.URL},
		a.inspector(p, conversations), said,
		share.New(share.Options{
			DB:        a.db,
			Tools:     p.registry,
			Proposals: p.proposals,
			Kinds:     p.list.Audited,
			Rules:     p.list.Rules,
			Named:     []audit.Kind{p.healthchecks.Known()},
		}),
		p.sweeper, p.erasures, &api.Privacy{Sweeper: p.sweeper, Erasures: p.erasures},
		api.KeptAnswers{DB: a.db},
		&api.Codec{Codec: p.codec},
		p.proposals,
		&api.Proposals{Service: p.proposals, Invoke: p.invoke, Ledger: p.notices, Deciders: proposalDeciders{p.auth.Directory}},
		p.feed, a.changes(p, live),
		p.policies,
		p.vault,
		p.scripts,
		p.invoke, &api.Tools{Registry: p.registry, Invoke: p.invoke},
		a.settings(),
		p.events.notifier, p.events.operator, p.events.pruner, p.keeper,
		&api.Events{DB: a.db, Operator: p.events.operator, Types: p.events.types},
		a.events, p.sessions, p.spend, p.tests, p.quota,
		&engine.Sharding{DB: a.db, Count: a.config.CheckShards}, &engine.Locations{Systems: p.health, Closed: a.elsewhere},
		&worker.Reconciler{
			Log: a.log, Engine: p.engine, Driver: p.turnDriver, Turns: p.turns, Sessions: p.sessions, Proposals: p.proposals,
		},
		documentation,
		probe.New(probe.Options{Guard: guard, Calls: p.budget, Quota: p.quota, Most: a.config.MaxRunningProbes}),
		question.New(),
		toolsearch.New(),
		p.catalog,
		p.skills,
		p.memories,
		p.healthchecks, live,
		p.agents, p.requests, p.servers, p.once,
		a.buildAutomations(p), automation.NewActions(automation.ActionsOptions{Scripts: p.tests, Once: p.once, Secrets: p.vault}),
		p.notifications,
		incidents,
		p.intake,
		p.onCall,
		p.maintenances,
	}, nil
}

// collect builds the list, fills the registries from it, and does the work of a first start.
func (a *App) collect(ctx context.Context, p *parts) error {
	modules, err := a.modules(p)
	if err != nil {
		return err
	}
	services := module.Services{
		DB: a.db, Log: a.log, Engine: p.engine, Events: p.events.outbox, Health: p.health,
		Notices: p.notices, Sealer: p.keys, Runs: p.auth.Runs, Headless: a.headless(p),
	}
	if err := p.list.Add(append(modules, services.Made(a.more)...)...); err != nil {
		return err
	}
	if err := p.rules.Declare(p.list.Rules()...); err != nil {
		return err
	}
	if err := durable.Check(p.list.Workflows()...); err != nil {
		return err
	}
	if err := p.events.types.Declare(p.list.EventTypes()...); err != nil {
		return err
	}
	if err := p.list.CheckActions(); err != nil {
		return err
	}
	if err := p.health.Sources.Declare(p.list.Health()...); err != nil {
		return err
	}
	if err := a.collectWork(p.list); err != nil {
		return err
	}
	if err := p.registry.Add(p.list.Tools()...); err != nil {
		return err
	}
	p.registry.AddPlaybooks(p.list.Playbooks()...)
	for _, source := range p.list.Sources() {
		if err := p.registry.AddSource(source); err != nil {
			return err
		}
	}
	p.auth.BindRemoved(p.list.OnRemoved)
	p.auth.Grants.Bind(p.list.Objects()...)
	if err := p.auditLog.Bind(p.list.Audited()...); err != nil {
		return err
	}
	if !a.roles.API {
		return nil
	}
	data, err := filepath.Abs(a.config.Data)
	if err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	_, err = p.auth.Bootstrap(ctx, auth.FirstStart{Folder: data, URL: a.config.URL})
	return err
}

// collectWork collects the background work of modules for this process, and their subscriptions.
func (a *App) collectWork(list *module.List) error {
	loops := list.Loops()
	if err := process.Check(loops...); err != nil {
		return err
	}
	roles := map[process.Role]bool{
		process.API: a.roles.API, process.Turns: a.works(config.QueueTurns), process.Exec: a.works(config.QueueExec),
		process.Checks: a.runsChecks(),
	}
	a.loops = slices.DeleteFunc(loops, func(l process.Loop) bool { return !roles[l.Role] })
	for _, s := range list.Subscriptions() {
		a.listener.Subscribe(s)
	}
	return nil
}

func (a *App) chat(p *parts, conversations *conversation.Service) *chat.Chat {
	h := &chat.Chat{
		DB: a.db, Conversations: conversations, Turns: p.turns, Proposals: p.proposals, Hub: p.hub,
		Engine: p.turnDriver, Skills: chatSkills{p}, Log: a.log, Admit: p.connections.admit(p.spend),
		Quota: p.quota, Principals: p.auth.Authenticator, Heartbeat: a.config.StreamHeartbeat,
		Streams: a.streams("stream", "streams open"),
	}
	if a.works(config.QueueTurns) {
		h.Prefetch = p.activities.AcceptAhead(func(ctx context.Context, work func(context.Context)) {
			a.running.Go(func() { work(telemetry.Continue(a.background, ctx)) })
		})
	}
	return h
}

// headless starts the turns of runs.
func (a *App) headless(p *parts) *headless.Service {
	return headless.New(headless.Options{
		DB: a.db, Log: a.log, Runs: p.auth.Runs, Conversations: conversation.New(a.db, p.connections, p.list.OnRemoved), Turns: p.turns,
		Engine: p.turnDriver, Admit: p.connections.admit(p.spend),
	})
}

// completions constructs the handler of the OpenAI protocol.
func (a *App) completions(p *parts, answers *chat.Chat) *chat.Completions {
	tasks := activities.Tasks{Connections: p.connections, Spend: p.spend, Log: a.log}
	return &chat.Completions{
		Chat: answers, Skills: chatSkills{p}.models, URL: a.config.URL, Kind: clientKind(a.config.V1),
		RetryKey: p.keys.Derive("retries of clients"),
		Tasks: func(ctx context.Context, who principal.Principal, t chat.Task) (chat.TaskAnswer, error) {
			id, said, err := tasks.Answer(ctx, who,
				activities.Task{Prompt: t.Prompt, Tokens: t.Tokens, Connection: t.ConnectionID, Model: t.Model})
			return chat.TaskAnswer{ID: id, Text: said.Answer(), Cut: said.FinishReason == model.FinishLength, Usage: turn.Usage{
				InputTokens: said.Usage.InputTokens, OutputTokens: said.Usage.OutputTokens, CachedTokens: said.Usage.CachedTokens,
			}}, err
		},
	}
}

func clientKind(c config.Client) chat.ClientKind {
	return chat.ClientKind{StopOnClose: c.StopOnClose, WhileRunning: chat.WhileRunning(c.WhileRunning)}
}

// streams is a quota of open streams of a kind per principal. Two missed heartbeats are tolerated, for busy machines.
func (a *App) streams(name, plural string) quota.Kind {
	return quota.Kind{
		Name:       name,
		Plural:     plural,
		Max:        a.config.MaxOpenStreams,
		TTL:        3*a.config.StreamHeartbeat + time.Minute,
		RetryAfter: 10 * time.Second,
	}
}

// live publishes changes of system health to the web app.
func (a *App) live(p *parts) *healthcheck.Live {
	return healthcheck.NewLive(healthcheck.LiveOptions{
		Log:        a.log,
		Events:     p.events.log,
		Systems:    checkedSystems{p.catalog},
		Quota:      p.quota,
		Streams:    a.streams("live page", "live pages open"),
		Principals: p.auth.Authenticator,
		Heartbeat:  a.config.StreamHeartbeat,
	})
}

// changes constructs the change stream of the web app.
func (a *App) changes(p *parts, live *healthcheck.Live) *api.Feed {
	return api.NewFeed(api.FeedOptions{
		Log:        a.log,
		Feed:       p.feed,
		Proposals:  p.proposals,
		Kinds:      p.list.Audited,
		Health:     live,
		Quota:      p.quota,
		Streams:    a.streams("feed", "streams of changes open"),
		Principals: p.auth.Authenticator,
		Heartbeat:  a.config.StreamHeartbeat,
	})
}

func (a *App) settings() *api.Settings {
	return &api.Settings{
		Version: Version, TemporalUIURL: a.config.TemporalUIURL, TemporalNamespace: a.config.TemporalNamespace,
		MaxSteps: a.config.MaxSteps, ProposalTTL: a.config.ProposalTTL,
	}
}

func (a *App) guard() (*egress.Guard, error) {
	allowed, err := egress.ParsePolicy(a.config.EgressAllow)
	if err != nil {
		return nil, fmt.Errorf("COUNTERSIGN_EGRESS_ALLOW: %w", err)
	}
	return egress.New(egress.Options{Policy: allowed, Closed: a.closed}), nil
}
