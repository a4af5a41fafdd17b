package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// viewer is a user with one way of access to systems.
type viewer struct {
	name   string
	client *http.Client
	id     uuid.UUID
	team   uuid.UUID
	byRule bool
}

// Ids of what is seeded follow from its number.

const groupID = "00000000-0000-4000-8002-000000004000"

const environmentID = "00000000-0000-4000-8003-000000000003"

func teamID(n int) string { return fmt.Sprintf("00000000-0000-4000-8008-%012d", n) }

func cursorAt(n int) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "system %06d", n))
}

// seedRecords fills a fresh database. The ids of systems are shuffled, as real ones do not follow the names.
const seedRecords = `
INSERT INTO catalog_systems (id, name, name_key, description, metadata, tags)
SELECT ('00000000-0000-4000-8001-' || lpad(i::text, 12, '0'))::uuid, 'System ' || lpad(i::text, 6, '0') || CASE WHEN i % 1000 = 7 THEN ' Payroll' ELSE '' END,
       'system ' || lpad(i::text, 6, '0') || CASE WHEN i % 1000 = 7 THEN ' payroll' ELSE '' END,
       'Takes payments and answers number ' || i || repeat(' of many in the long list', 5) || CASE WHEN i % 20000 = 7 THEN ' zebra' ELSE '' END,
       '{"tier": 2, "region": "eu-central-1"}', ARRAY['t' || (i % 50), 'team' || (i % 300)]
FROM generate_series(1, 100000) i ORDER BY md5(i::text);
INSERT INTO catalog_groups (id, name, name_key, description, metadata)
SELECT ('00000000-0000-4000-8002-' || lpad(i::text, 12, '0'))::uuid, 'Group ' || lpad(i::text, 6, '0'), 'group ' || lpad(i::text, 6, '0'), '', '{}'
FROM generate_series(1, 10000) i ORDER BY md5(i::text);
INSERT INTO catalog_group_systems (group_id, system_id)
SELECT ('00000000-0000-4000-8002-' || lpad((1 + i % 10000)::text, 12, '0'))::uuid, ('00000000-0000-4000-8001-' || lpad(i::text, 12, '0'))::uuid
FROM generate_series(1, 100000) i;
INSERT INTO catalog_environments (id, name, name_key, description, fields)
SELECT ('00000000-0000-4000-8003-' || lpad(i::text, 12, '0'))::uuid, 'Environment ' || i, 'environment ' || i, '', '{}' FROM generate_series(1, 20) i;
INSERT INTO catalog_environment_systems (environment_id, system_id)
SELECT ('00000000-0000-4000-8003-' || lpad((1 + i % 20)::text, 12, '0'))::uuid, ('00000000-0000-4000-8001-' || lpad((i * 499)::text, 12, '0'))::uuid
FROM generate_series(1, 200) i;
INSERT INTO ai_memory (id, owner_id, owner_name, scope, system_id, recall_hint, content, tags, always_inject, folded, words, updated_at)
SELECT gen_random_uuid(), '00000000-0000-4000-8009-000000000001', 'Somebody', 'system', ('00000000-0000-4000-8001-' || lpad(i::text, 12, '0'))::uuid,
       'Deploy window' || (i % 100) || ' of ' || i, 'Tuesdays', '{}', false, 'deploy window' || (i % 100) || ' of ' || i || E'\n\ntuesdays',
       to_tsvector('simple', 'deploy window' || (i % 100) || ' of ' || i), now() - i * interval '1 minute'
FROM generate_series(1, 100000) i;
INSERT INTO relation_tuples (object_type, object_id, relation, subject_type, subject_id)
SELECT 'catalog.system', id, 'owner', 'team', ('00000000-0000-4000-8008-' || lpad((abs(hashtext(name)) % 200)::text, 12, '0'))::uuid FROM catalog_systems;
INSERT INTO relation_tuples (object_type, object_id, relation, subject_type, subject_id)
SELECT 'catalog.system', id, 'private', 'public', '00000000-0000-0000-0000-000000000000' FROM catalog_systems ORDER BY md5(name) LIMIT 1000;
INSERT INTO relation_tuples (object_type, object_id, relation, subject_type, subject_id)
SELECT 'catalog.system', id, 'owner', 'team', '00000000-0000-4000-8008-000000000200' FROM catalog_systems WHERE name_key LIKE 'system %3';
INSERT INTO teams (id, name) SELECT ('00000000-0000-4000-8008-' || lpad(i::text, 12, '0'))::uuid, 'Team ' || i FROM generate_series(0, 200) i;
-- Who is not an administrator sees what grants open.
UPDATE roles SET rules = ARRAY(SELECT r FROM unnest(rules) r WHERE r NOT LIKE 'catalog.system.%' AND r NOT LIKE 'catalog.group.%') WHERE builtin AND NOT rules @> '{*}';
`

// seedGrants gives a team grants on the records whose names a condition chooses.
func seedGrants(ctx context.Context, conn *pgx.Conn, team uuid.UUID, systems, groups string) error {
	for table, kind := range map[string][2]string{"catalog_systems": {"catalog.system", systems}, "catalog_groups": {"catalog.group", groups}} {
		_, err := conn.Exec(ctx, fmt.Sprintf(`INSERT INTO relation_tuples (object_type, object_id, relation, subject_type, subject_id)
			SELECT '%s', id, 'editor', 'team', '%s' FROM %s WHERE %s ON CONFLICT DO NOTHING`, kind[0], team, table, kind[1]))
		if err != nil {
			return err
		}
	}
	return nil
}

// seedLists fills the database and makes the people who list what is in it.
func (s *stack) seedLists(ctx context.Context, conn *pgx.Conn) ([]viewer, error) {
	if _, err := conn.Exec(ctx, seedRecords); err != nil {
		return nil, err
	}
	people := []viewer{
		{name: "100,000 grants"},
		{name: "3 grants"},
		{name: "5,000 grants, spread"},
		{name: "5,000 grants, last names"},
		{name: "6,000 grants, last names"},
		{name: "20,000 grants, spread"},
		{name: "20,000 grants, last names"},
		{name: "member of one team", team: uuid.MustParse(teamID(17))},
		{name: "rule, 1,000 private", byRule: true},
	}
	chosen := [][2]string{
		{"true", "true"},
		{"name_key IN ('system 000017', 'system 054321', 'system 099999')", "name_key LIKE '%77'"},
		{"abs(hashtext(name)) % 20 = 0", "abs(hashtext(name)) % 20 = 0"},
		{"name_key > 'system 095000'", "name_key > 'group 009500'"},
		{"name_key > 'system 094000'", "name_key > 'group 009400'"},
		{"abs(hashtext(name)) % 5 = 0", "abs(hashtext(name)) % 5 = 0"},
		{"name_key > 'system 080000'", "name_key > 'group 008000'"},
		{"false", "name_key LIKE '%77'"},
		{"false", "false"},
	}
	for i := range people {
		p := &people[i]
		if p.byRule {
			p.client = s.people[0]
			continue
		}
		email, password := fmt.Sprintf("viewer%d@example.org", i), uuid.NewString()
		var made struct{ ID uuid.UUID }
		if err := s.post(
			ctx,
			s.people[0],
			"/api/users",
			map[string]string{"email": email, "name": email, "password": password},
			&made,
		); err != nil {
			return nil, err
		}
		if p.id = made.ID; p.team == uuid.Nil {
			p.team = uuid.New()
			if _, err := conn.Exec(ctx, "INSERT INTO teams (id, name) VALUES ($1, $2)", p.team, email); err != nil {
				return nil, err
			}
		}
		if _, err := conn.Exec(ctx, "INSERT INTO team_members (team_id, user_id) VALUES ($1, $2)", p.team, p.id); err != nil {
			return nil, err
		}
		if err := seedGrants(ctx, conn, p.team, chosen[i][0], chosen[i][1]); err != nil {
			return nil, err
		}
		var err error
		if p.client, err = s.login(ctx, email, password); err != nil {
			return nil, err
		}
	}
	_, err := conn.Exec(
		ctx,
		"VACUUM ANALYZE catalog_systems, catalog_groups, catalog_group_systems, catalog_environment_systems, "+
			"catalog_system_tags, relation_tuples, ai_memory, teams",
	)
	return people, err
}
