package typescript_test

import (
	_ "embed"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/sandbox"
	"countersign/sandbox/javascript"
	"countersign/script/sdk"
	"countersign/script/typescript"
)

// written are tools as authors write them: those that are accepted with what they answer and can reach, and those that are not.
//
//go:embed testdata/written.json
var written []byte

func TestToolsAsAuthorsWriteThem(t *testing.T) {
	t.Parallel()
	var all []struct {
		ID, Want, Source string
		Schema           json.RawMessage
		Args, Result     json.RawMessage
		Caps             *struct {
			SecretRefs        []string `json:"secret_refs"`
			DynamicSecretRefs bool     `json:"dynamic_secret_refs"`
		}
		Codes []string
		Line  *int
	}
	require.NoError(t, json.Unmarshal(written, &all))
	require.Len(t, all, 65)
	c := compiler(t, typescript.Options{Processes: 2, Timeout: patient().Timeout})
	e := engine(t)
	for _, s := range all {
		t.Run(s.ID, func(t *testing.T) {
			t.Parallel()
			compiled, err := c.CompileTool(t.Context(), typescript.ToolSource{ID: s.ID, Source: s.Source, ArgsSchema: s.Schema})
			require.NoError(t, err, s.ID)
			require.Equal(t, s.Want == "accepted", !compiled.Errors(), "%s: %+v", s.ID, compiled.Diagnostics)
			if len(s.Codes) > 0 {
				oneOf := func(code string) bool { return slices.Contains(codes(compiled), code) }
				require.True(t, slices.ContainsFunc(s.Codes, oneOf), "%s: %+v", s.ID, compiled.Diagnostics)
			}
			if s.Line != nil && compiled.Errors() {
				at := func(d typescript.ToolDiagnostic) bool { return d.Severity == typescript.Error && d.Line == *s.Line }
				require.True(t, slices.ContainsFunc(compiled.Diagnostics, at), "%s: %+v", s.ID, compiled.Diagnostics)
			}
			if s.Caps != nil {
				require.Equal(t, s.Caps.SecretRefs, compiled.Capabilities.SecretRefs, s.ID)
				require.Equal(t, s.Caps.DynamicSecretRefs, compiled.Capabilities.DynamicSecretRefs, s.ID)
			}
			if string(s.Result) == "null" || len(s.Result) == 0 {
				return
			}
			require.JSONEq(t, `{"result":`+string(s.Result)+`}`, called(t, e, compiled, s.Args), s.ID)
		})
	}
}

// called is what the sandbox answers to a call of a tool.
func called(t *testing.T, e *javascript.Engine, compiled typescript.CompiledTool, args json.RawMessage) string {
	t.Helper()
	input, err := json.Marshal(sdk.ToolInput{Args: args, Action: "default"})
	require.NoError(t, err)
	o, err := e.Run(t.Context(), sandbox.Job{Source: compiled.JS, Input: input, Limits: sandbox.Limits{Timeout: time.Minute}})
	require.NoError(t, err)
	require.Equal(t, sandbox.OK, o.Kind, "%+v", o.Failure)
	return string(o.Result)
}

// Members of the global object are the globals, and typeof of an unknown name is "undefined".
func TestWhatIsAcceptedOfElsewhereWorks(t *testing.T) {
	t.Parallel()
	c := compiler(t, typescript.Options{Processes: 1, Timeout: patient().Timeout})
	e := engine(t)
	for statement, want := range map[string]string{
		`return globalThis.crypto.randomUUID().length;`:                                                                    `36`,
		`globalThis.console.log(1); return new globalThis.URL("https://a.example/b").pathname;`:                            `"/b"`,
		`const { TextEncoder, btoa } = globalThis; return [new TextEncoder().encode("ä").length, btoa("hi")];`:             `[2,"aGk="]`,
		`return [globalThis.URL, globalThis.crypto, globalThis.console].every((x, i) => x === [URL, crypto, console][i]);`: `true`,
		`return typeof process === "undefined" ? "sandbox" : "node";`:                                                      `"sandbox"`,
		`return [typeof Buffer, typeof Intl, typeof document, typeof notKnownAnywhere].join();`:                            `"undefined,undefined,undefined,undefined"`,
		`return new globalThis.DOMException("m", "AbortError") instanceof DOMException;`:                                   `true`,
		`class Bus extends EventTarget {} const b = new Bus(); let n = 0; ` +
			`b.addEventListener("x", () => n++); b.dispatchEvent(new Event("x")); return n;`: `1`,
	} {
		compiled := compileTool(t, c, tool(statement))
		require.Empty(t, compiled.Diagnostics, statement)
		require.JSONEq(t, `{"result":`+want+`}`, called(t, e, compiled, json.RawMessage(`{}`)), statement)
	}
}
