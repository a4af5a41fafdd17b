package demo_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/model/demo"
)

func TestParseScript(t *testing.T) {
	t.Parallel()
	delay := func(d time.Duration) *time.Duration { return &d }
	for message, want := range map[string]demo.Script{
		"script:":                          {Repeat: 1, Tokens: 8},
		"script: rounds=4":                 {Rounds: 4, Repeat: 1, Tokens: 8},
		"script: text=Hi":                  {Repeat: 1, Text: "Hi"},
		"script: text=\"a \\\"b\\\"\\nc\"": {Repeat: 1, Text: "a \"b\"\nc"},
		"script: repeat=3 text=\"a \"":     {Repeat: 1, Text: "a a a "},
		"script: tool=ai.listDocs":         {Rounds: 1, Repeat: 1, Tokens: 8, Calls: []demo.ScriptCall{{Tool: "ai_listDocs", Input: "{}"}}},
		"Hello\n  script: tool=a input={ \"x\": [1, 2] } tool=b calls=2\nand\nscript: rounds=3 tokens=0\n": {
			Rounds: 3, Repeat: 2, Calls: []demo.ScriptCall{{Tool: "a", Input: `{"x":[1,2]}`}, {Tool: "b", Input: "{}"}},
		},
		"script: r2.tool=a r2.input={} r2.text=\"two\"": {
			Rounds: 2, Repeat: 1, Tokens: 8,
			Override: map[int]demo.Round{2: {Calls: []demo.ScriptCall{{Tool: "a", Input: "{}"}}, Text: "two"}},
		},
		"script: delay_first=300ms delay_token=0s chunk=4 reasoning=2": {
			Repeat: 1, Tokens: 8, DelayFirst: delay(300 * time.Millisecond), DelayToken: delay(0), Chunk: 4, Reasoning: 2,
		},
		`script: ask="Which?" option=A option="B C"`: {Rounds: 1, Repeat: 1, Tokens: 8, Calls: []demo.ScriptCall{{
			Tool:  "ai_askOperator",
			Input: `{"options":[{"label":"A"},{"label":"B C"}],"question":"Which?"}`,
		}}},
		"script: never_ends":       {Repeat: 1, Tokens: 8, NeverEnds: true},
		"script: fault=never_ends": {Repeat: 1, Tokens: 8, NeverEnds: true},
		"script: fault=429 fault=500@2 fault=stall@3x2 fault=cut@* fault=html@*x* fault=503x4 retry_after=2s id=x": {
			Repeat: 1, Tokens: 8, RetryAfter: 2 * time.Second, Faults: []demo.Fault{
				{Kind: demo.FaultRateLimited, Round: 1, Times: 1},
				{Kind: demo.FaultServerError, Round: 2, Times: 1},
				{Kind: demo.FaultStall, Round: 3, Times: 2},
				{Kind: demo.FaultCut, Round: 0, Times: 1},
				{Kind: demo.FaultHTML, Round: 0, Times: 0},
				{Kind: demo.FaultUnavailable, Round: 1, Times: 4},
			},
		},
	} {
		script, found, err := demo.ParseScript(message)
		require.NoError(t, err, message)
		require.True(t, found, message)
		if want.Override == nil {
			want.Override = map[int]demo.Round{}
		}
		require.Equal(t, want, script, message)
	}
	_, found, err := demo.ParseScript("What does a script: line do?")
	require.NoError(t, err)
	require.False(t, found)
}

func TestParseScriptIsStrict(t *testing.T) {
	t.Parallel()
	for directives, want := range map[string]string{
		"round=1":                    `"round" is not a directive`,
		"option=A":                   "option has to follow the question",
		"tool=a option=A":            "option has to follow the question",
		"rounds":                     "rounds has to be a number",
		"rounds=-1":                  "rounds has to be a number",
		"rounds=1001":                "rounds has to be a number from 0 to 1000",
		"calls=0":                    "calls has to be at least 1",
		"text=a repeat=17":           "repeat has to be a number from 0 to 16",
		"tokens=many":                "tokens has to be a number",
		"delay_first=3":              "delay_first has to be a duration",
		"delay_token=-3s":            "delay_token has to be a duration",
		"delay_token=1h":             "delay_token has to be a duration up to 10m",
		"tool=":                      "tool has to be the name",
		"input={}":                   "input has to follow the tool",
		"tool=a input=[1]":           "input has to be a JSON object",
		"tool=a input={\"x\":}":      "the value of input is not valid JSON",
		"tool=a input={} r0.tool=b":  `"r0.tool" is not a directive`,
		"r1.txt=b":                   `"r1.txt" is not a directive`,
		"r1.input={}":                "input has to follow the tool",
		"text=\"a":                   "the value of text is not valid JSON",
		"text=\"a\"b":                "the value of text is followed by",
		"fault=teapot":               `"teapot" is not a fault`,
		"fault=429@0":                "the request of a fault has to be a number",
		"fault=429@1x0":              "the times of a fault have to be a number",
		"fault=429@1x":               "the times of a fault have to be a number",
		"never_ends=yes":             "never_ends takes no value",
		strings.Repeat("id=a ", 2e4): "longer than",
	} {
		_, found, err := demo.ParseScript("script: " + directives)
		require.True(t, found)
		require.ErrorContains(t, err, want, directives[:min(len(directives), 40)])
	}
}

func FuzzParseScript(f *testing.F) {
	for _, seed := range []string{
		`script: rounds=4 tool=ai_searchDocs input={"query":"systems"} tokens=20 text="a b" fault=429@1x2 fault=cut@*x*`,
		"script: r2.tool=a r2.input={\"a\":1} delay_first=3ms never_ends\nscript: id=1 calls=64",
		"script: =", "script: text=\"", "script: fault=xxx@x", "script: input={}{}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, message string) {
		script, found, err := demo.ParseScript(message)
		if !found {
			require.NoError(t, err)
			require.Zero(t, script)
			return
		}
		if err != nil {
			return
		}
		require.GreaterOrEqual(t, script.Rounds, 0)
		require.LessOrEqual(t, script.Rounds, 1000)
		require.Positive(t, script.Repeat)
		again, _, err := demo.ParseScript(message)
		require.NoError(t, err)
		require.Equal(t, script, again)
	})
}
