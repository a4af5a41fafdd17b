package app

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"countersign/app/config"
	"countersign/audit"
	"countersign/internal/secret"
	"countersign/internal/store"
)

// chainKey names the key of the audit hash chain. Another name would derive another key.
const chainKey = "audit chain"

// assumeRole drops the privileges that only migrations need.
func (a *App) assumeRole(ctx context.Context) error {
	if a.config.DatabaseRole == "" {
		return nil
	}
	refusal, err := a.db.AssumeRole(ctx, a.config.DatabaseRole)
	if err != nil {
		return err
	}
	if refusal != "" {
		a.log.Warn("Database role not used: this process could change the audit log", "role", a.config.DatabaseRole, "because", refusal)
	}
	return nil
}

// newToolCalls is the counter of tool calls.
func newToolCalls() *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "countersign", Name: "tool_calls_total",
		Help: "Tool calls that have ended, and decisions about proposed ones. Each is counted by one worker of the installation.",
	}, []string{"transport", "effect", "status"})
}

// callCounter counts tool calls for /metrics.
type callCounter struct{ calls *prometheus.CounterVec }

// Name implements audit.Subscriber.
func (callCounter) Name() string { return "metrics" }

// Handle implements audit.Subscriber.
func (c callCounter) Handle(_ context.Context, events []audit.ToolCalled) error {
	for _, e := range events {
		c.calls.WithLabelValues(e.Transport, e.Effect, e.Status).Add(float64(e.Count))
	}
	return nil
}

// openInstallation opens the keys and the database of the installation for a command; the caller closes the database.
func openInstallation(ctx context.Context, c config.Config, conns int32) (*secret.Keyset, *store.DB, error) {
	keys, err := existingKeyset(c)
	if err != nil {
		return nil, nil, err
	}
	db, err := store.Open(ctx, c.DatabaseURL, store.Options{MaxConns: conns})
	return keys, db, err
}

// existingKeyset reads the keyset without creating one: verification with a new one would report every entry as broken.
func existingKeyset(c config.Config) (*secret.Keyset, error) {
	if c.Keyset != "" {
		return secret.Parse([]byte(c.Keyset))
	}
	return secret.Load(keysetFile(c))
}
