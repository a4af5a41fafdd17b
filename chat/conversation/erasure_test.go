package conversation_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/chat/conversation"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/tool/disposition"
)

// accounts are the people who have one.
type accounts map[uuid.UUID]conversation.Person

func (a accounts) People(_ context.Context, ids []uuid.UUID) (map[uuid.UUID]conversation.Person, error) {
	found := map[uuid.UUID]conversation.Person{}
	for _, id := range ids {
		if who, ok := a[id]; ok {
			found[id] = who
		}
	}
	return found, nil
}

func (accounts) Holds(context.Context, principal.Principal, uuid.UUID, string) error { return nil }

// notes are what another part of the product keeps.
type notes struct {
	of   map[uuid.UUID]int64
	fail bool
}

func (notes) Name() string { return "notes" }

func (n notes) Count(_ context.Context, person uuid.UUID) (int64, error) { return n.of[person], nil }

func (n notes) Erase(_ context.Context, person uuid.UUID) (int64, error) {
	if n.fail {
		return 0, errors.New("the notes cannot be reached")
	}
	had := n.of[person]
	delete(n.of, person)
	return had, nil
}

func TestAPersonIsErasedAndNobodyElse(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	ada, bob, admin := person(), person(), person()
	e := &engine{}
	other := notes{of: map[uuid.UUID]int64{ada.ID: 7, bob.ID: 1}}
	erasures := conversation.NewErasures(
		conversation.ErasuresOptions{
			DB:      db,
			People:  accounts{ada.ID: {Name: "Ada", Email: "ada@example.org"}},
			Driver:  e,
			Erasers: erasers(other),
		},
	)
	for range 3 {
		fill(t, s, db, ada, "applied")
	}
	fill(t, s, db, bob, "applied")
	propose(t, db, ada, uuid.New(), nil, "declined")

	preview, err := erasures.Preview(t.Context(), ada.ID)
	require.NoError(t, err)
	want := conversation.Content{
		Deleted: conversation.Deleted{Conversations: 3, Messages: 6, Turns: 3, Proposals: 4},
		Other:   map[string]int64{"notes": 7},
	}
	require.Equal(t, want, preview)
	content, _ := kept(t, db)
	require.Equal(t, 4*rowsOfOne+1, content, "a preview deletes nothing")

	_, err = erasures.Request(t.Context(), admin, ada.ID, "bob@example.org")
	refused(t, err, problem.Invalid)
	_, err = erasures.Request(t.Context(), admin, uuid.New(), "")
	refused(t, err, problem.NotFound)
	erasure, err := erasures.Request(t.Context(), admin, ada.ID, " Ada@Example.org ")
	require.NoError(t, err)
	again, err := erasures.Request(t.Context(), person(), ada.ID, "ada@example.org")
	require.NoError(t, err)
	require.Equal(t, erasure.ID, again.ID, "one erasure of a person runs at a time")

	_, err = erasures.Quiet(t.Context(), erasure.ID)
	require.NoError(t, err)
	progress, err := erasures.Erase(t.Context(), erasure.ID, 2)
	require.NoError(t, err)
	require.True(t, progress.Left)
	progress, err = erasures.Erase(t.Context(), erasure.ID, 2)
	require.NoError(t, err)
	require.False(t, progress.Left)
	require.Empty(t, search(t, s, ada, "secret").Hits)
	require.Len(t, search(t, s, bob, "secret").Hits, 1)
	for range 2 {
		busy, err := erasures.Finish(t.Context(), erasure.ID)
		require.NoError(t, err)
		require.Zero(t, busy)
	}

	done, err := erasures.Get(t.Context(), erasure.ID)
	require.NoError(t, err)
	require.NotNil(t, done.FinishedAt)
	require.Equal(t, want, done.Deleted, "what was announced was deleted, and counted once")
	require.Equal(t, admin.ID, done.RequestedByID)
	require.Equal(t, "Ada", done.PersonName, "looked up, not stored")
	content, audit := kept(t, db)
	require.Equal(t, rowsOfOne, content)
	require.Equal(t, 5, audit)
	require.Equal(t, map[uuid.UUID]int64{bob.ID: 1}, other.of)
	owners, _, err := erasures.Owners(t.Context(), rest.Page{})
	require.NoError(t, err)
	require.Equal(t, []conversation.Owner{{ID: bob.ID, Conversations: 1}}, owners, "an account that is gone has no name")
	list, _, err := erasures.List(t.Context(), rest.Page{})
	require.NoError(t, err)
	require.Equal(t, []conversation.Erasure{done}, list)
}

// A change that is being carried out ends first, a turn that runs is stopped, an open proposal is closed.
func TestWhatRunsIsBroughtToAnEndFirst(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	ada := person()
	erasures := conversation.NewErasures(conversation.ErasuresOptions{DB: db, People: accounts{}, Driver: &engine{}, Erasers: erasers()})
	running, applying, open := fill(t, s, db, ada, "applied"), fill(t, s, db, ada, "applying"), fill(t, s, db, ada, "proposed")
	exec(t, db, `UPDATE ai_turns SET status = 'running', finished_at = NULL WHERE id = $1`, running.turn)
	over, going := fill(t, s, db, ada, "applied"), fill(t, s, db, ada, "applied")
	exec(t, db, `UPDATE ai_proposals SET planned = true, turn_id = $1 WHERE id = $2`, over.turn, over.proposal)
	exec(t, db, `UPDATE ai_proposals SET planned = true, turn_id = $1 WHERE id IN ($2, $3)`, going.turn, going.proposal, applying.proposal)
	e, err := erasures.Request(t.Context(), person(), ada.ID, "")
	require.NoError(t, err)

	quiet, err := erasures.Quiet(t.Context(), e.ID)
	require.NoError(t, err)
	require.Equal(t, []uuid.UUID{running.turn}, quiet.Turns)
	require.ElementsMatch(t, []uuid.UUID{running.proposal, open.proposal, over.proposal, going.proposal}, quiet.Proposals)
	require.Equal(t, []uuid.UUID{over.turn}, quiet.Plans, "a plan that is being carried out goes on")
	require.Equal(t, 1, count(t, db, `SELECT count(*) FROM ai_turns WHERE stop_requested_at IS NOT NULL`))
	require.Equal(
		t,
		1,
		count(t, db, `SELECT count(*) FROM ai_tool_calls WHERE id = $1 AND status = 'expired'`, open.proposal),
		"its audit row knows",
	)
	_, err = s.Update(t.Context(), ada, open.conversation, conversation.Settings{Title: new("x")})
	refused(t, err, problem.Conflict)

	progress, err := erasures.Erase(t.Context(), e.ID, 10)
	require.NoError(t, err)
	require.Equal(t, 2, progress.Busy)
	require.Equal(t, int64(3), progress.Deleted.Conversations)
	busy, err := erasures.Finish(t.Context(), e.ID)
	require.NoError(t, err)
	require.Equal(t, 1, busy, "it is not finished while a change is carried out")

	exec(t, db, `UPDATE ai_turns SET status = 'stopped', finished_at = now() WHERE id = $1`, running.turn)
	exec(t, db, `UPDATE ai_proposals SET status = 'applied', finished_at = now() WHERE id = $1`, applying.proposal)
	later := fill(t, s, db, ada, "applied")
	exec(t, db, `UPDATE ai_conversations SET created_at = now() + interval '1 second' WHERE id = $1`, later.conversation)
	progress, err = erasures.Erase(t.Context(), e.ID, 10)
	require.NoError(t, err)
	require.Zero(t, progress.Busy)
	_, err = s.Get(t.Context(), ada, later.conversation)
	require.NoError(t, err, "what begins after the request is not part of it")
}

func TestAnErasureFinishesAsAWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	_, db := newService(t)
	ada := person()
	propose(t, db, ada, uuid.New(), nil, "declined")
	erasures := conversation.NewErasures(
		conversation.ErasuresOptions{DB: db, People: accounts{}, Driver: &engine{}, Erasers: erasers(notes{fail: true})},
	)
	e, err := erasures.Request(t.Context(), person(), ada.ID, "")
	require.NoError(t, err)
	_, err = erasures.Finish(t.Context(), e.ID)
	require.Error(t, err)
	require.Equal(t, 1, count(t, db, `SELECT count(*) FROM ai_proposals`))
	require.Equal(t, 1, count(t, db, `SELECT count(*) FROM ai_erasures WHERE finished_at IS NULL`))
}

// The request is a row. When the engine is away the reconciler starts it later.
func TestARequestSurvivesTheEngine(t *testing.T) {
	t.Parallel()
	_, db := newService(t)
	ada := person()
	propose(t, db, ada, uuid.New(), nil, "declined")
	e := &engine{away: true}
	erasures := conversation.NewErasures(conversation.ErasuresOptions{DB: db, People: accounts{}, Driver: e, Erasers: erasers()})
	requested, err := erasures.Request(t.Context(), person(), ada.ID, "")
	require.NoError(t, err)
	e.away = false
	require.NoError(t, erasures.Drive(t.Context()))
	require.Equal(t, []uuid.UUID{requested.ID}, e.erasures)
}

func TestADraftIsUsedAgain(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	p := person()
	var mu sync.Mutex
	ids := map[uuid.UUID]bool{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			c, err := s.Draft(t.Context(), p, conversation.Settings{})
			require.NoError(t, err)
			mu.Lock()
			defer mu.Unlock()
			ids[c.ID] = true
		})
	}
	wg.Wait()
	require.Len(t, ids, 1, "eight calls at the same moment leave one row")
	c, err := s.Draft(t.Context(), p, conversation.Settings{Model: new("large"), PermissionMode: new(disposition.Auto)})
	require.NoError(t, err)
	require.True(t, ids[c.ID])
	require.Equal(t, "large", *c.Model)
	require.Equal(t, disposition.Auto, c.PermissionMode)
	c, err = s.Draft(t.Context(), p, conversation.Settings{})
	require.NoError(t, err)
	require.Equal(t, disposition.Approve, c.PermissionMode, "a new chat never begins in auto mode by itself")
	require.Nil(t, c.Model)

	other, err := s.Draft(t.Context(), person(), conversation.Settings{})
	require.NoError(t, err)
	require.False(t, ids[other.ID], "a draft is its owner's")
	for name, change := range map[string]string{
		"a title":   `UPDATE ai_conversations SET title = 'Payments' WHERE id = $1`,
		"archived":  `UPDATE ai_conversations SET archived_at = now() WHERE id = $1`,
		"a message": `INSERT INTO ai_messages (conversation_id, id, turn_id, role, content, parts, metadata) VALUES ($1, 'm', gen_random_uuid(), 'user', 'Hi', '[]', '{}')`,
	} {
		before, err := s.Draft(t.Context(), p, conversation.Settings{})
		require.NoError(t, err)
		exec(t, db, change, before.ID)
		after, err := s.Draft(t.Context(), p, conversation.Settings{})
		require.NoError(t, err)
		require.NotEqual(t, before.ID, after.ID, name)
	}
}

func TestAnArchivedConversationComesBack(t *testing.T) {
	t.Parallel()
	s, _ := newService(t)
	p := person()
	c := create(t, s, p, conversation.Settings{Title: new("Payments")})
	_, err := s.Archive(t.Context(), p, c.ID)
	require.NoError(t, err)
	archived, _, err := s.Archived(t.Context(), p, rest.Page{})
	require.NoError(t, err)
	require.Len(t, archived, 1)
	_, err = s.Restore(t.Context(), person(), c.ID)
	refused(t, err, problem.NotFound)
	for i := range 2 {
		changed, err := s.Restore(t.Context(), p, c.ID)
		require.NoError(t, err)
		require.Equal(t, i == 0, changed, "only one call does it")
	}
	archived, _, err = s.Archived(t.Context(), p, rest.Page{})
	require.NoError(t, err)
	require.Empty(t, archived)
	require.NotNil(t, archived)
	list, _, err := s.List(t.Context(), p, rest.Page{})
	require.NoError(t, err)
	require.Len(t, list, 1)
}

func erasers(those ...conversation.Eraser) func() []conversation.Eraser {
	return func() []conversation.Eraser { return those }
}

// Nobody is left out of the lists because there are many.
func TestPeopleAndErasuresComeInPages(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	erasures := conversation.NewErasures(conversation.ErasuresOptions{DB: db, People: accounts{}, Driver: &engine{}, Erasers: erasers()})
	const people, size = 7, 3
	want := map[uuid.UUID]bool{}
	for range people {
		who := person()
		want[who.ID] = true
		fill(t, s, db, who, "applied")
		_, err := erasures.Request(t.Context(), person(), who.ID, "")
		require.NoError(t, err)
	}
	kept, asked := map[uuid.UUID]bool{}, map[uuid.UUID]bool{}
	for page := (rest.Page{Limit: size}); ; {
		owners, next, err := erasures.Owners(t.Context(), page)
		require.NoError(t, err)
		for _, o := range owners {
			kept[o.ID] = true
		}
		if page.Cursor = next.NextCursor; page.Cursor == "" {
			break
		}
		require.Len(t, owners, size)
	}
	for page := (rest.Page{Limit: size}); ; {
		list, next, err := erasures.List(t.Context(), page)
		require.NoError(t, err)
		for i, e := range list {
			asked[e.PersonID] = true
			require.True(t, i == 0 || !e.RequestedAt.After(list[i-1].RequestedAt), "the newest first")
		}
		if page.Cursor = next.NextCursor; page.Cursor == "" {
			break
		}
		require.Len(t, list, size)
	}
	require.Equal(t, want, kept)
	require.Equal(t, want, asked)
	_, _, err := erasures.List(t.Context(), rest.Page{Cursor: "bm9uc2Vuc2U"})
	require.True(t, problem.Is(err, problem.Invalid), "%v", err)
}
