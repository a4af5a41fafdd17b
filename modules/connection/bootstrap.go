package connection

import (
	"context"
	"fmt"
	"net/url"

	"countersign/audit"
	"countersign/internal/store"
	"countersign/model/demo"
	"countersign/modules/connection/connectiondb"
)

// Environment is the provider of OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL.
type Environment struct {
	BaseURL string
	APIKey  string
	Model   string
}

const (
	openAIBaseURL = "https://api.openai.com/v1"
	openAIModel   = "gpt-4o-mini"
)

// Bootstrap ensures that the demo model exists, and creates a default connection from the environment while there is
// no other one, which created reports. An existing connection is never changed: it may have been edited. Every
// process calls it at start.
func (m *Module) Bootstrap(ctx context.Context, env Environment) (created bool, err error) {
	err = m.db.InTx(ctx, func(ctx context.Context) error {
		q := m.queries(ctx)
		if err := q.LockBootstrap(ctx); err != nil {
			return fmt.Errorf("lock first start: %w", err)
		}
		if err := m.ensureDemo(ctx, q); err != nil {
			return err
		}
		n, err := q.CountConnections(ctx, OpenAICompatible)
		if err != nil {
			return fmt.Errorf("count connections: %w", err)
		}
		if n > 0 || env.BaseURL == "" && env.APIKey == "" {
			return nil
		}
		if _, err := m.Create(ctx, env.connection()); err != nil {
			return fmt.Errorf("create connection from OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL: %w", err)
		}
		created = true
		return nil
	})
	return created, err
}

func (m *Module) ensureDemo(ctx context.Context, q *connectiondb.Queries) error {
	n, err := q.CountConnections(ctx, Demo)
	if err != nil {
		return fmt.Errorf("look for demo model: %w", err)
	}
	if n > 0 {
		return nil
	}
	others, err := q.CountConnections(ctx, OpenAICompatible)
	if err != nil {
		return fmt.Errorf("count connections: %w", err)
	}
	made, err := m.insert(ctx, connectiondb.AiConnection{
		ID: store.NewID(), Name: demo.Label, Kind: Demo, DefaultModel: demo.Assistant, AvailableModels: []string{},
		ModelFamily: "generic", Enabled: true, IsDefault: others == 0, HeaderNames: []string{}, Streaming: automatic, TextCalls: automatic,
	})
	if err != nil {
		return err
	}
	return m.record(ctx, audit.Created, made, "Demo model made at the first start", nil)
}

func (e Environment) connection() NewConnection {
	n := NewConnection{Name: "OpenAI", BaseURL: openAIBaseURL, APIKey: e.APIKey, DefaultModel: openAIModel, IsDefault: true}
	if e.BaseURL != "" {
		n.BaseURL = e.BaseURL
		if u, err := url.Parse(e.BaseURL); err == nil && u.Host != "" && !sameServer(e.BaseURL, openAIBaseURL) {
			n.Name = u.Host
		}
	}
	if e.Model != "" {
		n.DefaultModel = e.Model
	}
	return n
}
