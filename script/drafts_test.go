package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/internal/problem"
	"countersign/script"
	"countersign/script/sdk"
)

// direct tests scripts without a queue.
type direct struct {
	runner *script.Runner
	err    error
}

func (d direct) Test(ctx context.Context, _ []sdk.Context, in script.TestInput) (script.TestOutput, error) {
	if d.err != nil {
		return script.TestOutput{}, d.err
	}
	return d.runner.Run(ctx, in)
}

func (direct) Network(context.Context) bool { return true }

func draftsUnder(t *testing.T, p script.Policy) script.Drafts {
	b := newBox(t)
	return script.NewDrafts(
		direct{runner: &script.Runner{Compiler: &b.compiler, JavaScript: b.javascript, Shell: b.shell, Policies: policies(p)}},
	)
}

// TestADraftOfACheckRunsAsTheCheckDoes compares how scripts end when somebody tries them out and when they are planned.
func TestADraftOfACheckRunsAsTheCheckDoes(t *testing.T) {
	t.Parallel()
	checks, drafts := newBox(t).under(generous()), draftsUnder(t, generous())
	for _, in := range []check.ScriptInput{
		inTypeScript(`return [context.config.url, context.env.TOKEN, context.check.name, context.environment?.fields.baseUrl].join(" ") === "/x t0 Orders https://shop.example.com";`),
		inTypeScript(`return { success: false, message: "no", value: 3 };`),
		inTypeScript(`throw new Error("the shop is closed");`),
		inTypeScript("const order: any = null;\nreturn order.id;"),
		inTypeScript(`return {;`),
		inTypeScript(`return { ok: 1 } as any;`),
		inTypeScript(`await new Promise(() => {});`),
		inTypeScript(`return (await fetch("https://shop.example.com/")).ok;`),
		inShell(`echo "$TOKEN $COUNTERSIGN_SYSTEM_NAME"; exit 3`),
		inShell(`curl -sf https://shop.example.com/`),
		inShell(`curl -sSf https://shop.example.com/`),
		inShell(`if then`),
	} {
		in.Scope, in.Config, in.Env = scope(), json.RawMessage(`{"url":"/x"}`), map[string]string{"TOKEN": "t0"}
		want, planned := checks.Run(t.Context(), in)
		got, tried := drafts.Run(t.Context(), in)
		var one, other *check.Failure
		require.Equal(t, errors.As(planned, &one), errors.As(tried, &other), in.Source)
		if one != nil {
			require.Equal(t, one.Cause, other.Cause, in.Source)
			require.Equal(t, one.Message, other.Message)
			continue
		}
		require.NoError(t, tried, in.Source)
		if want.Result != nil {
			require.JSONEq(t, string(want.Result), string(got.Result))
		}
		require.Equal(t, want.ExitCode, got.ExitCode, in.Source)
		require.Equal(t, want.Error == "", got.Error == "", in.Source)
		if want.Withheld == "" {
			require.Equal(t, want.Error, got.Error)
		}
		require.Equal(t, want.Stdout, got.Stdout)
	}
	forever := inTypeScript(`for (;;) {}`)
	forever.Timeout = 200 * time.Millisecond
	out, err := drafts.Run(t.Context(), forever)
	require.NoError(t, err)
	require.True(t, out.TimedOut)
}

func TestWhatKeepsADraftFromRunningSaysNothingAboutItsTarget(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err   error
		cause check.Cause
		words string
	}{
		{problem.Errorf(problem.Throttled, "You have 10 tests running already."), check.Overloaded, "You have 10 tests running already."},
		{problem.InvalidInput("No.", problem.Issue{Path: "env.COUNTERSIGN_X", Message: "is reserved"}), check.NotRunnable, "env.COUNTERSIGN_X is reserved"},
	} {
		_, err := script.NewDrafts(direct{err: c.err}).Run(t.Context(), inTypeScript("return true;"))
		failure, ok := errors.AsType[*check.Failure](err)
		require.True(t, ok)
		require.Equal(t, c.cause, failure.Cause)
		require.Contains(t, failure.Message, c.words)
	}
	down := generous()
	down.Downgraded = true
	out, err := draftsUnder(t, down).Run(t.Context(), inTypeScript(`return (await fetch("https://shop.example.com/")).ok;`))
	require.NoError(t, err)
	require.Contains(t, out.Withheld, "missing or cannot be used")
	out, err = draftsUnder(t, generous()).Run(t.Context(), inTypeScript(`return (await fetch("https://shop.example.com/")).ok;`))
	require.NoError(t, err)
	require.Contains(t, out.Withheld, "have no network")
}
