package app_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// BenchmarkInbox lists 50 open proposals of somebody else, about 50 systems, each of which is asked for; beside many that
// are over, and many that the reader may not see.
func BenchmarkInbox(b *testing.B) {
	p := apptest.Start(b, apptest.Options{})
	const insert = `WITH calls AS (
			INSERT INTO ai_tool_calls (id, principal_kind, principal_id, transport, tool_name, effect, args_hash, status)
			SELECT gen_random_uuid(), 'user', $1::uuid, 'chat', 'catalog.updateSystem', 'mutate', '',
				$2::text FROM generate_series(1, $3::int) RETURNING id
		), numbered AS (SELECT id, row_number() OVER () AS n FROM calls)
		INSERT INTO ai_proposals (id, principal_kind, principal_id, principal_name, tool_name, effect, summary, payload, diff,
			revision, automatic, nonce_salt, status, created_at, expires_at, finished_at)
		SELECT c.id, 'user', $1::uuid, 'Somebody', 'catalog.updateSystem', 'mutate', 'Change it', jsonb_build_object('id', s.id, 'description', 'New'), '[]', '"1"', false, '\x00', $2::text, now() - n * interval '1 second', now() + interval '1 hour', CASE WHEN $2 <> 'proposed' THEN now() END
		FROM numbered c JOIN catalog_systems s ON s.name = 'S' || (n % 50)`
	for i := range 50 {
		p.Admin.Post(b, "/api/catalog/systems", map[string]any{"name": fmt.Sprintf("S%d", i)}, nil)
	}
	exec := func(sql string, args ...any) {
		_, err := p.DB.Conn(b.Context()).Exec(b.Context(), sql, args...)
		require.NoError(b, err)
	}
	exec(insert, uuid.New(), "expired", 20_000)
	exec(insert, uuid.New(), "proposed", 50)
	exec(`ANALYZE`)
	for name, path := range map[string]string{"open": "?status=proposed", "all": "", "one": "?status=proposed&limit=1"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p.Admin.Get(b, "/api/ai/proposals"+path, nil)
			}
		})
	}
	exec(`INSERT INTO relation_tuples (object_type, object_id, relation, subject_type, subject_id)
		SELECT 'catalog.system', id, 'private', 'public', '00000000-0000-0000-0000-000000000000' FROM catalog_systems
		UNION ALL SELECT 'catalog.system', id, 'owner', 'user', gen_random_uuid() FROM catalog_systems`)
	b.Run("unseen", func(b *testing.B) {
		for b.Loop() {
			p.Admin.Get(b, "/api/ai/proposals", nil)
		}
	})
}
