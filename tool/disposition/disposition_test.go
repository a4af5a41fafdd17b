package disposition_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/principal"
	"countersign/tool"
	"countersign/tool/disposition"
)

// The whole truth about what becomes of a tool call of a person when nobody has set a policy.
func TestWhatBecomesOfACall(t *testing.T) {
	t.Parallel()
	const outside, removes = "content from outside", "removes something"
	for _, c := range []struct {
		effect  tool.Effect
		mode    disposition.Mode
		tainted bool
		want    disposition.Disposition
		why     string
	}{
		{tool.Read, disposition.Approve, false, disposition.Run, ""},
		{tool.Read, disposition.Approve, true, disposition.Run, ""},
		{tool.Read, disposition.Auto, false, disposition.Run, ""},
		{tool.Read, disposition.Auto, true, disposition.Run, ""},
		{tool.Mutate, disposition.Approve, false, disposition.Confirm, ""},
		{tool.Mutate, disposition.Approve, true, disposition.Confirm, ""},
		{tool.Mutate, disposition.Auto, false, disposition.Apply, ""},
		{tool.Mutate, disposition.Auto, true, disposition.Confirm, outside},
		{tool.Destructive, disposition.Approve, false, disposition.Confirm, ""},
		{tool.Destructive, disposition.Approve, true, disposition.Confirm, ""},
		{tool.Destructive, disposition.Auto, false, disposition.Confirm, removes},
		{tool.Destructive, disposition.Auto, true, disposition.Confirm, removes},
		// What nobody has declared is treated like the worst, and a mode that nobody knows like the strictest.
		{"", disposition.Auto, false, disposition.Confirm, removes},
		{"delete", disposition.Approve, false, disposition.Confirm, ""},
		{tool.Mutate, "", false, disposition.Confirm, ""},
		{tool.Mutate, "AUTO", false, disposition.Confirm, ""},
	} {
		decides(t, disposition.Call{
			Effect: c.effect, Principal: principal.User, Mode: c.mode, Tainted: c.tainted, Policy: disposition.DefaultPolicy,
		}, c.want, c.why)
	}
}

func decides(t *testing.T, c disposition.Call, want disposition.Disposition, why string) {
	t.Helper()
	got, said := disposition.Decide(c)
	require.Equal(t, want, got, "%+v", c)
	if why == "" {
		require.Empty(t, said, "%+v", c)
	} else {
		require.Contains(t, said, why, "%+v", c)
	}
}

func TestAPolicyOnlyEverTightens(t *testing.T) {
	t.Parallel()
	auto := disposition.Call{Effect: tool.Mutate, Principal: principal.User, Mode: disposition.Auto, Policy: disposition.DefaultPolicy}
	decides(t, auto, disposition.Apply, "")

	confirms := auto
	confirms.Policy.AlwaysConfirm = true
	decides(t, confirms, disposition.Confirm, "An administrator wants a decision")
	confirms.Policy.TwoPerson = true
	decides(t, confirms, disposition.Confirm, "A second person")
	confirms.Effect = tool.Destructive
	decides(t, confirms, disposition.Confirm, "A second person")
	confirms.Mode = disposition.Approve
	decides(t, confirms, disposition.Confirm, "")

	for _, effect := range []tool.Effect{tool.Read, tool.Mutate, tool.Destructive} {
		off := auto
		off.Effect, off.Policy.Enabled = effect, false
		decides(t, off, disposition.Refuse, "switched this tool off")
	}
}

func TestOnlyPeopleAndApplicationsUseTools(t *testing.T) {
	t.Parallel()
	for _, effect := range []tool.Effect{tool.Read, tool.Mutate, tool.Destructive} {
		for _, kind := range []principal.Kind{principal.Service, ""} {
			decides(
				t,
				disposition.Call{Effect: effect, Principal: kind, Mode: disposition.Auto, Policy: disposition.DefaultPolicy},
				disposition.Refuse,
				"Only people and applications",
			)
		}
	}
	c := disposition.Call{Effect: tool.Mutate, Principal: principal.Application, Mode: disposition.Auto, Policy: disposition.DefaultPolicy}
	decides(t, c, disposition.Confirm, "Only a person's own conversation")
	c.Effect = tool.Read
	decides(t, c, disposition.Run, "")
}

// The whole truth about what becomes of a tool call of a run.
func TestWhatBecomesOfACallOfARun(t *testing.T) {
	t.Parallel()
	const removes, reads = "removes something", "only reads"
	nothing := disposition.RunPolicy{}
	proposes := disposition.RunPolicy{Propose: true}
	applies := disposition.RunPolicy{Apply: []string{"catalog.createSystem"}}
	both := disposition.RunPolicy{Propose: true, Apply: applies.Apply}
	for _, c := range []struct {
		run     disposition.RunPolicy
		effect  tool.Effect
		tool    string
		tainted bool
		want    disposition.Disposition
		why     string
	}{
		{nothing, tool.Read, "catalog.listSystems", true, disposition.Run, ""},
		{nothing, tool.Mutate, "catalog.createSystem", false, disposition.Refuse, reads},
		{nothing, tool.Destructive, "catalog.deleteSystem", false, disposition.Refuse, removes},
		{proposes, tool.Mutate, "catalog.createSystem", false, disposition.Confirm, ""},
		{proposes, tool.Mutate, "catalog.createSystem", true, disposition.Confirm, ""},
		{proposes, tool.Destructive, "catalog.deleteSystem", false, disposition.Refuse, removes},
		{applies, tool.Mutate, "catalog.createSystem", false, disposition.Apply, ""},
		{applies, tool.Mutate, "catalog.createSystem", true, disposition.Confirm, "content from outside"},
		{applies, tool.Mutate, "catalog.updateSystem", false, disposition.Refuse, reads},
		// A change that removes something is destructive, whatever its tool declares.
		{applies, tool.Destructive, "catalog.createSystem", false, disposition.Refuse, removes},
		{both, tool.Mutate, "catalog.updateSystem", false, disposition.Confirm, ""},
		{both, tool.Destructive, "catalog.deleteSystem", true, disposition.Refuse, removes},
		{both, "", "catalog.createSystem", false, disposition.Refuse, removes},
	} {
		for _, mode := range []disposition.Mode{disposition.Approve, disposition.Auto} {
			decides(t, disposition.Call{
				Effect: c.effect, Tool: c.tool, Run: &c.run, Mode: mode, Principal: principal.Application, Tainted: c.tainted,
				Policy: disposition.DefaultPolicy,
			}, c.want, c.why)
		}
	}
	call := disposition.Call{
		Effect: tool.Mutate, Tool: "catalog.createSystem", Run: &applies, Principal: principal.Application, Policy: disposition.DefaultPolicy,
	}
	strict := call
	strict.Policy.AlwaysConfirm = true
	decides(t, strict, disposition.Confirm, "An administrator wants a decision")
	strict.Policy.Enabled = false
	decides(t, strict, disposition.Refuse, "switched this tool off")
	leaves := call
	leaves.Leaves, leaves.Private = true, true
	decides(t, leaves, disposition.Confirm, "could send it to others")
}

func FuzzNothingButAReadRunsByItself(f *testing.F) {
	f.Add("read", "user", "auto", true, true, false, false)
	f.Add("destructive", "user", "auto", false, true, false, false)
	f.Add("mutate", "application", "approve", false, true, true, false)
	f.Add("mutate", "service", "auto", false, false, false, true)
	f.Add("mutate", "application", "auto", false, true, false, false)
	f.Fuzz(func(t *testing.T, effect, kind, mode string, tainted, enabled, alwaysConfirm, twoPerson bool) {
		inRun, _ := disposition.Decide(disposition.Call{
			Effect: tool.Effect(effect), Tool: mode, Run: &disposition.RunPolicy{Apply: []string{"auto"}}, Principal: principal.Kind(kind),
			Tainted: tainted, Policy: disposition.Policy{Enabled: enabled, AlwaysConfirm: alwaysConfirm, TwoPerson: twoPerson},
		})
		require.True(t, inRun != disposition.Apply || effect == "mutate" && mode == "auto" && enabled && !tainted && !alwaysConfirm && !twoPerson)
		require.True(t, inRun != disposition.Run || effect == "read" && enabled)
		require.True(t, effect == "read" || effect == "mutate" || inRun == disposition.Refuse)
		got, why := disposition.Decide(disposition.Call{
			Effect: tool.Effect(effect), Principal: principal.Kind(kind), Mode: disposition.Mode(mode), Tainted: tainted,
			Policy: disposition.Policy{Enabled: enabled, AlwaysConfirm: alwaysConfirm, TwoPerson: twoPerson},
		})
		may := enabled && (kind == "user" || kind == "application")
		require.Equal(t, !may, got == disposition.Refuse)
		require.Equal(t, may && effect == "read", got == disposition.Run)
		require.Equal(
			t,
			may && effect == "mutate" && kind == "user" && mode == "auto" && !tainted && !alwaysConfirm && !twoPerson,
			got == disposition.Apply,
		)
		require.True(t, got != disposition.Refuse || why != "")
	})
}

// A way out asks where there is something to carry out.
func TestAWayOutAsksWhereSomethingCouldLeave(t *testing.T) {
	t.Parallel()
	out := disposition.Call{
		Effect:    tool.Mutate,
		Principal: principal.User,
		Mode:      disposition.Auto,
		Policy:    disposition.DefaultPolicy,
		Leaves:    true,
	}
	decides(t, out, disposition.Apply, "")
	private, tainted, approve := out, out, out
	private.Private, tainted.Tainted, approve.Mode = true, true, disposition.Approve
	decides(t, private, disposition.Confirm, "could send it to others")
	decides(t, tainted, disposition.Confirm, "content from outside")
	decides(t, approve, disposition.Confirm, "")
	stays := private
	stays.Leaves = false
	decides(t, stays, disposition.Apply, "")
}

func TestASomebodyElsesSkillMakesAutoModeAsk(t *testing.T) {
	t.Parallel()
	c := disposition.Call{
		Effect:       tool.Mutate,
		Principal:    principal.User,
		Mode:         disposition.Auto,
		Policy:       disposition.DefaultPolicy,
		ForeignSkill: true,
	}
	decides(t, c, disposition.Confirm, "written by another user")
	c.Effect = tool.Read
	decides(t, c, disposition.Run, "")
}
