package connection_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/model"
	"countersign/modules/connection"
)

// What a provider teaches is stored once, however many processes learn it, and said in plain words.
func TestLessonsAreSharedByAllProcesses(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	made, err := a.Create(manager(t), valid("Teacher"))
	require.NoError(t, err)
	require.Empty(t, made.LearnedQuirks)

	tokens := model.ModelQuirk{Model: "gpt-x", Quirk: "max_completion_tokens"}
	var processes sync.WaitGroup
	for range 4 {
		processes.Go(func() {
			if err := a.AddQuirks(t.Context(), made, []model.ModelQuirk{tokens}); err != nil {
				t.Error(err)
			}
		})
	}
	processes.Wait()
	require.NoError(t, a.AddQuirks(t.Context(), made, []model.ModelQuirk{tokens, {Model: "gpt-y", Quirk: "of_a_later_version"}}))

	found, err := a.ForTurn(t.Context(), &made.ID)
	require.NoError(t, err)
	require.Equal(
		t,
		[]connection.LearnedQuirk{
			{
				Model: "gpt-x", Quirk: "max_completion_tokens",
				Description: "This provider takes max_completion_tokens instead of max_tokens.",
			},
		},
		found.LearnedQuirks,
	)
	require.Equal(t, []model.ModelQuirk{tokens}, found.ModelQuirks())
	require.Equal(t, made.Revision, found.Revision, "the connection is no other for it")
}

// Lessons are forgotten with the address or the model that taught them, or because somebody says so.
func TestLessonsAreForgotten(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	lesson := []model.ModelQuirk{{Model: "gpt-x", Quirk: "no_user"}}
	for name, test := range map[string]struct {
		change connection.Change
		kept   int
	}{
		"another address":   {connection.Change{BaseURL: new("https://models.example.org/v2")}, 0},
		"another model":     {connection.Change{DefaultModel: new("gpt-z")}, 0},
		"the button":        {connection.Change{ResetLearnedQuirks: new(true)}, 0},
		"another name":      {connection.Change{Name: new("Renamed")}, 1},
		"not the button":    {connection.Change{ResetLearnedQuirks: new(false)}, 1},
		"the same address":  {connection.Change{BaseURL: new("https://models.example.org/v1")}, 1},
		"another key":       {connection.Change{APIKey: new("sk-other")}, 1},
		"another window":    {connection.Change{ContextWindowTokens: new(9000)}, 1},
		"another spend cap": {connection.Change{SpendCap: &connection.SpendCap{TokenBudget: 1, WindowMinutes: 1}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made, err := a.Create(manager(t), valid("Forgets "+uuid.NewString()))
			require.NoError(t, err)
			require.NoError(t, a.AddQuirks(t.Context(), made, lesson))
			changed, err := a.Update(manager(t), made.ID, test.change, nil)
			require.NoError(t, err)
			require.Len(t, changed.LearnedQuirks, test.kept)
		})
	}
}

// Lessons of requests to an earlier revision do not count for the edited connection, however late they are learned.
func TestALateLessonOfAnEditedConnectionIsDropped(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	for name, change := range map[string]connection.Change{
		"another address": {BaseURL: new("https://models.example.org/v2")},
		"streaming":       {Streaming: new("off")},
		"the button":      {ResetLearnedQuirks: new(true)},
	} {
		made, err := a.Create(manager(t), valid("Edited: "+name))
		require.NoError(t, err)
		_, err = a.Update(manager(t), made.ID, change, nil)
		require.NoError(t, err)
		require.NoError(t, a.AddQuirks(t.Context(), made, []model.ModelQuirk{{Model: "gpt-x", Quirk: "no_user"}}))
		found, err := a.ForTurn(t.Context(), &made.ID)
		require.NoError(t, err)
		require.Empty(t, found.LearnedQuirks, name)
	}
}

// Names of models are the requests', so lessons of many do not keep new ones out.
func TestTheOldestLessonsOfManyModelsGo(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	made, err := a.Create(manager(t), valid("Any model"))
	require.NoError(t, err)
	lessons := []model.ModelQuirk{{Model: "gpt-x", Quirk: "no_user"}}
	for i := range 250 {
		lessons = append(lessons, model.ModelQuirk{Model: fmt.Sprintf("m-%d", i), Quirk: "no_user"})
	}
	require.NoError(t, a.AddQuirks(t.Context(), made, lessons))
	require.NoError(t, a.AddQuirks(t.Context(), made, lessons[len(lessons)-2:]))
	found, err := a.ForTurn(t.Context(), &made.ID)
	require.NoError(t, err)
	require.Equal(t, append(lessons[:1:1], lessons[52:]...), found.ModelQuirks())
}
