package app

import (
	"context"
	"path/filepath"
	"time"

	"countersign/app/config"
	"countersign/internal/secret"
	"countersign/worker"
	"countersign/worker/payload"
)

func (a *App) keyset() (*secret.Keyset, error) {
	if a.config.Keyset != "" {
		return secret.Parse([]byte(a.config.Keyset))
	}
	keys, made, err := secret.EnsureFile(keysetFile(a.config))
	if made {
		a.log.Info("Keyset created: back it up, encrypted secrets cannot be read without it", "file", keysetFile(a.config))
	}
	return keys, err
}

func keysetFile(c config.Config) string { return filepath.Join(c.Data, "keyset.json") }

// rereadKeyset re-reads the keyset file; nil for a keyset from a variable, which cannot change.
func (a *App) rereadKeyset() func() (*secret.Keyset, error) {
	path := keysetFile(a.config)
	if a.config.Keyset != "" {
		path = a.config.KeysetFile
	}
	if path == "" {
		return nil
	}
	return func() (*secret.Keyset, error) { return secret.Load(path) }
}

// dialTemporal connects to Temporal, after checking that this process can decrypt existing payloads.
func (a *App) dialTemporal(ctx context.Context, p *parts) error {
	p.codec = payload.Codec{Keys: payload.NewKeys(p.keys, a.rereadKeyset()), Encrypt: a.config.TemporalEncryption}
	if err := p.codec.Verify(ctx, a.db); err != nil {
		return err
	}
	options := worker.ClientOptions{
		Address: a.config.TemporalAddress, Namespace: a.config.TemporalNamespace, Log: a.log, APIKey: a.config.TemporalAPIKey, Codec: &p.codec,
	}
	if a.config.TemporalTLS {
		options.TLS = &worker.TLS{
			ServerName: a.config.TemporalServerName, CA: a.config.TemporalCA, Cert: a.config.TemporalCert, Key: a.config.TemporalKey,
		}
	}
	options.Tracer = a.telemetry.Tracer()
	if a.roles.Probe {
		var err error
		a.temporal, err = worker.DialLazy(options)
		return err
	}
	return a.reachTemporal(ctx, options)
}

// reachTemporal connects, or continues in degraded mode during an outage of Temporal: messages are accepted and stored,
// and their turns start later. A refusal of this process is an error, which would go unnoticed otherwise.
func (a *App) reachTemporal(ctx context.Context, options worker.ClientOptions) error {
	within, cancel := context.WithTimeout(ctx, temporalTimeout)
	defer cancel()
	var err error
	if a.temporal, err = worker.Dial(within, options); err == nil {
		err = a.checkTemporal(ctx)
	}
	if !worker.Unavailable(err) || ctx.Err() != nil {
		a.reached.Store(err == nil)
		return err
	}
	a.log.Warn(
		"Temporal unreachable: starting in degraded mode; messages and decisions are stored until it is back",
		"address",
		options.Address,
		"error",
		err,
	)
	if a.temporal == nil {
		a.temporal, err = worker.DialLazy(options)
		return err
	}
	return nil
}

// slowQuery is the minimum duration of traced statements; zero without tracing.
func (a *App) slowQuery() time.Duration {
	if !a.telemetry.On() {
		return 0
	}
	return a.config.TraceSlowQuery
}

// closeTelemetry flushes the last spans.
func (a *App) closeTelemetry() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := a.telemetry.Close(ctx); err != nil {
		a.log.Warn("Last spans not sent", "error", err)
	}
}
