package connection_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/modules/connection"
)

func TestRotationSealsKeysWithTheNewestKey(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	first, err := a.Create(t.Context(), valid("first"))
	require.NoError(t, err)
	without := valid("without a key")
	without.APIKey = ""
	_, err = a.Create(t.Context(), without)
	require.NoError(t, err)

	rotated, err := a.keys.Rotate()
	require.NoError(t, err)
	n, err := connection.Reseal(t.Context(), a.DB, rotated)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	n, err = connection.Reseal(t.Context(), a.DB, rotated)
	require.NoError(t, err)
	require.Zero(t, n, "the second time there is nothing to do")

	found, err := a.Get(manager(t), first.ID)
	require.NoError(t, err)
	require.Equal(t, first.Revision, found.Revision)
	_, err = a.OpenKey(found)
	require.Error(t, err, "the old key alone does not open it any more")
	after, err := connection.New(
		connection.Options{DB: a.DB, Sealer: rotated, Demo: func() connection.Endpoint { return connection.Endpoint{} }},
	)
	require.NoError(t, err)
	opened, err := after.OpenKey(found)
	require.NoError(t, err)
	require.Equal(t, key, opened)
}
