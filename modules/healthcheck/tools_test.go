package healthcheck_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/modules/healthcheck"
	"countersign/tool"
)

func TestCapabilitiesAreListedAndReadWhole(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	list := read[struct {
		Context   string
		Truncated bool
		Entries   []struct {
			ID, DisplayName, Role, Category, Description string
			ConfigSummary                                []struct {
				Name, Type string
				Required   bool
			}
		}
	}](t, a, "healthcheck.listCapabilities", object{})
	require.Equal(t, "healthcheck", list.Context)
	require.False(t, list.Truncated)
	require.Len(t, list.Entries, 5)
	require.Equal(t, "strategy", list.Entries[0].Role)
	require.Equal(t, "host", list.Entries[0].ConfigSummary[0].Name)
	require.True(t, list.Entries[0].ConfigSummary[0].Required)
	require.Equal(t, "collector", list.Entries[1].Role)
	require.Equal(t, "Presses the bell. Without assertions it passes if answers is between [1,9].", list.Entries[3].Description)
	require.Contains(t, list.Entries[4].Description, " In assertions, say what the number of people has to be")

	schema := read[struct {
		Role               string
		ConfigSchema       json.RawMessage
		ResultSchema       struct{ Properties map[string]json.RawMessage }
		AssertionOperators map[string][]string
	}](t, a, "healthcheck.getCapabilitySchema", object{"kind": "test-door.knock"})
	require.Equal(t, "collector", schema.Role)
	require.Contains(t, schema.ResultSchema.Properties, "answers")
	require.Contains(t, schema.AssertionOperators["number"], "greaterThanOrEqual")
	require.Contains(t, string(schema.ConfigSchema), `"times"`)
	strategy := read[map[string]any](t, a, "healthcheck.getCapabilitySchema", object{"kind": "test-door.door"})
	require.NotContains(t, strategy, "resultSchema")
	require.NotContains(t, strategy, "assertionOperators")
	_, err := a.Tool(t, "healthcheck.getCapabilitySchema").Run(t.Context(), a.Caller("root"), json.RawMessage(`{"kind":"test-door.knok"}`))
	require.Contains(t, problem.As(err).Detail, "test-door.knock")
}

// A model that asks for fewer kinds than twelve gets summaries of their configs; without a wish it is told of every kind.
func TestCapabilitiesAreNarrowed(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	list := func(in object) (ids []string, total int) {
		found := read[struct {
			Total     int
			Truncated bool
			Entries   []struct {
				ID            string
				ConfigSummary []struct{ Name string }
			}
		}](t, a, "healthcheck.listCapabilities", in)
		require.False(t, found.Truncated)
		for _, e := range found.Entries {
			require.NotEmpty(t, e.ConfigSummary, e.ID)
			ids = append(ids, e.ID)
		}
		return ids, found.Total
	}
	for _, c := range []struct {
		in   object
		want []string
	}{
		{object{}, []string{"test-door.door", "test-door.knock", "test-door.listen", "test-door.ring", "test-door.count"}},
		{object{"query": "knocks ANSWERS"}, []string{"test-door.knock"}},
		{object{"query": "door"}, []string{"test-door.door", "test-door.knock", "test-door.listen", "test-door.ring", "test-door.count"}},
		{object{"strategy": "test-door.door", "query": "whose"}, []string{"test-door.listen"}},
		{object{"strategy": "test-window.window"}, nil},
	} {
		ids, total := list(c.in)
		require.Equal(t, c.want, ids, "%v", c.in)
		require.Equal(t, 5, total, "what is left out is not hidden")
	}
}

// The tool says the same as the operation, and stores nothing.
func TestAModelAsksWhetherAConfigurationIsValid(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	wrong := door("", "example.org", object{"config": object{"hots": "x"}, "collectors": []object{
		{
			"collectorId": "test-door.knock",
			"assertions":  []object{{"field": "anwsers", "operator": "greaterThan", "value": 0}, {"field": "answers", "operator": "isLarge"}},
		},
	}})
	right := door("", "example.org")
	for _, d := range []object{wrong, right} {
		delete(d, "name")
	}
	verdict := read[healthcheck.Verdict](t, a, "healthcheck.validateConfiguration", object{"configuration": wrong})
	require.False(t, verdict.Valid)
	paths := map[string]string{}
	for _, issue := range verdict.Errors {
		paths[issue.Path] = issue.Message
	}
	require.Contains(t, paths["config.hots"]+paths["config.host"]+paths["config"], "host")
	require.Contains(t, paths["collectors[0].assertions[0].field"], "answers")
	require.Contains(t, paths["collectors[0].assertions[1].operator"], "greaterThan")
	require.Equal(
		t,
		healthcheck.Verdict{Valid: true, Errors: []problem.Issue{}},
		read[healthcheck.Verdict](t, a, "healthcheck.validateConfiguration", object{"configuration": right}),
	)
	require.Zero(t, a.Count(t, `SELECT count(*) FROM health_checks`))
}

func read[T any](t testing.TB, a *app, name string, in object) (out T) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(a.Call(t, "root", name, in)), &out))
	return out
}

// What a proposal is refused for is what applying it would be refused for, with what would be right.
func TestAProposalIsRefusedLikeTheRequest(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.check(t, door("Taken", "x"))
	knock := func(config object, assertions ...object) object {
		return object{
			"collectors": []object{{"collectorId": "test-door.knock", "config": config, "assertions": append([]object{}, assertions...)}},
		}
	}
	for name, body := range map[string]object{
		"strategy":  {"strategyId": "test-door.dor"},
		"member":    {"config": object{"host": "x", "hots": "y"}},
		"type":      knock(object{"times": "three"}),
		"collector": {"collectors": []object{{"collectorId": "test-door.nock"}}},
		"field":     knock(object{}, object{"field": "answer", "operator": "equals", "value": 1}),
		"operator":  knock(object{}, object{"field": "answers", "operator": "eq", "value": 1}),
		"value":     knock(object{}, object{"field": "answers", "operator": "equals", "value": "one"}),
		"interval":  {"intervalSeconds": 86401},
		"missing":   {"config": object{}},
	} {
		in := door("New", "x", body)
		_, err := a.Propose(t, "root", "healthcheck.propose", in)
		require.True(t, problem.Is(err, problem.Invalid), "%s: %v", name, err)
		refused := a.Do(t, "root", http.MethodPost, checks, in).Refused(t, problem.Invalid)
		if name != "interval" { // a bound of the schema itself has the words of who reads the schema
			require.Equal(t, refused.Issues, problem.As(err).Issues, name)
		}
		delete(in, "name")
		verdict := decode[healthcheck.Verdict](t, a.validate(t, in, name == "interval"))
		require.False(t, verdict.Valid, name)
	}
	_, err := a.Propose(t, "root", "healthcheck.propose", door("taken", "x"))
	require.Contains(t, err.Error(), "taken")
	require.Zero(t, a.Count(t, `SELECT count(*) FROM health_checks WHERE name = 'New'`))
}

// validate asks what is wrong with a definition; what the API's own schema refuses is as good as an answer.
func (a *app) validate(t testing.TB, body object, bound bool) apitest.Answer {
	t.Helper()
	answer := a.Do(t, "root", http.MethodPost, "/api/healthcheck/validate", body)
	if bound {
		require.Equal(t, http.StatusUnprocessableEntity, answer.Status)
		answer.Status, answer.Body = http.StatusOK, `{"valid":false,"errors":[]}`
	}
	return answer
}

// A card says in words what is to be checked, what is sent where, and what differs.
func TestCardsSayWhatTheyDo(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.secret(t, "DOOR", "swordfish")
	shop := a.system(t, "Shop")
	p, err := a.Propose(
		t,
		"root",
		"healthcheck.propose",
		door("Front", "x", with("door.example", reference), object{"assignToSystemId": shop}),
	)
	require.NoError(t, err)
	require.Equal(t, "Create the health check Front: Door every minute, for the system Shop", p.Summary)
	require.Equal(t, []string{
		"It connects to door.example.",
		"It is given the secrets DOOR, which go where it connects to.",
		"Knock passes if answers is greater than 0.",
	}, p.Effects)
	require.NotContains(t, string(p.Payload), "swordfish")
	_, err = a.Apply(t, "root", "healthcheck.propose", p)
	require.NoError(t, err)
	c := decode[struct{ Checks []healthcheck.Check }](t, a.Do(t, "root", http.MethodGet, checks+"?name=front", nil)).Checks[0]
	require.Equal(t, 1, c.Systems)

	p, err = a.Propose(t, "root", "healthcheck.update", object{"id": c.ID, "intervalSeconds": 300, "config": object{"host": "other.example"}})
	require.NoError(t, err)
	require.Equal(t, tool.Destructive, p.Effect, "a password goes")
	var paths []string
	for _, change := range p.Diff {
		paths = append(paths, change.Path)
	}
	require.ElementsMatch(t, []string{"config.host", "config.password", "intervalSeconds"}, paths)
	_, err = a.Apply(t, "root", "healthcheck.update", p)
	require.NoError(t, err)
	_, err = a.Propose(t, "root", "healthcheck.update", object{"id": c.ID, "intervalSeconds": 300})
	require.ErrorContains(t, err, "Nothing would change")
	p, err = a.Propose(t, "root", "healthcheck.delete", object{"id": c.ID})
	require.NoError(t, err)
	require.Equal(t, "One system that you see is no longer checked by it.", p.Effects[0])
}

// A draft run shows everything, stores no result, and counts as a call of its tool.
func TestADraftRunsOnce(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.secret(t, "DOOR", "swordfish")
	shop := a.system(t, "Shop")
	draft := func(host string, more object) object {
		configuration := door("", host, with(host, reference))
		delete(configuration, "name")
		configuration["collectors"].([]object)[0]["collectorId"] = "test-door.listen"
		body := object{"configuration": configuration}
		maps.Copy(body, more)
		return body
	}
	run := decode[healthcheck.DraftRun](
		t,
		a.Do(t, "root", http.MethodPost, "/api/healthcheck/draft-runs", draft("{{ system.name }}.example", object{"systemId": shop})),
	)
	require.Equal(t, "passed", run.Verdict)
	require.Len(t, run.Collectors, 1)
	require.JSONEq(t, `{"answers":1,"words":"come in, Shop","open":true}`, string(run.Collectors[0].Result))
	require.True(t, run.Collectors[0].Assertions[0].Held)
	require.JSONEq(t, `1`, string(run.Collectors[0].Assertions[0].Observed))
	run = decode[healthcheck.DraftRun](t, a.Do(t, "root", http.MethodPost, "/api/healthcheck/draft-runs", draft("closed", nil)))
	require.Equal(t, []string{"failed", "refused", "Nobody opens."}, []string{run.Verdict, run.Cause, run.Message})
	twice := draft("closed", nil)
	twice["configuration"].(object)["config"] = object{"host": "closed", "retries": 1, "retryDelayMs": 0}
	run = decode[healthcheck.DraftRun](t, a.Do(t, "root", http.MethodPost, "/api/healthcheck/draft-runs", twice))
	require.Equal(t, "Nobody opens. All 2 tries failed like that.", run.Message)
	require.Len(t, run.Earlier, 1)
	require.Equal(t, []string{"refused", "Nobody opens."}, []string{run.Earlier[0].Cause, run.Earlier[0].Message})
	run = decode[healthcheck.DraftRun](
		t,
		a.Do(t, "root", http.MethodPost, "/api/healthcheck/draft-runs", draft("{{ system.metadata.host }}", object{"systemId": shop})),
	)
	require.Equal(t, []string{"errored", "template-failed"}, []string{run.Verdict, run.Cause})
	require.Equal(t, 4, a.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE tool_name = 'healthcheck.testDraft' AND status = 'executed'`))
	require.Zero(t, a.Count(t, `SELECT count(*) FROM check_targets`))
	require.Zero(t, a.Count(t, `SELECT count(*) FROM held_places`))
	require.Zero(t, a.Count(t, `SELECT count(*) FROM vault_uses WHERE action = 'use'`), "a test uses no value")
	a.Do(t, "root", http.MethodPost, "/api/healthcheck/draft-runs", draft("x", object{"environmentId": shop})).Refused(t, problem.Invalid)
}
