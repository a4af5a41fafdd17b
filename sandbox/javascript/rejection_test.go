package javascript_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/sandbox"
)

func TestARejectionThatNobodyHandlesIsOnTheErrorLog(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		source string
		lines  []string
	}{
		"forgotten":        {`export default () => { Promise.reject(new TypeError("lost")); return 1 }`, []string{"Unhandled rejection: TypeError: lost"}},
		"in a function":    {`const f = async () => { throw "text" }; export default () => { f(); return 1 }`, []string{"Unhandled rejection: text"}},
		"later":            {`export default async () => { setTimeout(async () => { throw 7 }, 1); await new Promise((r) => setTimeout(r, 5)); return 1 }`, []string{"Unhandled rejection: 7"}},
		"a chain":          {`export default async () => { Promise.reject(1).then(() => {}); await null; await null; return 1 }`, []string{"Unhandled rejection: 1"}},
		"two":              {`export default async () => { Promise.reject(1); Promise.reject(2); return 1 }`, []string{"Unhandled rejection: 1", "Unhandled rejection: 2"}},
		"a strange reason": {`export default () => { Promise.reject({ get a() { throw 1 } }); return 1 }`, []string{"Unhandled rejection: [object]"}},
		"caught":           {`export default async () => { try { await Promise.reject(1) } catch {} return 1 }`, nil},
		"caught a bit later": {
			`export default async () => { const p = Promise.reject(1); await null; await p.catch(() => {}); return 1 }`, nil,
		},
		"all settled": {`export default async () => { await Promise.allSettled([Promise.reject(1), Promise.reject(2)]); return 1 }`, nil},
		"a race":      {`export default async () => { await Promise.race([1, Promise.reject(2)]); return 1 }`, nil},
	} {
		o := run(t, sandbox.Job{Source: c.source})
		require.Equal(t, sandbox.OK, o.Kind, "%s: %+v", name, o.Failure)
		require.Equal(t, "1", string(o.Result), name)
		var lines []string
		for _, l := range o.Logs {
			require.Equal(t, "error", l.Level, name)
			line, _, _ := strings.Cut(l.Text, "\n")
			lines = append(lines, line)
		}
		require.Equal(t, c.lines, lines, name)
	}
	for _, source := range []string{`export default async () => { throw new Error("x") }`, `throw new Error("x"); export default 1`, `await Promise.reject(new Error("x")); export default 1`} {
		o := run(t, sandbox.Job{Source: source})
		require.Equal(t, sandbox.Failed, o.Kind)
		require.Empty(t, o.Logs, "the end of the run is no unhandled rejection: %s", source)
	}
}

func TestEndlessRejectionsAreBounded(t *testing.T) {
	t.Parallel()
	o := run(
		t,
		sandbox.Job{
			Source: `export default () => { for (let i = 0; i < 1e5; i++) Promise.reject(i); return 1 }`,
			Limits: sandbox.Limits{Memory: 4 << 20},
		},
	)
	require.Equal(t, sandbox.OK, o.Kind, "%+v", o.Failure)
	require.Len(t, o.Logs, 100)

	o = run(
		t,
		sandbox.Job{
			Source: `Promise.reject({ get a() { for (;;); } }); export default 1`,
			Limits: sandbox.Limits{Timeout: 100 * time.Millisecond},
		},
	)
	require.Equal(t, sandbox.Timeout, o.Kind)
}

func TestAFailureSaysWhatIsBelowIt(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`throw new Error("top", { cause: new TypeError("below") })`:                                                                        "top (cause: TypeError: below)",
		`throw new Error("top", { cause: "text" })`:                                                                                        "top (cause: text)",
		`throw new Error("top", { cause: undefined })`:                                                                                     "top",
		`throw new AggregateError([new Error("a"), new RangeError("b")], "all")`:                                                           "all (error: Error: a; error: RangeError: b)",
		`await Promise.any([Promise.reject(new Error("a"))])`:                                                                              "AggregateError (error: Error: a)",
		`const e = new Error("round"); e.cause = e; throw e`:                                                                               "round",
		`throw new Error("1", { cause: new Error("2", { cause: new Error("3", { cause: new Error("4", { cause: new Error("5") }) }) }) })`: "1 (cause: Error: 2; cause: Error: 3; cause: Error: 4)",
		`throw new AggregateError([1, 2, 3, 4, 5].map((n) => new Error(n)), "many")`:                                                       "many (error: Error: 1; error: Error: 2; error: Error: 3)",
		`throw new Error("top", { cause: { get a() { throw 1 } } })`:                                                                       "top (cause: [object])",
		`const e = new Error("top"); Object.defineProperty(e, "cause", { get() { throw 1 } }); throw e`:                                    "top",
	} {
		o := run(t, sandbox.Job{Source: `export default async () => { ` + source + ` }`})
		require.Equal(t, sandbox.Failed, o.Kind, source)
		require.Equal(t, want, o.Failure.Message, source)
	}
	o := run(t, sandbox.Job{Source: `export default () => { throw new Error("top", { cause: new Error("x".repeat(1e5)) }) }`})
	require.Less(t, len(o.Failure.Message), 1_000)
	o = run(t, sandbox.Job{Source: `export default () => console.error(new Error("top", { cause: new TypeError("below") }))`})
	require.Contains(t, o.Stderr, "\n[cause]: TypeError: below")
}
