package app_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// encode is v as JSON, for comparisons that do not depend on the order of members.
func encode(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	return string(raw)
}
