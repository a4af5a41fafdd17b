package scrublog_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/secret/scrub/scrublog"
)

type login struct {
	User     string `json:"user"`
	Password string `json:"password"`
	Note     string `json:"-"`
}

type shown struct{ key string }

func (s shown) String() string { return "key " + s.key }

type valuer struct{ key string }

func (v valuer) LogValue() slog.Value {
	return slog.GroupValue(slog.String("apiKey", v.key), slog.Int("n", 1))
}

func TestNothingIsLoggedWithItsCredential(t *testing.T) {
	t.Parallel()
	key := "sk" + "-" + strings.Repeat("aB3", 12)
	for name, format := range map[string]func(*strings.Builder) slog.Handler{
		"json": func(b *strings.Builder) slog.Handler { return slog.NewJSONHandler(b, nil) },
		"text": func(b *strings.Builder) slog.Handler { return slog.NewTextHandler(b, nil) },
	} {
		for what, log := range map[string]func(*slog.Logger){
			"message":    func(l *slog.Logger) { l.Info("Used " + key) }, //nolint:sloglint // a message that is not constant is the point
			"string":     func(l *slog.Logger) { l.Info("m", "note", "it was "+key) },
			"key":        func(l *slog.Logger) { l.Info("m", "password", key[:5]+"!x") },
			"error":      func(l *slog.Logger) { l.Info("m", "error", fmt.Errorf("call: %w", errors.New("bad "+key))) },
			"group":      func(l *slog.Logger) { l.Info("m", slog.Group("g", slog.Group("h", "x", key))) },
			"open group": func(l *slog.Logger) { l.WithGroup("g").Info("m", "x", key) },
			"with":       func(l *slog.Logger) { l.With("x", key).Info("m") },
			"struct":     func(l *slog.Logger) { l.Info("m", "x", login{User: "ada", Password: key}) },
			"pointer":    func(l *slog.Logger) { l.Info("m", "x", &login{User: "ada", Password: key}) },
			"hidden":     func(l *slog.Logger) { l.Info("m", "x", login{Note: key}) },
			"map":        func(l *slog.Logger) { l.Info("m", "x", map[string]any{"a": []string{key}}) },
			"bytes":      func(l *slog.Logger) { l.Info("m", "x", []byte(key)) },
			"stringer":   func(l *slog.Logger) { l.Info("m", "x", shown{key}) },
			"valuer":     func(l *slog.Logger) { l.Info("m", "x", valuer{key}) },
		} {
			var b strings.Builder
			log(slog.New(scrublog.NewHandler(format(&b))))
			require.NotContains(t, b.String(), key, "%s as %s", what, name)
			require.NotContains(t, b.String(), key[:5]+"!x", "%s as %s", what, name)
			require.Contains(t, b.String(), "[REDACTED]", "%s as %s", what, name)
		}
	}
}

func TestOtherRecordsAreLoggedAsTheyAre(t *testing.T) {
	t.Parallel()
	var plain, scrubbed strings.Builder
	for b, wrap := range map[*strings.Builder]func(slog.Handler) slog.Handler{
		&plain: func(h slog.Handler) slog.Handler { return h }, &scrubbed: scrublog.NewHandler,
	} {
		drop := func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}
		l := slog.New(wrap(slog.NewJSONHandler(b, &slog.HandlerOptions{ReplaceAttr: drop})))
		l.With(
			"part",
			"api",
		).WithGroup(
			"g",
		).Info(
			"Turn done",
			"tokens",
			5,
			"x",
			map[string]int{"a": 1},
			"error",
			errors.New("no"),
			"nothing",
			nil,
			"ok",
			true,
		)
		l.Debug("Not shown")
	}
	require.Equal(t, plain.String(), scrubbed.String())
}
