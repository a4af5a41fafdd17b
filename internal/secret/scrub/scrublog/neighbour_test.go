package scrublog_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/secret/scrub/scrublog"
)

type account struct {
	User     string
	password string
	Key      string
}

// What is redacted in one member must not hide that another one is a credential, too.
func TestAMemberIsRedactedBesideAnother(t *testing.T) {
	t.Parallel()
	key := "sk" + "-" + strings.Repeat("aB3", 12)
	for name, value := range map[string]any{
		"map":                map[string]string{"apiKey": key, "password": "hunter"},
		"map of anything":    map[string]any{"note": "it is " + key, "password": "hunter", "n": 1},
		"nested":             map[string]any{"a": map[string]string{"token": key}, "b": []any{map[string]string{"password": "hunter"}}},
		"private field":      account{User: "ada", password: "hunter", Key: key},
		"private fields":     []account{{User: "ada", password: "hunter", Key: key}},
		"private field only": account{User: "ada", password: "hunter"},
	} {
		for form, handler := range map[string]func(*strings.Builder) slog.Handler{
			"json": func(b *strings.Builder) slog.Handler { return slog.NewJSONHandler(b, nil) },
			"text": func(b *strings.Builder) slog.Handler { return slog.NewTextHandler(b, nil) },
		} {
			var b strings.Builder
			slog.New(scrublog.NewHandler(handler(&b))).Info("m", "x", value)
			require.NotContains(t, b.String(), key, "%s as %s", name, form)
			require.NotContains(t, b.String(), "hunter", "%s as %s", name, form)
		}
	}
}
