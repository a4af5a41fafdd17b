package conversation_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/chat/conversation"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/tool/disposition"
)

var (
	someConnection = uuid.New()
	gone           = uuid.New()
)

// connections settle on one connection with the models "small" and "large".
type connections struct{}

func (connections) Settle(_ context.Context, id *uuid.UUID, model string) (uuid.UUID, string, error) {
	if id != nil && *id == gone {
		return uuid.Nil, "", problem.Errorf(problem.NotAcceptable, "This connection does not exist any more. Choose another one.")
	}
	if model != "large" {
		model = "small"
	}
	return someConnection, model, nil
}

func newService(t *testing.T) (*conversation.Service, *store.DB) {
	t.Helper()
	db := storetest.New(t)
	return conversation.New(db, connections{}, nil), db
}

func person() principal.Principal {
	return principal.Principal{Kind: principal.User, ID: uuid.New()}
}

func create(t *testing.T, s *conversation.Service, p principal.Principal, set conversation.Settings) conversation.Conversation {
	t.Helper()
	c, err := s.Create(t.Context(), p, set)
	require.NoError(t, err)
	return c
}

func refused(t *testing.T, err error, code problem.Code) *problem.Error {
	t.Helper()
	require.Equal(t, code, problem.CodeOf(err), "%v", err)
	return problem.As(err)
}

func TestANewConversationAsksBeforeItChangesAnything(t *testing.T) {
	t.Parallel()
	s, _ := newService(t)
	p := person()
	c := create(t, s, p, conversation.Settings{})
	require.Equal(t, disposition.Approve, c.PermissionMode)
	require.Nil(t, c.Title)
	require.Nil(t, c.Model, "the default is settled with each message")
	found, err := s.Get(t.Context(), p, c.ID)
	require.NoError(t, err)
	require.Equal(t, c, found)
}

func TestSettingsAreSettledWhenTheyAreChosen(t *testing.T) {
	t.Parallel()
	s, _ := newService(t)
	p := person()
	c := create(t, s, p, conversation.Settings{Title: new("  Payments "), Model: new("large"), PermissionMode: new(disposition.Auto)})
	require.Equal(t, "Payments", *c.Title)
	require.Equal(t, "large", *c.Model)
	require.Equal(t, someConnection, *c.ConnectionID)

	c, err := s.Update(t.Context(), p, c.ID, conversation.Settings{Model: new("unknown")})
	require.NoError(t, err)
	require.Equal(t, "small", *c.Model, "a model that is not allowed becomes the default")
	require.Equal(t, "Payments", *c.Title, "what is not named stays")
	require.Equal(t, disposition.Auto, c.PermissionMode)
	_, err = s.Update(t.Context(), p, c.ID, conversation.Settings{ConnectionID: &gone})
	refused(t, err, problem.NotAcceptable)
}

func TestSettingsThatAreNoneAreListed(t *testing.T) {
	t.Parallel()
	s, _ := newService(t)
	_, err := s.Create(t.Context(), person(), conversation.Settings{Title: new(" \n"), PermissionMode: new(disposition.Mode("yolo"))})
	require.Len(t, refused(t, err, problem.Invalid).Issues, 2)
	for _, title := range []string{"two\nlines", "\x00", strings.Repeat("é", 201)} {
		_, err := s.Create(t.Context(), person(), conversation.Settings{Title: &title})
		require.Equal(t, "title", refused(t, err, problem.Invalid).Issues[0].Path)
	}
	create(t, s, person(), conversation.Settings{Title: new(strings.Repeat("é", 200))})
}

func TestAConversationIsItsOwnersAlone(t *testing.T) {
	t.Parallel()
	s, _ := newService(t)
	owner, other := person(), person()
	c := create(t, s, owner, conversation.Settings{})
	_, err := s.Get(t.Context(), other, c.ID)
	foreign := refused(t, err, problem.NotFound).Detail
	missing := uuid.New()
	_, err = s.Get(t.Context(), other, missing)
	require.Equal(t, foreign, strings.Replace(refused(t, err, problem.NotFound).Detail, missing.String(), c.ID.String(), 1))
	_, err = s.Update(t.Context(), other, c.ID, conversation.Settings{Title: new("Mine")})
	refused(t, err, problem.NotFound)
	_, err = s.Archive(t.Context(), other, c.ID)
	refused(t, err, problem.NotFound)
	list, _, err := s.List(t.Context(), other, rest.Page{})
	require.NoError(t, err)
	require.Empty(t, list)
	require.NotNil(t, list, "an empty list is a list in JSON, too")
}

func TestTheLatestConversationComesFirst(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	p := person()
	first, second := create(t, s, p, conversation.Settings{}), create(t, s, p, conversation.Settings{})
	ids := func() (ids []uuid.UUID) {
		list, _, err := s.List(t.Context(), p, rest.Page{})
		require.NoError(t, err)
		for _, c := range list {
			ids = append(ids, c.ID)
		}
		return ids
	}
	require.Equal(t, []uuid.UUID{second.ID, first.ID}, ids())
	_, err := s.Update(t.Context(), p, first.ID, conversation.Settings{Title: new("Again")})
	require.NoError(t, err)
	require.Equal(t, []uuid.UUID{first.ID, second.ID}, ids())

	// A running turn shows.
	turn := uuid.New()
	_, err = db.Conn(
		t.Context(),
	).Exec(
		t.Context(),
		`INSERT INTO ai_turns (id, conversation_id, kind, message_id, assistant_message_id, principal_kind, principal_id,
		session_id, connection_id, model, permission_mode) VALUES ($1, $2, 'message', 'm', 'a', 'user', $1, $1, $1, 'small', 'approve')`,
		turn,
		second.ID,
	)
	require.NoError(t, err)
	list, _, err := s.List(t.Context(), p, rest.Page{})
	require.NoError(t, err)
	require.Nil(t, list[0].ActiveTurnID)
	require.Equal(t, turn, *list[1].ActiveTurnID)
}

func TestAnArchivedConversationIsKeptAndClosed(t *testing.T) {
	t.Parallel()
	s, _ := newService(t)
	p := person()
	c := create(t, s, p, conversation.Settings{})
	for i := range 2 {
		changed, err := s.Archive(t.Context(), p, c.ID)
		require.NoError(t, err)
		require.Equal(t, i == 0, changed, "only one call does it")
	}
	list, _, err := s.List(t.Context(), p, rest.Page{})
	require.NoError(t, err)
	require.Empty(t, list)
	kept, err := s.Get(t.Context(), p, c.ID)
	require.NoError(t, err)
	require.NotNil(t, kept.ArchivedAt)
	_, err = s.Update(t.Context(), p, c.ID, conversation.Settings{Title: new("x")})
	refused(t, err, problem.Conflict)
}

func TestMessagesComeInOrder(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	p := person()
	c := create(t, s, p, conversation.Settings{})
	for _, id := range []string{"b", "a", "c"} {
		_, err := db.Conn(t.Context()).Exec(t.Context(), `INSERT INTO ai_messages (conversation_id, id, turn_id, role, content, parts, metadata)
			VALUES ($1, $2, $3, 'user', $2, '[{"type":"text","text":"Hi"}]', '{"n":1}')`, c.ID, id, uuid.New())
		require.NoError(t, err)
	}
	messages, err := s.Messages(t.Context(), c.ID)
	require.NoError(t, err)
	var ids []string
	for _, m := range messages {
		ids = append(ids, m.ID)
	}
	require.Equal(t, []string{"b", "a", "c"}, ids)

	m, err := s.Message(t.Context(), c.ID, "a")
	require.NoError(t, err)
	raw, err := json.Marshal(m)
	require.NoError(t, err)
	require.JSONEq(t, `{"id":"a","role":"user","metadata":{"n":1},"parts":[{"type":"text","text":"Hi"}]}`, string(raw))
}

// A long conversation is read from its end, page by page, each in order.
func TestTheNewestMessagesComeFirst(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	p := person()
	c, other := create(t, s, p, conversation.Settings{}), create(t, s, p, conversation.Settings{})
	for _, id := range []uuid.UUID{other.ID, c.ID} {
		_, err := db.Conn(
			t.Context(),
		).Exec(
			t.Context(),
			`INSERT INTO ai_messages (conversation_id, id, turn_id, role, content, parts, metadata, replaced_at)
			SELECT $1, n::text, gen_random_uuid(), 'user', '', '[]', '{}', CASE WHEN n = 4 THEN now() END FROM generate_series(1, 10) n`,
			id,
		)
		require.NoError(t, err)
	}
	var pages [][]string
	at := rest.Page{Limit: 4}
	for more := true; more; more = at.Cursor != "" {
		messages, next, err := s.Newest(t.Context(), c.ID, at)
		require.NoError(t, err)
		var ids []string
		for _, m := range messages {
			ids = append(ids, m.ID)
		}
		pages, at.Cursor = append(pages, ids), next.NextCursor
	}
	require.Equal(t, [][]string{{"7", "8", "9", "10"}, {"2", "3", "5", "6"}, {"1"}}, pages)
	for _, wrong := range []string{"!", "eA", "OTk5OTk5OTk5OTk5OTk5OTk5OTk5OQ"} {
		_, _, err := s.Newest(t.Context(), c.ID, rest.Page{Cursor: wrong})
		refused(t, err, problem.Invalid)
	}
}
