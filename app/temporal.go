package app

import (
	"context"
	"path/filepath"
	"time"

	"countersign/app/config"
	"countersign/secret"
	"countersign/worker"
	"countersign/worker/payload"
)

func (a *App) keyset() (*secret.Keyset, error) {
	if a.config.Keyset != "" {
		return secret.Parse([]byte(a.config.Keyset))
	}
	keys, made, err := secret.EnsureFile(keysetFile(a.config))
	if made {
		a.log.Info("Keyset made; back it up, sealed secrets cannot be read without it", "file", keysetFile(a.config))
	}
	return keys, err
}

func keysetFile(c config.Config) string { return filepath.Join(c.Data, "keyset.json") }

// rereadKeyset reads the keyset again from where it was read; nil for one that came in a variable, which cannot change.
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

// dialTemporal connects to Temporal, once it is sure that this process can read what others have left there.
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
	return a.reachTemporal(ctx, options)
}

// reachTemporal connects, or goes on without while Temporal is away: messages are taken and kept, and their turns begin later. One that
// is there and refuses this process is an error, which nobody would look for otherwise.
func (a *App) reachTemporal(ctx context.Context, options worker.ClientOptions) error {
	within, cancel := context.WithTimeout(ctx, temporalPatience)
	defer cancel()
	var err error
	if a.temporal, err = worker.Dial(within, options); err == nil {
		err = a.greetTemporal(ctx)
	}
	if !worker.Unavailable(err) || ctx.Err() != nil {
		a.reached.Store(err == nil)
		return err
	}
	a.log.Warn(
		"Temporal is away. This process starts without; messages and decisions are kept, and carried out once it is back",
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

// slowQuery is from which length on statements are traced; zero while nothing is.
func (a *App) slowQuery() time.Duration {
	if !a.telemetry.On() {
		return 0
	}
	return a.config.TraceSlowQuery
}

// closeTelemetry sends the last spans.
func (a *App) closeTelemetry() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := a.telemetry.Close(ctx); err != nil {
		a.log.Warn("The last spans were not sent", "error", err)
	}
}
