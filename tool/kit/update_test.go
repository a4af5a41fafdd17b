package kit_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

type newShelf struct {
	Name   string   `json:"name"`
	Colour string   `json:"colour,omitempty"`
	Labels []string `json:"labels,omitempty"`
	Depth  int      `json:"depth"`
}

type shelfChange struct {
	Name   *string   `json:"name,omitempty"`
	Colour *string   `json:"colour,omitempty"`
	Labels *[]string `json:"labels,omitempty"`
	Depth  *float64  `json:"depth,omitempty"`
}

type updateShelf struct {
	ID uuid.UUID `json:"id"`
	shelfChange
	Note string `json:"note,omitempty"`
}

func TestAnUpdateSaysWhatChanges(t *testing.T) {
	t.Parallel()
	live := kit.Live[shelf]{Kind: shelves.Kind, Name: "Top", Revision: `"5"`}
	before := newShelf{Name: "Top"}
	for _, c := range []struct {
		after   newShelf
		summary string
		diff    []tool.Change
	}{
		{newShelf{Name: "Best"}, "Rename the shelf Top to Best", []tool.Change{{Path: "name", Before: "Top", After: "Best"}}},
		{
			newShelf{Name: "Top", Colour: "red", Labels: []string{"a", "b"}},
			"Change the colour and the labels of the shelf Top",
			[]tool.Change{{Path: "colour", Before: "", After: "red"}, {Path: "labels", Before: nil, After: []any{"a", "b"}}},
		},
		{
			newShelf{Name: "Best", Colour: "red"},
			"Rename the shelf Top to Best and change the colour",
			[]tool.Change{{Path: "colour", Before: "", After: "red"}, {Path: "name", Before: "Top", After: "Best"}},
		},
	} {
		p, err := kit.Update(live, updateShelf{ID: anID2}, before, c.after)
		require.NoError(t, err)
		require.Equal(t, c.summary, p.Summary)
		require.Equal(t, c.diff, p.Diff)
		require.Equal(t, `"5"`, p.Revision)
	}
}

func TestAnUpdateThatChangesNothingIsRefused(t *testing.T) {
	t.Parallel()
	live := kit.Live[shelf]{Kind: shelves.Kind, Name: "Top"}
	_, err := kit.Update(live, updateShelf{}, newShelf{Name: "Top"}, newShelf{Name: "Top"})
	require.Equal(t, "Nothing would change: the shelf Top is like this already.", problem.As(err).Detail)
	require.Equal(t, []problem.Issue{{Message: "the shelf Top is like this already."}}, problem.As(err).Issues)
}

func TestThePayloadOfAnUpdateHoldsWhatIsStored(t *testing.T) {
	t.Parallel()
	name, labels, depth := " Best ", []string{"B", "a"}, 1.5
	in := updateShelf{ID: anID2, shelfChange: shelfChange{Name: &name, Labels: &labels, Depth: &depth}, Note: "x"}
	p, err := kit.Update(
		kit.Live[shelf]{},
		in,
		newShelf{Name: "Top"},
		newShelf{Name: "Best", Colour: "red", Labels: []string{"a", "b"}, Depth: 2},
	)
	require.NoError(t, err)
	require.Equal(t, "Best", *p.Payload.Name)
	require.Equal(t, []string{"a", "b"}, *p.Payload.Labels)
	require.Nil(t, p.Payload.Colour, "what the input leaves out stays out")
	require.InDelta(t, 1.5, *p.Payload.Depth, 0, "a field of another type is another field")
	require.Equal(t, []any{anID2, "x"}, []any{p.Payload.ID, p.Payload.Note})
	require.Equal(t, " Best ", name, "the input itself stays as it is")
}

func TestADeletionNamesWhatItsIdStandsFor(t *testing.T) {
	t.Parallel()
	p := kit.Remove(kit.Live[shelf]{ID: anID2, Name: "Top", Revision: `"5"`}, updateShelf{ID: anID2}, "Delete the shelf Top")
	require.Equal(t, kit.Preview[updateShelf]{
		Summary: "Delete the shelf Top", Payload: updateShelf{ID: anID2}, Revision: `"5"`, Labels: map[string]string{anID2.String(): "Top"},
	}, p)
}

// A secret is sealed in the payload, and a card says only that there is a new one.
func TestWhatACardShowsInOtherWordsStaysInThePayload(t *testing.T) {
	t.Parallel()
	type shown struct {
		Name  string `json:"name"`
		Paint string `json:"colour"`
	}
	sealed := "sealed"
	p, err := kit.Update(
		kit.Live[shelf]{Kind: shelves.Kind, Name: "Top"},
		updateShelf{shelfChange: shelfChange{Colour: &sealed}},
		shown{"Top", "as it is"},
		shown{"Top", "another"},
	)
	require.NoError(t, err)
	require.Equal(t, "Change the colour of the shelf Top", p.Summary)
	require.Equal(t, []tool.Change{{Path: "colour", Before: "as it is", After: "another"}}, p.Diff)
	require.Equal(t, "sealed", *p.Payload.Colour)
}

func TestWhatHasToDifferIsRefusedWhereItDoesNot(t *testing.T) {
	t.Parallel()
	changes, err := kit.Differing(map[string]any{"on": true}, map[string]any{"on": false}, "the lamp of %s is like this already.", "Ann")
	require.NoError(t, err)
	require.Equal(t, []tool.Change{{Path: "on", Before: true, After: false}}, changes)
	_, err = kit.Differing(map[string]any{"on": true}, map[string]any{"on": true}, "the lamp of %s is like this already.", "Ann")
	require.Equal(t, "Nothing would change: the lamp of Ann is like this already.", problem.As(err).Detail)
}
