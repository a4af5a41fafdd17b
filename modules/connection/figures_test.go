package connection_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/model"
	"countersign/modules/connection"
)

// learn merges figures and returns whether that changed them, and the connection as a turn finds it afterwards.
func learn(t *testing.T, a *app, c connection.Connection, name string, seen model.Figures) (bool, connection.Connection) {
	t.Helper()
	learned, err := a.Learn(t.Context(), c, name, seen)
	require.NoError(t, err)
	found, err := a.ForTurn(t.Context(), &c.ID)
	require.NoError(t, err)
	return learned, found
}

func TestFiguresOfOneModelAreMergedByAllProcesses(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	made, err := a.Create(manager(t), valid("Measured"))
	require.NoError(t, err)
	require.Empty(t, made.LearnedFigures)

	var changes atomic.Int32
	var processes sync.WaitGroup
	for range 4 {
		processes.Go(func() {
			learned, err := a.Learn(t.Context(), made, "gpt-x", model.Figures{WindowTokens: 8192})
			if err != nil {
				t.Error(err)
			}
			if learned {
				changes.Add(1)
			}
		})
	}
	processes.Wait()
	require.EqualValues(t, 1, changes.Load(), "one of them did it")
	learned, found := learn(t, a, made, "gpt-x", model.Figures{MaxTools: 128})
	require.True(t, learned, "a connection that was read before knows less")
	require.Equal(t, model.Figures{WindowTokens: 8192, MaxTools: 128}, found.FiguresOf("gpt-x"))
	require.Zero(t, found.FiguresOf("gpt-y"))
	require.Equal(t, 8192, found.WindowOf("gpt-x"))
	require.Zero(t, found.WindowOf("gpt-y"))
	require.Equal(t, made.Revision, found.Revision, "the connection is no other for it")
	learned, _ = learn(t, a, found, "gpt-x", model.Figures{WindowTokens: 10_000})
	require.False(t, learned)
}

// A declared window counts unless the provider has refused to take as much.
func TestALearnedWindowIsSmallerThanADeclaredOne(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	n := valid("Declares too much")
	n.ContextWindowTokens = new(32_768)
	made, err := a.Create(manager(t), n)
	require.NoError(t, err)
	_, found := learn(t, a, made, "gpt-x", model.Figures{WindowTokens: 40_000})
	require.Equal(t, 32_768, found.WindowOf("gpt-x"))
	_, found = learn(t, a, made, "gpt-x", model.Figures{WindowTokens: 16_000})
	require.Equal(t, 16_000, found.WindowOf("gpt-x"))
}

func TestFiguresAreForgottenWithWhatTheyAreOf(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	all := model.Figures{WindowTokens: 8192, MaxTools: 64, ReasoningTokens: 900}
	for name, test := range map[string]struct {
		change connection.Change
		kept   model.Figures
	}{
		"another address":  {connection.Change{BaseURL: new("https://models.example.org/v2")}, model.Figures{}},
		"another model":    {connection.Change{DefaultModel: new("gpt-z")}, model.Figures{}},
		"the button":       {connection.Change{ResetLearnedQuirks: new(true)}, model.Figures{}},
		"another window":   {connection.Change{ContextWindowTokens: new(9000)}, model.Figures{MaxTools: 64, ReasoningTokens: 900}},
		"the same window":  {connection.Change{ContextWindowTokens: new(16_000)}, all},
		"another name":     {connection.Change{Name: new("Renamed " + uuid.NewString())}, all},
		"the same address": {connection.Change{BaseURL: new("https://models.example.org/v1")}, all},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := valid("Forgets " + uuid.NewString())
			n.ContextWindowTokens = new(16_000)
			made, err := a.Create(manager(t), n)
			require.NoError(t, err)
			_, before := learn(t, a, made, "gpt-x", all)
			require.Equal(t, all, before.FiguresOf("gpt-x"))
			changed, err := a.Update(manager(t), made.ID, test.change, nil)
			require.NoError(t, err)
			require.Equal(t, test.kept, changed.FiguresOf("gpt-x"))
		})
	}
}

// What a turn has seen of a connection before it was edited does not count for the edited one.
func TestALateFigureOfAnEditedConnectionIsDropped(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	made, err := a.Create(manager(t), valid("Edited"))
	require.NoError(t, err)
	_, err = a.Update(manager(t), made.ID, connection.Change{ContextWindowTokens: new(64_000)}, nil)
	require.NoError(t, err)
	learned, found := learn(t, a, made, "gpt-x", model.Figures{WindowTokens: 8192})
	require.False(t, learned)
	require.Equal(t, 64_000, found.WindowOf("gpt-x"))
}

// A connection that allows any model keeps the figures of so many only: the default model's and those learned last.
func TestTheOldestFiguresOfManyModelsGo(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	made, err := a.Create(manager(t), valid("Any model"))
	require.NoError(t, err)
	var found connection.Connection
	for _, name := range []string{"gpt-x", "old-1", "old-2"} {
		_, found = learn(t, a, made, name, model.Figures{WindowTokens: 8192})
	}
	learned, _ := learn(t, a, found, "old-1", model.Figures{MaxTools: 9})
	require.True(t, learned)
	for i := range 198 {
		learned, err := a.Learn(t.Context(), made, fmt.Sprintf("m-%d", i), model.Figures{MaxTools: 9})
		require.NoError(t, err)
		require.True(t, learned, "model %d", i)
	}
	learned, found = learn(t, a, made, "m-7", model.Figures{MaxTools: 8})
	require.True(t, learned)
	require.Len(t, found.LearnedFigures, 200)
	require.Equal(t, model.Figures{WindowTokens: 8192}, found.FiguresOf("gpt-x"), "the default model's stay")
	require.Zero(t, found.FiguresOf("old-2"))
	require.Equal(t, 9, found.FiguresOf("old-1").MaxTools)

	_, found = learn(t, a, found, "m-new", model.Figures{MaxTools: 9})
	require.Len(t, found.LearnedFigures, 200)
	require.Zero(t, found.FiguresOf("old-1"))
	require.Equal(t, 8, found.FiguresOf("m-7").MaxTools)
}

// Slots are the server's, whichever model it is asked for.
func TestSlotsHoldForAllModelsOfAConnection(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	made, err := a.Create(manager(t), valid("Own server"))
	require.NoError(t, err)
	_, found := learn(t, a, made, "gpt-x", model.Figures{Slots: 1})
	require.Equal(t, 1, found.FiguresOf("gpt-y").Slots)
	_, found = learn(t, a, found, "gpt-y", model.Figures{WindowTokens: 8192, Slots: 4})
	require.Equal(t, model.Figures{WindowTokens: 8192, Slots: 4}, found.FiguresOf("gpt-y"))
	require.Equal(t, 1, found.FiguresOf("gpt-x").Slots)
}
