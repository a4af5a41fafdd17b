package apitest

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/tool"
)

// Caller returns a tool caller that re-enters the API as the named user.
func (s *Server) Caller(name string) tool.Caller {
	return tool.Caller{Principal: s.Principal(name), Client: &tool.Client{Router: &s.router, Credential: name}}
}

// Tool returns a tool of the modules by its dotted name.
func (s *Server) Tool(t testing.TB, name string) tool.Tool {
	t.Helper()
	i := slices.IndexFunc(s.tools, func(t tool.Tool) bool { return t.Name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return s.tools[i]
}

// Call runs a reading tool as the named user and returns its result as JSON.
func (s *Server) Call(t testing.TB, as, name string, input any) string {
	t.Helper()
	result, err := s.Tool(t, name).Run(t.Context(), s.Caller(as), raw(t, input))
	require.NoError(t, err)
	return string(raw(t, result))
}

// Propose makes the dry run of a writing tool as the named user.
func (s *Server) Propose(t testing.TB, as, name string, input any) (tool.Proposed, error) {
	t.Helper()
	return s.Tool(t, name).DryRun(t.Context(), s.Caller(as), raw(t, input))
}

// Apply applies a proposed payload with its key and revision, twice to check idempotency. The result is JSON.
func (s *Server) Apply(t testing.TB, as, name string, p tool.Proposed) (string, error) {
	t.Helper()
	c := s.Caller(as)
	c.Client.IdempotencyKey, c.Client.IfMatch = "proposal-"+uuid.NewString(), p.Revision
	result, err := s.Tool(t, name).Run(t.Context(), c, p.Payload)
	if err != nil {
		return "", err
	}
	again, err := s.Tool(t, name).Run(t.Context(), c, p.Payload)
	require.NoError(t, err, "a repeat with the same key is the same call")
	require.JSONEq(t, string(raw(t, result)), string(raw(t, again)))
	return string(raw(t, result)), nil
}

func raw(t testing.TB, v any) json.RawMessage {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return data
}
