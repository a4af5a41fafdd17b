package tool_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/tool"
	"countersign/tool/kit"
)

type look struct{ Outside bool }

func (l look) Tainted() bool { return l.Outside }

func TestAnOutputCanSayThatItHoldsContentFromOutside(t *testing.T) {
	t.Parallel()
	require.True(t, tool.Definition{}.Taints(look{Outside: true}))
	require.False(t, tool.Definition{}.Taints(look{}))
	require.True(t, tool.Definition{Result: tool.Result{Untrusted: true}}.Taints(look{}), "what is declared holds for every output")
	require.False(t, tool.Definition{}.Taints("text"))
}

func TestAToolDeclaresHowLongItMayTake(t *testing.T) {
	t.Parallel()
	require.Equal(t, tool.DefaultTimeout, tool.Definition{}.TimeLimit())
	run := func(context.Context, tool.Caller, struct{}) (struct{}, error) { return struct{}{}, nil }
	d := tool.Definition{Name: "shelf.getBox", Description: "Looks.", Effect: tool.Read, Rules: []string{"a.b.read"}, Timeout: tool.MaxTimeout}
	require.Equal(t, tool.MaxTimeout, d.TimeLimit())
	_, err := tool.NewRegistry(kit.NewRead(d, run))
	require.NoError(t, err)
	d.Timeout += time.Second
	_, err = tool.NewRegistry(kit.NewRead(d, run))
	require.ErrorContains(t, err, "at most")
}
