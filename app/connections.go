package app

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/google/uuid"

	"countersign/activities"
	"countersign/auth"
	"countersign/model"
	"countersign/model/demo"
)

func assistantRules() []auth.Rule {
	return []auth.Rule{
		{ID: "ai.chat.read", Description: "Use the assistant and its reading tools, and decide about your own proposals", Default: true},
		{ID: "ai.proposal.manage", Description: "See and decide other people's proposals, within your own rights"},
	}
}

func connectionRules() []auth.Rule { return nil }

// demoModel is the demo model of this process.
type demoModel struct {
	url  string
	key  string
	stop func()
}

func (a *App) startDemo() (*demoModel, error) {
	d := &demoModel{key: rand.Text()}
	base, stop, err := demo.Serve(context.Background(), "127.0.0.1:0", demo.Options{
		Key: d.key, FirstToken: a.config.DemoFirstDelay, PerToken: a.config.DemoTokenDelay,
	})
	if err != nil {
		return nil, err
	}
	d.url = base
	d.stop = func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = stop(ctx)
	}
	return d, nil
}

type tempConnections struct{ id uuid.UUID }

func (t tempConnections) Settle(_ context.Context, _ *uuid.UUID, m string) (uuid.UUID, string, error) {
	if m == "" {
		m = demo.Assistant
	}
	return t.id, m, nil
}

func (a *App) buildConnections(_ context.Context, p *parts) error {
	var err error
	a.demo, err = a.startDemo()
	p.connections = tempConnections{uuid.MustParse("00000000-0000-4000-8000-00000000de30")}
	return err
}

type connector struct {
	tempConnections
	app *App
}

func (c connector) Connect(context.Context, uuid.UUID) (activities.Connection, error) {
	return activities.Connection{Client: model.New(model.Options{BaseURL: c.app.demo.url, APIKey: c.app.demo.key})}, nil
}
