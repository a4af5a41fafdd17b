package sdk_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/script/sdk"
)

func TestEveryContextIsDescribed(t *testing.T) {
	t.Parallel()
	for _, c := range sdk.Contexts() {
		d, err := sdk.Describe(c)
		require.NoError(t, err)
		require.Equal(t, c, d.Context)
		require.False(t, d.AllowsManagedPackages)
		require.NotEmpty(t, d.StarterExample)
		if d.Language == sdk.TypeScript {
			require.Contains(t, d.Declarations, `declare module "`+d.SDKModule+`"`)
			require.Equal(t, c != sdk.CustomTool, strings.Contains(d.Declarations, "declare function fetch("), "tools have no network")
			if d.Helper != "" {
				require.Contains(t, d.Declarations, "function "+d.Helper+"(")
				require.Contains(t, d.StarterExample, "import { "+d.Helper+` } from "`+d.SDKModule+`"`)
			}
			require.Empty(t, d.ShellEnv)
			continue
		}
		require.Empty(t, d.SDKModule)
		require.NotEmpty(t, d.ShellEnv)
		for _, v := range d.ShellEnv {
			require.NotEmpty(t, v.Description)
			require.Contains(t, d.Declarations, v.Name)
		}
	}
	_, err := sdk.Describe("kitchen")
	require.True(t, problem.Is(err, problem.Invalid))
	require.Contains(t, problem.As(err).Issues[0].Message, "healthcheck-shell")
}

func healthCheckContext() sdk.HealthCheckContext {
	return sdk.HealthCheckContext{
		Config: map[string]any{"url": "https://example.com"},
		Check:  sdk.Check{ID: "c1", Name: "Front page", IntervalSeconds: 60}, System: sdk.System{ID: "s1", Name: "Shop"},
		Environment: &sdk.Environment{ID: "e1", Name: "Production", Fields: map[string]any{
			"baseUrl": "https://shop.example.com", "retries": 3.0, "HTTPPort2Use": 8080.0, "tags": []any{"a", 2.0, true, map[string]any{"b": nil}},
			"geo": map[string]any{"zone-id": "eu"}, "id": "other", "base_url": "second", "***": 1.0, "none": nil,
		}},
	}
}

func TestAHealthCheckOfShellGetsItsVariables(t *testing.T) {
	t.Parallel()
	e := healthCheckContext().Environ()
	require.Equal(t, map[string]string{
		"COUNTERSIGN_CHECK_ID": "c1", "COUNTERSIGN_CHECK_NAME": "Front page", "COUNTERSIGN_CHECK_INTERVAL_SECONDS": "60",
		"COUNTERSIGN_SYSTEM_ID": "s1", "COUNTERSIGN_SYSTEM_NAME": "Shop", "COUNTERSIGN_ENV_ID": "e1", "COUNTERSIGN_ENV_NAME": "Production",
		"COUNTERSIGN_ENV_BASE_URL": "https://shop.example.com", "COUNTERSIGN_ENV_RETRIES": "3", "COUNTERSIGN_ENV_HTTP_PORT2_USE": "8080",
		"COUNTERSIGN_ENV_TAGS": "a\n2\ntrue\n{\"b\":null}", "COUNTERSIGN_ENV_GEO_ZONE_ID": "eu",
	}, e.Variables)
	require.Len(t, e.Warnings, 3)
	require.Contains(t, strings.Join(e.Warnings, "\n"), "COUNTERSIGN_ENV_BASE_URL is set already")
	require.Contains(t, strings.Join(e.Warnings, "\n"), "COUNTERSIGN_ENV_ID is set already")
	require.Contains(t, strings.Join(e.Warnings, "\n"), `"***"`)

	c := healthCheckContext()
	c.Environment = nil
	require.Len(t, c.Environ().Variables, 5)
}

func automationContext() sdk.AutomationContext {
	return sdk.AutomationContext{
		Trigger: sdk.Trigger{Event: "incident.created", Payload: map[string]any{
			"incident": map[string]any{"id": "i1", "systemIds": []any{"a", "b"}}, "severe": true, "count": 12345678901.0, "rate": 0.25,
		}},
		Artifacts: map[string]any{"shell_result": map[string]any{"exitCode": 0.0}, "note": "plain"},
		Var:       map[string]any{"owner": "platform"}, Repeat: &sdk.Repeat{Index: 0, Item: map[string]any{"name": "first"}},
		Automation: sdk.Automation{RunID: "r1", AutomationID: "a1"},
	}
}

func TestAnActionOfShellGetsItsVariables(t *testing.T) {
	t.Parallel()
	c := automationContext()
	e := c.Environ()
	require.Empty(t, e.Warnings)
	require.Equal(t, map[string]string{
		"COUNTERSIGN_TRIGGER_EVENT": "incident.created", "COUNTERSIGN_TRIGGER_PAYLOAD_INCIDENT_ID": "i1",
		"COUNTERSIGN_TRIGGER_PAYLOAD_INCIDENT_SYSTEMIDS": "a\nb", "COUNTERSIGN_TRIGGER_PAYLOAD_SEVERE": "true",
		"COUNTERSIGN_TRIGGER_PAYLOAD_COUNT": "12345678901", "COUNTERSIGN_TRIGGER_PAYLOAD_RATE": "0.25",
		"COUNTERSIGN_ARTIFACT_SHELL_RESULT_EXITCODE": "0", "COUNTERSIGN_ARTIFACT_NOTE": "plain", "COUNTERSIGN_VAR_OWNER": "platform",
		"COUNTERSIGN_REPEAT_INDEX": "0", "COUNTERSIGN_REPEAT_ITEM_NAME": "first",
		"COUNTERSIGN_RUN_ID": "r1", "COUNTERSIGN_AUTOMATION_ID": "a1", "COUNTERSIGN_CONTEXT_KEY": "",
	}, e.Variables)

	c.Repeat.Item = "plain"
	require.Equal(t, "plain", c.Environ().Variables["COUNTERSIGN_REPEAT_ITEM"])
	c.Repeat = nil
	require.NotContains(t, c.Environ().Variables, "COUNTERSIGN_REPEAT_INDEX")
}

func TestTheTableOfVariablesIsWhatTheRunnerSets(t *testing.T) {
	t.Parallel()
	part := regexp.MustCompile(`_?<[A-Z]+>`)
	for c, variables := range map[sdk.Context]map[string]string{
		sdk.HealthCheckShell: healthCheckContext().Environ().Variables, sdk.ActionShell: automationContext().Environ().Variables,
	} {
		unused := map[string]bool{}
		var patterns []*regexp.Regexp
		for _, row := range c.Variables() {
			unused[row.Name] = true
			patterns = append(patterns, regexp.MustCompile("^"+part.ReplaceAllString(row.Name, "(_[A-Z0-9_]+)?")+"$"))
		}
		for name := range variables {
			known := false
			for i, row := range c.Variables() {
				if patterns[i].MatchString(name) {
					known = true
					delete(unused, row.Name)
				}
			}
			require.True(t, known, "%s is in no table", name)
		}
		require.Empty(t, unused, "%s", c)
	}
	for name := range variablesOf(sdk.HealthCheckShell.Starter()) {
		require.Regexp(t, "^COUNTERSIGN_(SYSTEM_NAME|ENV_BASE_URL)$", name)
	}
	for name := range variablesOf(sdk.ActionShell.Starter()) {
		require.Contains(t, automationContext().Environ().Variables, name)
	}
}

func variablesOf(script string) map[string]bool {
	names := map[string]bool{}
	for _, name := range regexp.MustCompile(`COUNTERSIGN_[A-Z_]+`).FindAllString(script, -1) {
		names[name] = true
	}
	return names
}

func TestAPayloadDoesNotTurnIntoEndlessVariables(t *testing.T) {
	t.Parallel()
	c := automationContext()
	deep := any("bottom")
	for range 100 {
		deep = map[string]any{"a": deep}
	}
	c.Trigger.Payload = map[string]any{"deep": deep, "long": strings.Repeat("x", 100_000), "nul": "a\x00b"}
	for i := range 5_000 {
		c.Var["v"+strings.Repeat("a", i%50)+string(rune('a'+i%26))+strings.Repeat("b", i/26)] = i
	}
	e := c.Environ()
	require.LessOrEqual(t, len(e.Variables), 2_000)
	require.NotEmpty(t, e.Warnings)
	require.LessOrEqual(t, len(e.Warnings), 20)
	for name, value := range e.Variables {
		require.NotContains(t, name, "DEEP")
		require.Less(t, len(value), 65_537)
		require.NotContains(t, value, "\x00")
	}
}

func TestWhatAHealthCheckReturnsIsRead(t *testing.T) {
	t.Parallel()
	value := 12.5
	for returned, want := range map[string]sdk.HealthCheckResult{
		`null`: {Success: true}, `true`: {Success: true}, `false`: {}, `12.5`: {Success: true, Value: &value},
		`{"success":false,"message":"down","value":12.5,"more":1}`: {Message: "down", Value: &value},
		`{"success":true,"message":null}`:                          {Success: true},
	} {
		got, err := sdk.ReadHealthCheckResult(json.RawMessage(returned))
		require.NoError(t, err)
		require.Equal(t, want, got, returned)
	}
	for returned, message := range map[string]string{
		`"up"`: "this one returned a string", `[]`: "an array", `{}`: "success of the health check's result must be a boolean, not nothing",
		`{"success":1}`: "not a number", `{"success":true,"value":"1"}`: "value", `{"success":true,"message":{}}`: "message", `{`: "not JSON", ``: "not JSON",
	} {
		_, err := sdk.ReadHealthCheckResult(json.RawMessage(returned))
		require.ErrorContains(t, err, message, returned)
	}
}

func TestAnActionNamesWhatItMade(t *testing.T) {
	t.Parallel()
	for returned, want := range map[string]string{
		`{"id":"a","externalId":"b"}`: "b", `{"id":"a"}`: "a", `{"id":12345678901}`: "12345678901", `{"externalId":"","id":"c"}`: "c",
		`{"id":true}`: "", `"a"`: "", `null`: "", `[1]`: "", `{`: "",
	} {
		require.Equal(t, want, sdk.ExternalID(json.RawMessage(returned)), returned)
	}
}

func TestAbsentMapsAreEmptyOnTheWire(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal(sdk.HealthCheckContext{Environment: &sdk.Environment{}})
	require.NoError(t, err)
	require.JSONEq(
		t,
		`{"config":{},"env":{},"check":{"id":"","name":"","intervalSeconds":0},"system":{"id":"","name":""},"environment":{"id":"","name":"","fields":{}}}`,
		string(data),
	)
	data, err = json.Marshal(sdk.AutomationContext{})
	require.NoError(t, err)
	require.JSONEq(
		t,
		`{"trigger":{"event":"","payload":{}},"artifacts":{},"var":{},"env":{},"automation":{"runId":"","automationId":"","contextKey":""}}`,
		string(data),
	)
}

func FuzzEnviron(f *testing.F) {
	f.Add([]byte(`{"a":{"b":[1,"x",null]},"A":2}`))
	f.Add([]byte(`{"ß":1,"":2,"a b":true}`))
	name := regexp.MustCompile(`^COUNTERSIGN_[A-Z0-9]+(_[A-Z0-9]+)*$`)
	f.Fuzz(func(t *testing.T, payload []byte) {
		var members map[string]any
		if json.Unmarshal(payload, &members) != nil {
			return
		}
		for _, e := range []sdk.Environ{
			sdk.AutomationContext{Trigger: sdk.Trigger{Payload: members}, Var: members}.Environ(),
			sdk.HealthCheckContext{Environment: &sdk.Environment{Fields: members}}.Environ(),
		} {
			for key := range e.Variables {
				require.Regexp(t, name, key)
			}
		}
	})
}

func FuzzReadHealthCheckResult(f *testing.F) {
	f.Add([]byte(`{"success":true,"value":1e400}`))
	f.Add([]byte(`1`))
	f.Fuzz(func(t *testing.T, returned []byte) {
		if result, err := sdk.ReadHealthCheckResult(returned); err == nil {
			_, err := json.Marshal(result)
			require.NoError(t, err)
		}
	})
}

// A result of a tool that is longer is cut for the model, at the default window.
func TestADescriptionIsShortEnoughForAModel(t *testing.T) {
	t.Parallel()
	for _, c := range sdk.Contexts() {
		d, err := sdk.Describe(c)
		require.NoError(t, err)
		if c == sdk.CustomTool {
			d = d.Brief() // with the declarations of the modules it is for editors
		}
		data, err := json.Marshal(d)
		require.NoError(t, err)
		require.Less(t, len(data), 12_000, c)
	}
}
