package assistant_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/chat/assistant"
	"countersign/principal"
	"countersign/tool"
)

// The whole truth about what becomes of a tool call of a person when nobody has set a policy.
func TestWhatBecomesOfACall(t *testing.T) {
	t.Parallel()
	const outside, removes = "content from outside", "removes something"
	for _, c := range []struct {
		effect  tool.Effect
		mode    assistant.Mode
		tainted bool
		want    assistant.Disposition
		why     string
	}{
		{tool.Read, assistant.Approve, false, assistant.Run, ""},
		{tool.Read, assistant.Approve, true, assistant.Run, ""},
		{tool.Read, assistant.Auto, false, assistant.Run, ""},
		{tool.Read, assistant.Auto, true, assistant.Run, ""},
		{tool.Mutate, assistant.Approve, false, assistant.Confirm, ""},
		{tool.Mutate, assistant.Approve, true, assistant.Confirm, ""},
		{tool.Mutate, assistant.Auto, false, assistant.Apply, ""},
		{tool.Mutate, assistant.Auto, true, assistant.Confirm, outside},
		{tool.Destructive, assistant.Approve, false, assistant.Confirm, ""},
		{tool.Destructive, assistant.Approve, true, assistant.Confirm, ""},
		{tool.Destructive, assistant.Auto, false, assistant.Confirm, removes},
		{tool.Destructive, assistant.Auto, true, assistant.Confirm, removes},
		// What nobody has declared is treated like the worst, and a mode that nobody knows like the strictest.
		{"", assistant.Auto, false, assistant.Confirm, removes},
		{"delete", assistant.Approve, false, assistant.Confirm, ""},
		{tool.Mutate, "", false, assistant.Confirm, ""},
		{tool.Mutate, "AUTO", false, assistant.Confirm, ""},
	} {
		decides(t, assistant.Call{
			Effect: c.effect, Principal: principal.User, Mode: c.mode, Tainted: c.tainted, Policy: assistant.DefaultPolicy,
		}, c.want, c.why)
	}
}

func decides(t *testing.T, c assistant.Call, want assistant.Disposition, why string) {
	t.Helper()
	got, said := assistant.Decide(c)
	require.Equal(t, want, got, "%+v", c)
	if why == "" {
		require.Empty(t, said, "%+v", c)
	} else {
		require.Contains(t, said, why, "%+v", c)
	}
}

func TestAPolicyOnlyEverTightens(t *testing.T) {
	t.Parallel()
	auto := assistant.Call{Effect: tool.Mutate, Principal: principal.User, Mode: assistant.Auto, Policy: assistant.DefaultPolicy}
	decides(t, auto, assistant.Apply, "")

	confirms := auto
	confirms.Policy.AlwaysConfirm = true
	decides(t, confirms, assistant.Confirm, "An administrator wants a decision")
	confirms.Policy.TwoPerson = true
	decides(t, confirms, assistant.Confirm, "A second person")
	confirms.Effect = tool.Destructive
	decides(t, confirms, assistant.Confirm, "A second person")
	confirms.Mode = assistant.Approve
	decides(t, confirms, assistant.Confirm, "")

	for _, effect := range []tool.Effect{tool.Read, tool.Mutate, tool.Destructive} {
		off := auto
		off.Effect, off.Policy.Enabled = effect, false
		decides(t, off, assistant.Refuse, "switched this tool off")
	}
}

func TestOnlyPeopleAndApplicationsUseTools(t *testing.T) {
	t.Parallel()
	for _, effect := range []tool.Effect{tool.Read, tool.Mutate, tool.Destructive} {
		for _, kind := range []principal.Kind{principal.Service, ""} {
			decides(t, assistant.Call{Effect: effect, Principal: kind, Mode: assistant.Auto, Policy: assistant.DefaultPolicy}, assistant.Refuse, "Only people and applications")
		}
	}
	c := assistant.Call{Effect: tool.Mutate, Principal: principal.Application, Mode: assistant.Auto, Policy: assistant.DefaultPolicy}
	decides(t, c, assistant.Confirm, "Only a person's own conversation")
	c.Effect = tool.Read
	decides(t, c, assistant.Run, "")
}

func FuzzNothingButAReadRunsByItself(f *testing.F) {
	f.Add("read", "user", "auto", true, true, false, false)
	f.Add("destructive", "user", "auto", false, true, false, false)
	f.Add("mutate", "application", "approve", false, true, true, false)
	f.Add("mutate", "service", "auto", false, false, false, true)
	f.Fuzz(func(t *testing.T, effect, kind, mode string, tainted, enabled, alwaysConfirm, twoPerson bool) {
		got, why := assistant.Decide(assistant.Call{
			Effect: tool.Effect(effect), Principal: principal.Kind(kind), Mode: assistant.Mode(mode), Tainted: tainted,
			Policy: assistant.Policy{Enabled: enabled, AlwaysConfirm: alwaysConfirm, TwoPerson: twoPerson},
		})
		may := enabled && (kind == "user" || kind == "application")
		require.Equal(t, !may, got == assistant.Refuse)
		require.Equal(t, may && effect == "read", got == assistant.Run)
		require.Equal(t, may && effect == "mutate" && kind == "user" && mode == "auto" && !tainted && !alwaysConfirm && !twoPerson, got == assistant.Apply)
		require.True(t, got != assistant.Refuse || why != "")
	})
}

func TestASomebodyElsesSkillMakesAutoModeAsk(t *testing.T) {
	t.Parallel()
	c := assistant.Call{Effect: tool.Mutate, Principal: principal.User, Mode: assistant.Auto, Policy: assistant.DefaultPolicy, ForeignSkill: true}
	decides(t, c, assistant.Confirm, "written by somebody else")
	c.Effect = tool.Read
	decides(t, c, assistant.Run, "")
}
