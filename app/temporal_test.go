package app_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/app/config"
	"countersign/worker"
)

func TestTemporalIsReachedOverTLSWithAnAPIKey(t *testing.T) {
	t.Parallel()
	front := apptest.NewFront(t)
	env := front.Env()
	keyFile := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(keyFile, []byte(front.Key+"\n"), 0o600))
	delete(env, "TEMPORAL_API_KEY")
	env["TEMPORAL_API_KEY_FILE"] = keyFile
	p := apptest.Start(t, apptest.Options{Env: env})
	turn := p.Admin.Conversation(t, nil).Perform(t, `tool=ai.listDocs text="over TLS"`)
	require.Contains(t, turn.Text(), "over TLS")
	require.Positive(t, front.Served.Load())
	require.Zero(t, front.Refused.Load(), "every request has the key")
	require.NotContains(t, p.Log.String(), front.Key)
	for _, row := range p.Dump(t) {
		require.NotContains(t, row, front.Key)
	}
}

func TestAServerThatIsNotTheOneMeantIsNotTalkedTo(t *testing.T) {
	t.Parallel()
	front := apptest.NewFront(t)
	good := func() worker.ClientOptions {
		return worker.ClientOptions{
			Address: front.Address, Namespace: "default", Log: slog.New(slog.DiscardHandler), APIKey: front.Key,
			TLS: &worker.TLS{ServerName: front.ServerName, CA: front.CA, Cert: front.Cert, Key: front.PrivateKey},
		}
	}
	dial := func(change func(*worker.ClientOptions)) error {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		o := good()
		change(&o)
		c, err := worker.Dial(ctx, o)
		if err == nil {
			c.Close()
		}
		return err
	}
	require.NoError(t, dial(func(*worker.ClientOptions) {}))
	for name, change := range map[string]func(*worker.ClientOptions){
		"another name":      func(o *worker.ClientOptions) { o.TLS.ServerName = "other.example.test" },
		"an unknown CA":     func(o *worker.ClientOptions) { o.TLS.CA = "" },
		"no certificate":    func(o *worker.ClientOptions) { o.TLS.Cert, o.TLS.Key = "", "" },
		"another API key":   func(o *worker.ClientOptions) { o.APIKey = "tk-wrong-key-of-somebody" },
		"a CA that is none": func(o *worker.ClientOptions) { o.TLS.CA = front.PrivateKey },
		"a missing file":    func(o *worker.ClientOptions) { o.TLS.Cert = "/does/not/exist" },
		"a key without TLS": func(o *worker.ClientOptions) { o.TLS = nil },
	} {
		err := dial(change)
		require.ErrorContains(t, err, front.Address, name)
		require.NotContains(t, err.Error(), front.Key, name)
		require.NotContains(t, err.Error(), "tk-wrong", name)
	}
}

func TestSettingsOfTemporalThatDoNotFitAreErrors(t *testing.T) {
	t.Parallel()
	for variable, environ := range map[string][]string{
		"TEMPORAL_API_KEY":              {"TEMPORAL_API_KEY=tk-secret", "TEMPORAL_TLS=false"},
		"TEMPORAL_TLS is false":         {"TEMPORAL_TLS=false", "TEMPORAL_TLS_SERVER_NAME=x"},
		"TEMPORAL_TLS_CLIENT_CERT_PATH": {"TEMPORAL_TLS_CLIENT_CERT_PATH=cert.pem"},
		"TEMPORAL_TLS_CLIENT_KEY_PATH":  {"TEMPORAL_TLS=true", "TEMPORAL_TLS_CLIENT_KEY_PATH=key.pem"},
	} {
		_, err := config.Load(append(environ, "DATABASE_URL=postgres://u@h/d"))
		require.ErrorContains(t, err, variable)
		require.NotContains(t, err.Error(), "tk-secret")
	}
	c, err := config.Load([]string{"DATABASE_URL=postgres://u@h/d", "TEMPORAL_API_KEY=k"})
	require.NoError(t, err)
	require.True(t, c.TemporalTLS, "a key switches TLS on")
}
