package store_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"countersign/internal/store/storetest"
)

func TestUUIDsAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	id, other := uuid.New(), uuid.New()
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe} {
		var one, null uuid.UUID
		var optional, none *uuid.UUID
		var many []uuid.UUID
		var text string
		var nullable uuid.NullUUID
		err := db.Conn(
			t.Context(),
		).QueryRow(
			t.Context(),
			`SELECT $1::uuid, NULL::uuid, $2::uuid, NULL::uuid, ARRAY[$1, $2]::uuid[], $1::uuid::text, $2::uuid`,
			mode,
			id,
			&other,
		).
			Scan(
				&one,
				&null,
				&optional,
				&none,
				&many,
				&text,
				&nullable,
			)
		require.NoError(t, err, mode)
		require.Equal(t, id, one)
		require.Equal(t, uuid.Nil, null)
		require.Equal(t, &other, optional)
		require.Nil(t, none)
		require.Equal(t, []uuid.UUID{id, other}, many)
		require.Equal(t, id.String(), text)
		require.Equal(t, uuid.NullUUID{UUID: other, Valid: true}, nullable)
		var got int
		require.NoError(
			t,
			db.Conn(t.Context()).QueryRow(t.Context(), `SELECT cardinality($1::uuid[])`, mode, []uuid.UUID{id, other, id}).Scan(&got),
		)
		require.Equal(t, 3, got)
	}
	rows, err := db.Conn(t.Context()).Query(t.Context(), `SELECT $1::uuid`, id)
	require.NoError(t, err)
	values, err := pgx.CollectRows(rows, pgx.RowToMap)
	require.NoError(t, err)
	require.Equal(t, id, values[0]["uuid"])
	var wrong int
	require.Error(t, db.Conn(t.Context()).QueryRow(t.Context(), `SELECT $1::uuid`, id).Scan(&wrong))
}

func BenchmarkUUIDs(b *testing.B) {
	db := storetest.New(b)
	b.ReportAllocs()
	for b.Loop() {
		var one, two, three, four uuid.UUID
		if err := db.Conn(
			b.Context(),
		).QueryRow(
			b.Context(),
			`SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid()`,
		).Scan(
			&one,
			&two,
			&three,
			&four,
		); err != nil {
			b.Fatal(err)
		}
	}
}
