package app

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/activities"
	"countersign/auth"
	"countersign/internal/egress"
	"countersign/internal/principal"
	"countersign/model"
	"countersign/model/demo"
	"countersign/modules/connection"
	"countersign/tool/spend"
)

// demoModel is the in-process demo model, with a key known to this process only.
type demoModel struct {
	endpoint connection.Endpoint
	stop     func()
}

func startDemo(o demo.Options) (*demoModel, error) {
	o.Key = rand.Text()
	base, stop, err := demo.Serve(context.Background(), "127.0.0.1:0", o)
	if err != nil {
		return nil, fmt.Errorf("start demo model: %w", err)
	}
	return &demoModel{
		endpoint: connection.Endpoint{BaseURL: base, APIKey: o.Key},
		stop: func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			_ = stop(ctx)
		},
	}, nil
}

func (a *App) buildConnections(p *parts) error {
	var err error
	a.demo, err = startDemo(
		demo.Options{FirstToken: a.config.DemoFirstDelay, PerToken: a.config.DemoTokenDelay, Scripts: a.config.DemoScripts},
	)
	if err != nil {
		return err
	}
	allowed, err := egress.ParsePolicy(a.config.EgressAllow)
	if err != nil {
		return fmt.Errorf("COUNTERSIGN_EGRESS_ALLOW: %w", err)
	}
	own := egress.Own{Policy: allowed, Closed: a.closed}
	client := &http.Client{Transport: own.Guarded(model.NewTransport())}
	service, err := connection.New(connection.Options{
		DB: a.db, Sealer: p.keys, Guard: own, Tester: connection.NewTester(client),
		Demo:  func() connection.Endpoint { return a.demo.endpoint },
		Names: names{p.auth.Directory}, Authors: auth.NewAuthors(a.db), Removed: p.list.OnRemoved,
	})
	if err != nil {
		return err
	}
	p.connections = &connections{
		Module:      service,
		http:        client,
		stall:       a.config.ModelStall,
		traceparent: a.config.TraceModelProviders,
		clients:     map[uuid.UUID]revised{},
		log:         a.log,
	}
	return nil
}

// firstConnections creates the model connections of a first start.
func (a *App) firstConnections(ctx context.Context, p *parts) error {
	made, err := p.connections.Bootstrap(ctx, connection.Environment{
		BaseURL: a.config.OpenAIBaseURL, APIKey: a.config.OpenAIKey, Model: a.config.OpenAIModel,
	})
	if made {
		a.log.Info("Model connection created from OPENAI_BASE_URL and OPENAI_API_KEY")
	}
	return err
}

// connections adapts the connection module to conversations and turns.
type connections struct {
	*connection.Module
	// http dials only allowed model servers (SSRF guard).
	http        *http.Client
	stall       time.Duration
	traceparent bool

	mu sync.Mutex
	// clients caches clients with their open HTTP connections.
	clients map[uuid.UUID]revised
	log     *slog.Logger
}

// revised is a client of one revision of a connection.
type revised struct {
	revision int64
	client   *model.Client
}

// Settle implements conversation.Connections.
func (c *connections) Settle(ctx context.Context, id *uuid.UUID, requested string) (uuid.UUID, string, error) {
	found, settled, err := c.settle(ctx, id, requested)
	return found.ID, settled, err
}

func (c *connections) settle(ctx context.Context, id *uuid.UUID, requested string) (connection.Connection, string, error) {
	found, err := c.ForTurn(ctx, id)
	if err != nil {
		return connection.Connection{}, "", err
	}
	return found, connection.ResolveModel(found, requested), nil
}

// admit is Settle, and refuses a turn over the connection's spend cap.
func (c *connections) admit(
	ledger *spend.Ledger,
) func(context.Context, principal.Principal, *uuid.UUID, string) (uuid.UUID, string, error) {
	return func(ctx context.Context, p principal.Principal, id *uuid.UUID, requested string) (uuid.UUID, string, error) {
		found, settled, err := c.settle(ctx, id, requested)
		if err == nil {
			err = ledger.Check(ctx, p, found.ID, found.Cap())
		}
		if err != nil {
			return uuid.Nil, "", err
		}
		return found.ID, settled, nil
	}
}

// Connect implements activities.Connections.
func (c *connections) Connect(ctx context.Context, id uuid.UUID) (activities.Connection, error) {
	found, err := c.ForTurn(ctx, &id)
	if err != nil {
		return activities.Connection{}, err
	}
	client, err := c.client(found)
	if err != nil {
		return activities.Connection{}, err
	}
	connected := activities.Connection{
		ID: found.ID, Name: found.Name, Revision: found.Revision, ProviderRevision: found.ProviderRevision(), Client: client, Cap: found.Cap(),
		Family: found.ModelFamily, IsOwnServer: found.IsOwnServer(),
		NoClassifier: found.DisableTopicalClassifier, Price: found.Price.ForLedger(),
		Resolve: func(requested string) string { return connection.ResolveModel(found, requested) },
	}
	if found.MaxTools != nil {
		connected.MaxTools = *found.MaxTools
	}
	if found.FirstTokenSeconds != nil {
		connected.FirstTokenTimeout = time.Duration(*found.FirstTokenSeconds) * time.Second
	}
	connected.Silence = c.stall
	connected.WindowOf, connected.FiguresOf = found.WindowOf, found.FiguresOf
	connected.Learn = c.learnFigures(found)
	if found.Kind != connection.Demo {
		// The demo model does not count the tools of a request.
		connected.RecordTruncation = func(ctx context.Context, sent, read int) error { return c.NoticeCut(ctx, found, sent, read) }
	}
	if found.SmallCallSeconds != nil {
		connected.SmallCallTimeout = time.Duration(*found.SmallCallSeconds) * time.Second
	}
	return connected, nil
}

// learnFigures stores figures of models of a connection for all processes.
func (c *connections) learnFigures(of connection.Connection) func(context.Context, string, model.Figures) error {
	return func(ctx context.Context, model string, seen model.Figures) error {
		ctx, cancel := context.WithTimeout(ctx, learnTimeout)
		defer cancel()
		learned, err := c.Learn(ctx, of, model, seen)
		if learned {
			c.log.Info("Figures of a model learned", "connection", of.ID, "model", model, "figures", seen)
		}
		return err
	}
}

func (c *connections) client(of connection.Connection) (*model.Client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.clients[of.ID]; ok && known.revision == of.Revision {
		// Another process may have stored newer quirks.
		known.client.AddQuirks(of.ModelQuirks())
		return known.client, nil
	}
	options, err := c.Requests(of)
	if err != nil {
		return nil, err
	}
	options.HTTPClient, options.StallTimeout, options.Traceparent = c.http, c.stall, c.traceparent
	options.ID, options.OnQuirks = of.Sender(), c.learn(of)
	client := model.New(options)
	client.AddQuirks(of.ModelQuirks())
	c.clients[of.ID] = revised{of.Revision, client}
	return client, nil
}

// learnTimeout bounds the time a model call waits for storing what it has shown.
const learnTimeout = 5 * time.Second

// learn stores detected quirks for all processes. After a failure they are detected again.
func (c *connections) learn(of connection.Connection) func([]model.ModelQuirk) {
	return func(learned []model.ModelQuirk) {
		ctx, cancel := context.WithTimeout(context.Background(), learnTimeout)
		defer cancel()
		c.log.Info("Quirks of a model provider detected", "connection", of.ID, "quirks", learned)
		if err := c.AddQuirks(ctx, of, learned); err != nil {
			c.log.Warn("Learned model provider limits not stored", "connection", of.ID, "error", err)
		}
	}
}
