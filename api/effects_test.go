package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/tool"
)

// apply makes a request as the apply of a decided proposal does.
func (s *server) apply(t *testing.T, key, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(tool.Carry(t.Context(), "note.write"), http.MethodPost, "/api/notes", strings.NewReader(body))
	for name, value := range map[string]string{"X-User": alice.String(), "X-Rules": "note.manage", "Content-Type": "application/json", "Idempotency-Key": key} {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// Whether a change was made is told by what was committed with it, and by nothing that anybody can send.
func TestEffectsTellOfAppliesOnly(t *testing.T) {
	t.Parallel()
	s := newServer(t, with(&notes{}))
	effects := api.Effects{DB: s.db}
	who := principal.Principal{Kind: principal.User, ID: alice}
	look := func(key string) (string, bool) {
		answer, done, err := effects.Answer(t.Context(), who, key)
		require.NoError(t, err)
		return string(answer), done
	}
	applied, own, never := uuid.NewString(), uuid.NewString(), uuid.NewString()
	first := s.apply(t, applied, `{"text":"a"}`)
	require.Equal(t, http.StatusCreated, first.Code, "%s", first.Body)
	answer, done := look(applied)
	require.True(t, done)
	require.JSONEq(t, first.Body.String(), answer)

	// A person who knows the id of a proposal uses it as the key of a request of their own.
	require.Equal(t, http.StatusCreated, s.do(t, http.MethodPost, "/api/notes", `{"text":"a"}`, keyed(own)...).Code)
	_, done = look(own)
	require.False(t, done, "that is no apply")
	_, done = look(never)
	require.False(t, done)
}

// A change that is called failed can never be made any more, however late its attempt comes.
func TestAClosedKeyHasNoEffect(t *testing.T) {
	t.Parallel()
	n := &notes{}
	s := newServer(t, with(n))
	effects := api.Effects{DB: s.db}
	who := principal.Principal{Kind: principal.User, ID: alice}
	closeKey := func(key string) (done bool) {
		require.NoError(t, s.db.InTx(t.Context(), func(ctx context.Context) (err error) {
			_, done, err = effects.Close(ctx, who, key)
			return err
		}))
		return done
	}
	late, made := uuid.NewString(), uuid.NewString()
	require.False(t, closeKey(late))
	require.False(t, closeKey(late), "it may be closed twice")
	problemOf(t, s.apply(t, late, `{"text":"a"}`), problem.KeyReused)
	require.Zero(t, n.count())

	require.Equal(t, http.StatusCreated, s.apply(t, made, `{"text":"a"}`).Code)
	require.True(t, closeKey(made), "what was made before counts")
}
