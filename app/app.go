package app

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.temporal.io/sdk/client"
	sdkworker "go.temporal.io/sdk/worker"

	"countersign/activities"
	"countersign/api"
	"countersign/api/host"
	"countersign/api/mcp/endpoint"
	"countersign/api/mcp/trust"
	"countersign/app/config"
	"countersign/app/module"
	"countersign/audit"
	"countersign/auth"
	"countersign/chat/conversation"
	"countersign/chat/stream"
	"countersign/chat/turn"
	"countersign/check"
	"countersign/check/engine"
	"countersign/check/history"
	"countersign/event"
	"countersign/event/feed"
	"countersign/internal/durable"
	"countersign/internal/egress"
	"countersign/internal/notice"
	"countersign/internal/process"
	"countersign/internal/secret"
	"countersign/internal/secret/scrub/scrublog"
	"countersign/internal/store"
	"countersign/internal/store/chore"
	"countersign/internal/store/exactlyonce"
	"countersign/internal/store/quota"
	"countersign/internal/telemetry"
	"countersign/modules/agent"
	"countersign/modules/catalog"
	"countersign/modules/healthcheck"
	"countersign/modules/httprequest"
	"countersign/modules/intake"
	"countersign/modules/maintenance"
	"countersign/modules/mcpserver"
	"countersign/modules/memory"
	"countersign/modules/modelcheck"
	"countersign/modules/notification"
	"countersign/modules/oncall"
	"countersign/modules/policy"
	"countersign/modules/scriptpolicy"
	"countersign/modules/skill"
	"countersign/modules/vault"
	"countersign/script"
	"countersign/script/typescript"
	"countersign/tool"
	"countersign/tool/budget"
	"countersign/tool/invoke"
	"countersign/tool/proposal"
	"countersign/tool/spend"
	"countersign/web"
	"countersign/worker"
	"countersign/worker/payload"
	"countersign/workflows"
)

// Roles selects the work of a process.
type Roles struct {
	API    bool
	Worker bool
	// Probe runs the checks of another location, and nothing else. It needs the database and no Temporal.
	Probe bool
}

// App is a wired process of the product.
type App struct {
	config config.Config
	roles  Roles
	log    *slog.Logger
	// more are modules beyond the product's own, or module.Make.
	more []any

	db       *store.DB
	listener *store.Listener
	temporal client.Client
	// closed are the servers of the installation, which checks, tools and scripts cannot reach (SSRF guard).
	closed *egress.Endpoints
	// elsewhere are those of closed that mean the same server on another machine.
	elsewhere []string
	telemetry *telemetry.Exporter
	events    *stream.Log
	server    *api.Server
	crew      crew
	// monitor watches the connection to the database; nil in a process without workers.
	monitor *store.Monitor
	// reached is set after the first successful connection to Temporal.
	reached atomic.Bool
	// draining is set when graceful shutdown begins.
	draining atomic.Bool
	probes   *probes
	sandbox  *scriptBox
	// checkBox runs the scripts of checks; nil in a process without workers.
	checkBox *scriptBox
	// toolCompiler compiles the tools of agents; nil in a process without the API.
	toolCompiler *typescript.Compiler
	// sourceChecker checks the scripts of health checks before they are saved. Its processes start with the first script.
	sourceChecker *typescript.Compiler
	warm          bool
	chores        *chore.Runner
	// consumers runs the event consumers; nil in a process without workers.
	consumers *event.Runner
	// loops is the background work of modules in this process.
	loops   []process.Loop
	demo    *demoModel
	company net.Listener
	// background ends with the drain; work outside of requests runs under it.
	background context.Context
	stop       context.CancelFunc
	running    sync.WaitGroup

	started chan struct{}
}

// New connects to the database and to Temporal, migrates, creates the first administrator and the built-in connection
// if missing, and wires all parts. more are modules beyond the product's own: see package module.
func New(ctx context.Context, c config.Config, roles Roles, log *slog.Logger, more ...any) (*App, error) {
	log = slog.New(scrublog.NewHandler(log.Handler()))
	a := &App{config: c, roles: roles, log: log, more: more, started: make(chan struct{}), crew: crew{suspension: worker.NewSuspension()}}
	if roles.Probe && c.ProbeLocation == "" {
		return nil, errors.New("COUNTERSIGN_PROBE_LOCATION is required: it names the location of the probe, such as Frankfurt")
	}
	a.background, a.stop = context.WithCancel(context.WithoutCancel(ctx))
	if err := a.build(ctx); err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

// parts are the shared dependencies of the wiring.
type parts struct {
	keys          *secret.Keyset
	codec         payload.Codec
	rules         *auth.Registry
	registry      *tool.Registry
	list          *module.List
	auth          *auth.Auth
	catalog       *catalog.Module
	memories      *memory.Module
	connections   *connections
	skills        *skill.Module
	router        *tool.Router
	callers       callers
	engine        *worker.Engine
	turnDriver    *worker.TurnDriver
	turns         *turn.Store
	quota         *quota.Limiter
	hub           *stream.Hub
	sessions      *turn.Sessions[activities.Memo]
	budget        *budget.Budget
	spend         *spend.Ledger
	policies      *policy.Module
	proposals     *proposal.Service
	invoke        *invoke.Service
	mcp           *trust.Policies
	activities    *activities.Turn
	toolCalls     *prometheus.CounterVec
	chatLosses    *prometheus.CounterVec
	auditLog      *audit.Log
	sweeper       *conversation.Sweeper
	erasures      *conversation.Erasures
	vault         *vault.Module
	scripts       *scriptpolicy.Module
	tests         *script.Service
	checks        *modelcheck.Module
	kinds         *check.Registry
	reach         *egress.Checks
	health        engine.Systems
	notices       *notice.Ledger
	healthchecks  *healthcheck.Module
	maintenances  *maintenance.Module
	onCall        *oncall.Module
	intake        *intake.Module
	notifications *notification.Module
	agents        *agent.Module
	requests      *httprequest.Module
	servers       *mcpserver.Module
	once          *exactlyonce.Ledger
	feed          *feed.Feed
	events        events
	history       *history.Reader
	keeper        *history.Keeper
	// checkScripts runs the scripts of checks; nil in a process without workers.
	checkScripts *script.Checks
}

func (a *App) build(ctx context.Context) error {
	var p parts
	var err error
	if p.keys, err = a.keyset(); err != nil {
		return err
	}
	if a.telemetry, err = telemetry.Open(ctx, a.config.Telemetry, Version); err != nil {
		return err
	}
	if a.db, err = a.openDatabase(ctx); err != nil {
		return err
	}
	if _, err := a.db.Migrate(ctx); err != nil {
		return err
	}
	if err := a.assumeRole(ctx); err != nil {
		return err
	}
	if err := a.dialTemporal(ctx, &p); err != nil {
		return err
	}
	if a.roles.Worker || a.roles.Probe {
		a.monitor = store.NewMonitor(a.db)
	}
	if err := a.wire(ctx, &p); err != nil {
		return err
	}
	if a.roles.Probe {
		return nil
	}
	if err := a.firstConnections(ctx, &p); err != nil {
		return err
	}
	a.buildWorker(&p)
	return a.buildDemoCompany(ctx, &p)
}

// wire constructs the API's parts. Without the API role it makes no calls to the database or Temporal.
func (a *App) wire(ctx context.Context, p *parts) error {
	if err := a.buildBase(p); err != nil {
		return err
	}
	if err := a.buildEvents(p); err != nil {
		return err
	}
	if err := a.buildModules(p); err != nil {
		return err
	}
	a.buildTurns(p)
	if err := a.collect(ctx, p); err != nil {
		return err
	}
	a.buildChores(p)
	if err := a.buildConsumers(p); err != nil {
		return err
	}
	if err := a.buildProbes(p); err != nil {
		return err
	}
	return a.buildServer(p)
}

// buildBase constructs the dependencies of modules. The registries are empty until collect fills them.
func (a *App) buildBase(p *parts) error {
	var err error
	if a.closed, err = a.endpoints(); err != nil {
		return err
	}
	if p.rules, err = auth.NewRegistry(); err != nil {
		return err
	}
	if p.registry, err = tool.NewRegistry(); err != nil {
		return err
	}
	p.list = &module.List{}
	federation, err := a.federation()
	if err != nil {
		return err
	}
	p.auth, err = auth.New(auth.Options{
		DB: a.db, Log: a.log, Rules: p.rules, DelegationKey: p.keys.Derive("delegation"), Sealer: p.keys,
		Federation: federation, Password: a.config.PasswordCost,
		URL: a.config.URL, SecureCookie: a.config.Secure(), TrustProxy: a.config.TrustProxy, Proxies: a.config.Proxies(),
		Credentials: filepath.Join(a.config.Data, auth.CredentialsFile),
	})
	if err != nil {
		return err
	}
	p.toolCalls, p.chatLosses = newToolCalls(), newChatLosses()
	p.router = &tool.Router{}
	p.callers = callers{router: p.router, delegator: p.auth.Delegator}
	p.engine = worker.NewEngine(worker.EngineOptions{
		Client: a.temporal, Queue: a.config.QueuePrefix + workflows.TurnQueue, TaskTimeout: a.config.TurnTaskTimeout,
		ServesProposals: a.works(config.QueueTurns), Now: a.db.Now,
	})
	p.turnDriver = worker.NewTurnDriver(p.engine, a.config.MaxSteps, a.config.URL)
	p.turns = turn.NewStore(a.db)
	p.turns.MaxRunning = a.config.MaxRunningTurns
	p.quota = quota.New(a.db)
	p.hub = stream.NewHub(a.db)
	p.hub.Elsewhere = !a.works(config.QueueTurns)
	a.events = stream.NewLog(stream.LogOptions{DB: a.db, Hub: p.hub, Log: a.log, Interval: a.config.StreamFlush})
	p.sessions = turn.NewSessions[activities.Memo](turn.SessionsOptions{DB: a.db, Events: a.events, Hub: p.hub, Log: a.log})
	p.sessions.LostPause = a.config.TurnTaskTimeout + time.Second
	p.spend = spend.New(a.db)
	p.budget = budget.New(a.db, budget.Limits{Calls: a.config.ToolBudgetCalls, Window: a.config.ToolBudgetWindow})
	return nil
}

// buildTurns wires the execution of turns and proposals.
func (a *App) buildTurns(p *parts) {
	watch := proposal.NewWatch()
	p.proposals = proposal.NewService(proposal.Options{
		DB: a.db, Log: a.log, Registry: p.registry, Principals: p.auth.Authenticator, Callers: p.callers, Policies: p.policies,
		Driver: worker.ProposalDriver{Engine: p.engine},
		Nonces: proposal.NewNonces(p.keys.Derive("proposal nonces")), Seals: proposal.NewSeals(p.keys.Derive("proposal seals")),
		Effects: api.Effects{DB: a.db}, TTL: a.config.ProposalTTL, OthersTTL: a.config.SecondPersonTTL, MostWaiting: a.config.MaxWaiting,
	}, watch)
	p.turns.Withdrawals = p.proposals
	p.mcp = trust.New(a.db)
	reads := invoke.Reads{Budget: p.budget, Policies: p.policies, Requery: p.auth.Authenticator.Requery}
	p.invoke = &invoke.Service{Reads: reads, Registry: p.registry, Proposals: p.proposals, Callers: p.callers}
	p.activities = &activities.Turn{
		Reads:    reads,
		Sessions: p.sessions, Connections: p.connections, Principals: p.auth.Authenticator, Callers: p.callers,
		Registry: p.registry, Spend: p.spend, Proposals: p.proposals, Runs: p.auth.Runs, Log: a.log, Clock: time.Now, Zone: hostZone(),
		Memories: p.memories, ContentKey: p.keys.Derive("withheld content"), Skills: chatSkills{p}, Detach: a.detach(detachedCalls),
		Lost: func(kind turn.NoticeKind) { p.chatLosses.WithLabelValues(string(kind)).Inc() },
	}
	p.activities.ConnectionAuthors = auth.NewAuthors(a.db)
	if a.config.WatchAuthors {
		p.activities.Authors = auth.NewAuthors(a.db)
	}
	p.sessions.SettleUnrecorded = p.activities.SettleUnrecorded
	a.listener = store.NewListener(a.db, a.log)
	p.hub.Listen(a.listener)
}

// buildServer wires the REST API. A worker has one too: its tools re-enter it in process.
func (a *App) buildServer(p *parts) error {
	metrics, err := a.metrics(p)
	if err != nil {
		return err
	}
	options := api.Options{
		DB:             a.db,
		Log:            a.log,
		Authenticator:  p.auth.Authenticator,
		IdempotencyKey: p.keys.Derive("idempotency"),
		Modules:        p.list.Routes(),
		Streams:        p.list.Streams(),
		Ready:          a.ready,
		Alive:          a.alive,
		Degraded:       a.degraded(p.engine),
		Metrics:        metrics,
		MetricsToken:   a.config.MetricsToken,
		Version:        Version,
		TrustedOrigins: a.config.TrustedOrigins,
		Gate:           &api.Gate{DB: a.db, Log: a.log, Registry: p.registry, Policies: p.policies, Invoke: p.invoke, Sealer: p.keys},
		Tracer:         a.telemetry.Tracer(),
		TemporalUI:     a.config.TemporalUIURL,
		BodyTimeout:    a.config.BodyTimeout,
	}
	if a.roles.API {
		options.Web = web.Dist()
		if options.MCP, err = a.buildMCP(p); err != nil {
			return err
		}
		options.MCPPath = endpoint.Path
	}
	a.server, err = api.New(options)
	if err != nil {
		return err
	}
	p.router.Bind(a.server)
	return nil
}

func (a *App) buildWorker(p *parts) {
	a.buildExec(p)
	if !a.works(config.QueueTurns) {
		return
	}
	proposals := &activities.Proposal{Proposals: p.proposals, Turns: p.turns, Starter: p.turnDriver}
	own := worker.ProposalOptions{
		Client:       a.temporal,
		Queue:        a.config.QueuePrefix + workflows.ProposalQueue,
		Log:          a.log,
		DrainTimeout: a.config.DrainTimeout,
		Proposal:     proposals,
		Suspension:   a.crew.suspension,
	}
	a.crew.add(func() (sdkworker.Worker, error) { return worker.NewProposals(own), nil })
	options := worker.Options{
		Client: a.temporal, Queue: a.config.QueuePrefix + workflows.TurnQueue, Log: a.log, DrainTimeout: a.config.DrainTimeout,
		Turn:       p.activities,
		Proposal:   proposals,
		Retention:  &activities.Retention{Sweeper: p.sweeper, Erasures: p.erasures, Turns: p.turnDriver, WorkflowTerminator: p.engine},
		Modules:    p.list.WorkflowsOn(durable.TurnQueue),
		Suspension: a.crew.suspension,
	}
	a.crew.add(func() (sdkworker.Worker, error) { return worker.New(options), nil })
	automations := worker.ModulesOptions{
		Client: a.temporal, Queue: a.config.QueuePrefix + string(durable.AutomationQueue), Log: a.log, DrainTimeout: a.config.DrainTimeout,
		Modules: p.list.WorkflowsOn(durable.AutomationQueue), Suspension: a.crew.suspension,
	}
	a.crew.add(func() (sdkworker.Worker, error) { return worker.NewModules(automations), nil })
}

// buildChores constructs the runner of periodic jobs, which holds the leader lease in one process.
func (a *App) buildChores(p *parts) {
	if !a.works(config.QueueTurns) {
		return
	}
	a.chores = chore.NewRunner(chore.Options{DB: a.db, Log: a.log, Chores: p.list.Chores()})
	a.listener.Subscribe(a.chores.Subscriptions())
}

// ready fails while this process starts or drains (readiness).
func (a *App) ready(context.Context) error {
	select {
	case <-a.started:
	default:
		return errors.New("still starting")
	}
	if a.draining.Load() {
		return errors.New("draining")
	}
	return nil
}

// alive fails once this worker has lost the database for so long that it should be replaced (liveness).
func (a *App) alive() error {
	if a.monitor == nil {
		return nil
	}
	return a.monitor.Alive()
}

// degraded fails during an outage of Temporal: only work that needs a workflow waits.
func (a *App) degraded(temporal *worker.Engine) func(context.Context) error {
	if a.roles.Probe {
		return nil
	}
	return func(ctx context.Context) error {
		if !a.reached.Load() {
			return errors.New("this process has not reached Temporal yet")
		}
		return temporal.Ready(ctx)
	}
}

// Run runs the process until ctx ends, then drains: see drain.go.
func (a *App) Run(ctx context.Context) error {
	defer a.close()
	a.running.Go(func() { a.listener.Run(a.background) })
	select {
	case <-a.listener.Ready():
	case <-ctx.Done():
		return ctx.Err()
	}
	logged, stopLog := context.WithCancel(context.WithoutCancel(ctx))
	defer stopLog()
	var logging sync.WaitGroup
	logging.Go(func() { a.events.Run(logged) })

	if a.chores != nil {
		a.running.Go(func() { a.chores.Run(a.background) })
		a.running.Go(func() { a.consumers.Run(a.background) })
	}
	for _, loop := range a.loops {
		a.running.Go(func() { loop.Run(a.background) })
	}
	if a.company != nil {
		a.running.Go(a.serveDemoCompany)
	}
	if a.config.DebugAddress != "" {
		a.running.Go(a.serveDebug)
	}
	if a.sandbox != nil && a.warm {
		a.running.Go(a.warmSandbox)
	}
	a.probes.start(a)
	a.watchDatabase()
	err := a.run(ctx)
	stopLog()
	logging.Wait()
	return err
}

// handler is the API, or in a worker only its probes, behind the Host header check.
func (a *App) handler() http.Handler {
	names := host.New(append([]string{a.config.URL}, a.config.AllowedHosts...)...)
	if !loopback(a.config.Host) {
		names = names.WithShort()
	}
	if a.roles.API {
		return names.Guard(a.server, refuseName())
	}
	mux := http.NewServeMux()
	for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
		mux.Handle(path, a.server)
	}
	return names.Guard(mux, refuseName())
}

func (a *App) close() {
	a.stop()
	if a.demo != nil {
		a.demo.stop()
	}
	if a.company != nil {
		_ = a.company.Close()
	}
	if a.toolCompiler != nil {
		a.toolCompiler.Close()
	}
	if a.sourceChecker != nil {
		a.sourceChecker.Close()
	}
	for _, box := range []*scriptBox{a.sandbox, a.checkBox} {
		if box == nil {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		if err := box.close(ctx); err != nil {
			a.log.Warn("Sandbox not closed", "error", err)
		}
		cancel()
	}
	if a.temporal != nil {
		a.temporal.Close()
	}
	if a.db != nil {
		a.db.Close()
	}
	a.closeTelemetry()
}
