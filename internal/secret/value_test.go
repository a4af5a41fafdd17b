package secret_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/secret"
)

func TestNothingPrintsAValue(t *testing.T) {
	t.Parallel()
	v := secret.NewValue("s3cr3t-canary")
	require.Equal(t, "s3cr3t-canary", v.Reveal())
	holder := struct {
		Name  string
		Value secret.Value
		Point *secret.Value
	}{"x", v, &v}
	all := map[string]secret.Value{"A": v}

	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T"} {
		_, _ = fmt.Fprintf(&out, verb+" "+verb+" "+verb+" "+verb+"\n", v, &v, holder, all)
	}
	for _, handler := range []slog.Handler{slog.NewJSONHandler(&out, nil), slog.NewTextHandler(&out, nil)} {
		slog.New(handler).Info("Values", "value", v, "pointer", &v, "holder", holder, "all", all)
	}
	for _, one := range []any{holder, all, map[secret.Value]secret.Value{v: v}} {
		data, err := json.Marshal(one)
		require.NoError(t, err)
		out.Write(data)
	}
	data, err := xml.Marshal(v)
	require.NoError(t, err)
	out.Write(data)
	_, _ = fmt.Fprintln(&out, fmt.Errorf("failed with %v", v), v)
	require.NotContains(t, out.String(), "s3cr3t")
	require.NotContains(t, out.String(), fmt.Sprintf("%x", "s3cr3t"))
	require.Contains(t, out.String(), "[secret]")
}

func TestResealingChangesOnlyWhatAnotherKeySealed(t *testing.T) {
	t.Parallel()
	old := newKeyset(t)
	sealed, err := old.Seal([]byte("value"), []byte("row"))
	require.NoError(t, err)
	require.True(t, old.Current(sealed))
	same, changed, err := old.Reseal(sealed, []byte("row"))
	require.NoError(t, err)
	require.False(t, changed)
	require.Equal(t, sealed, same)

	rotated, err := old.Rotate()
	require.NoError(t, err)
	require.False(t, rotated.Current(sealed))
	fresh, changed, err := rotated.Reseal(sealed, []byte("row"))
	require.NoError(t, err)
	require.True(t, changed)
	require.True(t, rotated.Current(fresh))
	opened, err := rotated.Open(fresh, []byte("row"))
	require.NoError(t, err)
	require.Equal(t, "value", string(opened))

	_, _, err = rotated.Reseal(sealed, []byte("another row"))
	require.Error(t, err)
	for _, broken := range [][]byte{nil, {1}, {1, 0, 0, 0, 0}} {
		require.False(t, rotated.Current(broken))
	}
}
