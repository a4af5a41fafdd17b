package connection_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/modules/connection"
)

// defaults are the names of the connections that say they are the default.
func (a *app) defaults(t *testing.T) []string {
	t.Helper()
	list, err := a.List(t.Context())
	require.NoError(t, err)
	var names []string
	for _, c := range list {
		one, err := a.Get(manager(t), c.ID)
		require.NoError(t, err)
		require.Equal(t, c.IsDefault, one.IsDefault, c.Name)
		if c.IsDefault {
			names = append(names, c.Name)
		}
	}
	return names
}

func TestTheDefaultIsChosenExplicitly(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	first, err := a.Create(t.Context(), valid("First"))
	require.NoError(t, err)
	require.True(t, first.IsDefault, "there is no other")
	second, err := a.Create(t.Context(), valid("Second"))
	require.NoError(t, err)
	require.False(t, second.IsDefault)
	require.Equal(t, []string{"First"}, a.defaults(t))

	one := path + "/" + second.ID.String()
	chosen := a.do(t, "*", http.MethodPut, one+"/default", nil)
	require.True(t, apitest.Decode[connection.Connection](t, chosen).IsDefault)
	require.Equal(t, []string{"Second"}, a.defaults(t))
	for _, value := range []bool{true, false} {
		require.Equal(t, http.StatusUnprocessableEntity, a.do(t, "*", http.MethodPatch, one,
			map[string]any{"isDefault": value}).Status, "it is an operation of its own")
	}
	a.do(t, "ai.connection.read", http.MethodPut, one+"/default", nil).Refused(t, problem.Forbidden)

	third := valid("Third")
	third.IsDefault = true
	_, err = a.Create(t.Context(), third)
	require.NoError(t, err)
	require.Equal(t, []string{"Third"}, a.defaults(t))

	_, err = a.Update(manager(t), first.ID, connection.Change{Enabled: new(false)}, nil)
	require.NoError(t, err)
	_, err = a.SetDefault(manager(t), first.ID, nil)
	require.True(t, problem.Is(err, problem.Conflict), err)
	require.Equal(t, []string{"Third"}, a.defaults(t), "the refused change has taken nothing away")
}

func TestThereIsOneDefaultHoweverManyChooseAtOnce(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	var ids []uuid.UUID
	for _, name := range []string{"A", "B", "C", "D"} {
		c, err := a.Create(t.Context(), valid(name))
		require.NoError(t, err)
		ids = append(ids, c.ID)
	}
	for range 10 {
		errs := make([]error, len(ids))
		var choosing sync.WaitGroup
		for i, id := range ids {
			choosing.Go(func() { _, errs[i] = a.SetDefault(manager(t), id, nil) })
		}
		choosing.Wait()
		for _, err := range errs {
			require.NoError(t, err)
		}
		require.Len(t, a.defaults(t), 1)
	}
}
