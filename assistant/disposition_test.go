package assistant_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/assistant"
	"countersign/tool"
)

// The whole truth about what becomes of a tool call.
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
		got, why := assistant.Decide(c.effect, c.mode, c.tainted)
		require.Equal(t, c.want, got, "%+v", c)
		if c.why == "" {
			require.Empty(t, why, "%+v", c)
		} else {
			require.Contains(t, why, c.why, "%+v", c)
		}
	}
}

func FuzzNothingButAReadRunsByItself(f *testing.F) {
	f.Add("read", "auto", true)
	f.Add("destructive", "auto", false)
	f.Add("mutate", "approve", false)
	f.Fuzz(func(t *testing.T, effect, mode string, tainted bool) {
		got, _ := assistant.Decide(tool.Effect(effect), assistant.Mode(mode), tainted)
		require.Equal(t, effect == "read", got == assistant.Run)
		require.Equal(t, effect == "mutate" && mode == "auto" && !tainted, got == assistant.Apply)
	})
}
