package apitest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/automation/action"
	"countersign/internal/json/schema"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/text/strictjson"
)

// Acting is a call of an action in a test.
type Acting struct {
	Config any
	// Sees are further rules, with which the application sees the records that the config names.
	Sees []string
	// Effects counts the effects so far; a call makes one more. nil is for an action without any here.
	Effects func() int
}

// application is the credential of the application that acts in ConformActions.
const application = "application"

// ConformActions checks what every action keeps: an application with exactly its rules can use it, a rule that is missing is
// named, a dry run changes nothing, the same key has one effect and one result, another key has another, and its artifacts
// fit their schemas. cases makes the call of each action of the module by id; a call may use what earlier ones have made.
func (s *Server) ConformActions(t *testing.T, actions []action.Action, cases map[string]func() Acting) {
	t.Helper()
	var set action.Set
	require.NoError(t, set.Add("the module", actions...))
	ids := make([]string, len(actions))
	for i, a := range actions {
		ids[i] = a.ID
	}
	for id := range cases {
		require.Contains(t, ids, id, "a case for no action")
	}
	for _, a := range actions {
		makeCase := cases[a.ID]
		require.NotNil(t, makeCase, "%s has no case", a.ID)
		s.conformAction(t, a, makeCase())
	}
}

func (s *Server) conformAction(t *testing.T, a action.Action, c Acting) {
	t.Helper()
	effects := c.Effects
	if effects == nil {
		effects = func() int { return 0 }
	}
	rules := slices.Concat(a.Rules, c.Sees)
	for _, missing := range a.Rules {
		s.signInApplication(slices.DeleteFunc(slices.Clone(rules), func(r string) bool { return r == missing })...)
		before := effects()
		_, err := a.Do(t.Context(), s.Acting(t, uuid.NewString(), c.Config))
		require.True(t, problem.Is(err, problem.Forbidden), "%s without %s: %v", a.ID, missing, err)
		require.Contains(t, problem.As(err).MissingRules, missing, a.ID)
		require.Equal(t, before, effects(), a.ID)
	}
	s.signInApplication(rules...)
	before := effects()
	preview, err := a.DryRun(t.Context(), s.Acting(t, uuid.NewString(), c.Config))
	require.NoError(t, err, a.ID)
	require.NotEmpty(t, preview.Summary, a.ID)
	require.Equal(t, before, effects(), "%s: a dry run changes nothing", a.ID)
	_, err = a.Do(t.Context(), s.Acting(t, uuid.NewString(), map[string]any{"nothing": true}))
	require.True(t, problem.Is(err, problem.Invalid), "%s with a foreign member: %v", a.ID, err)

	call := s.Acting(t, uuid.NewString(), c.Config)
	first, err := a.Do(t.Context(), call)
	require.NoError(t, err, a.ID)
	again, err := a.Do(t.Context(), call)
	require.NoError(t, err, a.ID)
	require.Equal(t, first, again, "%s: the result of the same key", a.ID)
	if c.Effects != nil {
		require.Equal(t, before+1, effects(), "%s: the same key has one effect", a.ID)
	}
	require.NotEmpty(t, first.Summary, a.ID)
	require.True(t, json.Valid(first.Output), a.ID)
	require.Len(t, first.Artifacts, len(a.Produces), a.ID)
	for _, produced := range a.Produces {
		requireFits(t, produced.Schema, first.Artifacts[produced.ID])
	}
}

func requireFits(t *testing.T, described, value json.RawMessage) {
	t.Helper()
	document, err := schema.Parse(described)
	require.NoError(t, err)
	var tree any
	require.NoError(t, strictjson.DecodeNumbers(value, &tree), "%s", value)
	require.Empty(t, document.Check(tree), "%s", value)
}

// signInApplication signs an application in with exactly these rules. It stays the same application.
func (s *Server) signInApplication(rules ...string) {
	id := s.Principal(application).ID
	if id == uuid.Nil {
		id = uuid.New()
	}
	s.SignIn(application, principal.Principal{Kind: principal.Application, ID: id, Name: "Robot", Rules: rules})
}

// Acting is a call of an action by the application that ConformActions signs in.
func (s *Server) Acting(t testing.TB, key string, config any) action.Call {
	t.Helper()
	return action.Call{
		Caller: s.Caller(application), Config: raw(t, config), Key: key, Run: uuid.UUID{1}, Automation: uuid.UUID{2}, Revision: 1, Step: "s1",
		Scope: map[string]json.RawMessage{
			"trigger": json.RawMessage(`{"event":"automation.manual","payload":{}}`), "artifacts": json.RawMessage(`{}`),
			"var": json.RawMessage(`{}`), "automation": json.RawMessage(`{"name":"Test"}`),
		},
	}
}

// Act calls an action as an application with these rules, and returns its result.
func (s *Server) Act(ctx context.Context, t testing.TB, a action.Action, key string, config any, rules ...string) (action.Result, error) {
	t.Helper()
	s.signInApplication(rules...)
	require.NotContains(t, key, " ", strings.TrimSpace(key))
	return a.Do(ctx, s.Acting(t, key, config))
}
