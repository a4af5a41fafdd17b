package plans

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/auth"
	"countersign/auth/authdb"
	"countersign/modules/catalog/catalogdb"
	"countersign/modules/inspector/inspectordb"
)

// Users of the catalog, and their filters.
const (
	// All is a team with a grant on each system.
	All = "00000000-0000-4000-8008-000000000999"
	// Owners own each tenth system, and the last of them a two hundredth.
	Owners = "00000000-0000-4000-8008-000000000200"
	few    = "00000000-0000-4000-8008-000000000017"
	group  = "00000000-0000-4000-8002-000000000007"
	// place is an environment of each tenth system.
	place = "00000000-0000-4000-8003-000000000007"
	// operators is a role that everyone holds.
	operators = "00000000-0000-4000-8004-000000000007"
)

// catalogContents are systems with tags, groups and owners, in the order in which contents fills the rest.
func catalogContents() []string {
	return []string{
		`INSERT INTO catalog_systems (id, name, name_key, description, metadata, tags)
		 SELECT {system id}, 'System ' || lpad(i::text, 6, '0'), {system key}, 'Takes payments, number ' || i, '{}', ARRAY['t' || i % 50]
		 FROM generate_series(1, {systems}) i ORDER BY md5(i::text)`,
		`INSERT INTO catalog_system_tags (system_id, name_key, tag) SELECT {system id}, {system key}, 't' || i % 50 FROM generate_series(1, {systems}) i`,
		`INSERT INTO catalog_groups (id, name, name_key, description, metadata) VALUES ('` + group + `', 'Group', 'group', '', '{}')`,
		`INSERT INTO catalog_group_systems (group_id, system_id, name_key) SELECT '` + group + `', {system id}, {system key} FROM generate_series(7, {systems}, 10) i`,
		`INSERT INTO catalog_environments (id, name, name_key, description, fields) VALUES ('` + place + `', 'Place', 'place', '', '{}')`,
		`INSERT INTO catalog_environment_systems (environment_id, system_id, name_key) SELECT '` + place + `', {system id}, {system key} FROM generate_series(7, {systems}, 10) i`,
		`INSERT INTO relation_tuples (object_type, object_id, relation, subject_type, subject_id, sort_key)
		 SELECT 'catalog.system', {system id}, 'editor', 'team', '` + All + `'::uuid, {system key} FROM generate_series(1, {systems}) i
		 UNION ALL
		 SELECT 'catalog.system', {system id}, 'owner', 'team', ('00000000-0000-4000-8008-' || lpad((i % 200)::text, 12, '0'))::uuid, {system key}
		 FROM generate_series(1, {systems}) i
		 UNION ALL
		 SELECT 'catalog.system', {system id}, 'owner', 'team', '` + Owners + `', {system key} FROM generate_series(3, {systems}, 10) i`,
		// Each thousandth is disabled, and each five hundredth was invited.
		`INSERT INTO users (id, name, email, password_hash, disabled)
		 SELECT gen_random_uuid(), 'Person ' || md5(i::text), i || '@example.org', CASE WHEN i % 500 = 1 THEN '' ELSE 'hash' END, i % 1000 = 0
		 FROM generate_series(1, {systems}) i`,
		// Everyone is in one team and holds one role.
		`INSERT INTO roles (id, name, rules) VALUES ('` + operators + `', 'Operators', '{catalog.system.manage}')`,
		`INSERT INTO user_roles (user_id, role_id) SELECT id, '` + operators + `' FROM users`,
		`INSERT INTO team_members (team_id, user_id) SELECT '` + All + `', id FROM users`,
	}
}

// holders are pages of the people who may see or change a record, by roles and by a team, or who hold a rule.
func holders() []query {
	page := authdb.HoldingParams{
		Rules: []string{}, Opening: []string{"catalog.system.manage"}, Relations: []string{}, DefaultRole: auth.UsersRole, MaxRows: 201,
		After: uuid.MustParse("80000000-0000-0000-0000-000000000000"),
	}
	system := page
	system.Opening, system.Relations = append(system.Opening, "catalog.system.read"), []string{"viewer", "editor", "owner"}
	system.ObjectType, system.ObjectID = "catalog.system", uuid.MustParse("00000000-0000-4000-8001-000000000007")
	private := system
	private.Opening = []string{"nobody.holds.this"}
	ruled := page
	ruled.Rules = ruled.Opening
	var all []query
	for name, p := range map[string]authdb.HoldingParams{
		"who may see a system": system, "who may see a system by a team": private, "who holds a rule": ruled,
	} {
		all = append(all, query{name: name, most: 3000, run: func(ctx context.Context, c connections) error {
			rows, err := authdb.New(c.conn).Holding(ctx, p)
			if err == nil && len(rows) < 201 {
				err = fmt.Errorf("%d people are found, where there are many", len(rows))
			}
			return err
		}})
	}
	return all
}

// listed are pages of lists with filters: of a user with a grant on each system by a team, and of an administrator.
func listed() []query {
	member := catalogdb.SystemsParams{SubjectType: "user", SubjectID: uuid.MustParse(Quiet), TeamIds: []uuid.UUID{uuid.MustParse(All)}}
	ruled := catalogdb.SystemsParams{ByRule: true, SubjectType: "user", SubjectID: uuid.MustParse(Quiet), TeamIds: []uuid.UUID{}}
	// A word that is a slip away from one in each name, as itself and without any one of its letters.
	const word = "sytsem"
	slipped := []string{word}
	for i := range word {
		slipped = append(slipped, word[:i]+word[i+1:])
	}
	all := append(people(), holders()...)
	for _, who := range []struct {
		name   string
		params catalogdb.SystemsParams
		all    string
	}{{"somebody with grants on all", member, "grants"}, {"an administrator", ruled, "names"}} {
		for _, f := range []struct {
			name   string
			source string
			depth  int64
			set    func(p *catalogdb.SystemsParams)
		}{
			{"systems", who.all, 201, func(*catalogdb.SystemsParams) {}},
			{"systems, the last page", who.all, 201, func(p *catalogdb.SystemsParams) { p.After = "system 099" }},
			{"systems with a tag", "tag", 0, func(p *catalogdb.SystemsParams) { p.Tag = "t7" }},
			{"systems of a group", "group", 0, func(p *catalogdb.SystemsParams) { p.GroupID = new(uuid.MustParse(group)) }},
			{"systems of an environment", "environment", 0, func(p *catalogdb.SystemsParams) { p.EnvironmentID = new(uuid.MustParse(place)) }},
			{"systems of a team", "team", 0, func(p *catalogdb.SystemsParams) { p.TeamID = new(uuid.MustParse(few)) }},
			{"systems of a team that owns many", "team", 0, func(p *catalogdb.SystemsParams) { p.TeamID = new(uuid.MustParse(Owners)) }},
			{"systems of a team with a tag", "tag", 0, func(p *catalogdb.SystemsParams) { p.TeamID, p.Tag = new(uuid.MustParse(Owners)), "t3" }},
			{"systems with a text that all have", who.all, 1000, func(p *catalogdb.SystemsParams) { p.Search, p.Pattern = "payments", "%payments%" }},
			{"systems with a text that one has", "search", 0, func(p *catalogdb.SystemsParams) { p.Search, p.Pattern = "number 777", "%number 777%" }},
		} {
			p := who.params
			p.Source, p.MaxRows = f.source, 201
			if f.depth > 0 {
				p.Depth = &f.depth
			}
			f.set(&p)
			all = append(all, query{name: f.name + ", for " + who.name, most: 6000, run: func(ctx context.Context, c connections) error {
				_, err := catalogdb.New(c.planned).Systems(ctx, p)
				return err
			}})
			count := catalogdb.CountSystemsParams{
				Source:        p.Source,
				Search:        p.Search,
				Pattern:       p.Pattern,
				Tag:           p.Tag,
				GroupID:       p.GroupID,
				EnvironmentID: p.EnvironmentID,
				TeamID:        p.TeamID,
				ByRule:        p.ByRule,
				SubjectType:   p.SubjectType,
				SubjectID:     p.SubjectID,
				TeamIds:       p.TeamIds,
				AtMost:        1001,
			}
			if f.depth > 0 {
				count.Depth = new(int64(2000))
			}
			all = append(
				all,
				query{name: "how many " + f.name + ", for " + who.name, most: 15_000, run: func(ctx context.Context, c connections) error {
					_, err := catalogdb.New(c.planned).CountSystems(ctx, count)
					return err
				}},
			)
		}
		slip := catalogdb.SimilarSystemsParams{
			Source:      "slips",
			Depth:       new(int64(200)),
			First:       slipped,
			Second:      []string{},
			Third:       []string{},
			Words:       []string{},
			ByRule:      who.params.ByRule,
			SubjectType: who.params.SubjectType,
			SubjectID:   who.params.SubjectID,
			TeamIds:     who.params.TeamIds,
			MaxRows:     10,
		}
		all = append(all, query{name: "a slip in every name, for " + who.name, most: 15_000, run: func(ctx context.Context, c connections) error {
			if _, err := c.conn.Conn.Exec(ctx, "SET LOCAL enable_seqscan = off"); err != nil {
				return err
			}
			_, err := catalogdb.New(c.planned).SimilarSystems(ctx, slip)
			return err
		}})
		owned := slip
		owned.Source, owned.Members, owned.Depth, owned.TeamID = "members", "team", nil, new(uuid.MustParse(few))
		all = append(
			all,
			query{name: "a slip in every name of a team, for " + who.name, most: 15_000, run: func(ctx context.Context, c connections) error {
				if _, err := c.conn.Conn.Exec(ctx, "SET LOCAL enable_seqscan = off"); err != nil {
					return err
				}
				_, err := catalogdb.New(c.planned).SimilarSystems(ctx, owned)
				return err
			}},
		)
	}
	return append(all, turns()...)
}

// people are pages of users.
func people() []query {
	var all []query
	for name, p := range map[string]authdb.UsersParams{
		"people":                      {},
		"people who are disabled":     {Status: "disabled"},
		"people who were invited":     {Status: "invited"},
		"people who can sign in":      {Status: "active"},
		"people with a text":          {Longest: "%77777@%", Words: []string{"%77777@%"}},
		"people with a text of all":   {Longest: "%example%", Words: []string{"%example%"}},
		"people with a text, invited": {Longest: "%example%", Words: []string{"%example%"}, Status: "invited"},
	} {
		if p.Most = 51; p.Words == nil {
			p.Words = []string{}
		}
		all = append(all, query{name: name, most: 3000, run: func(ctx context.Context, c connections) error {
			if _, err := authdb.New(c.planned).Users(ctx, p); err != nil {
				return err
			}
			_, err := authdb.New(
				c.planned,
			).CountUsers(
				ctx,
				authdb.CountUsersParams{Words: p.Words, Longest: p.Longest, Status: p.Status, Most: 1001},
			)
			return err
		}})
	}
	return all
}

// turns are pages of the turns of everybody.
func turns() []query {
	var all []query
	for name, p := range map[string]inspectordb.TurnsParams{
		"turns":                    {},
		"turns of somebody":        {PrincipalID: new(uuid.MustParse(Busy))},
		"turns that run":           {Statuses: []string{"pending", "running"}},
		"turns that failed":        {Statuses: []string{"failed"}},
		"turns that took long":     {SlowSeconds: 300},
		"turns with another model": {Model: "another"},
		"turns that ended well":    {Done: true},
		"turns that did not help":  {Feedback: "down"},
	} {
		if p.MaxRows, p.Depth = 51, 10_000; p.Statuses == nil {
			p.Statuses = []string{}
		}
		all = append(all, query{name: name, most: 6000, run: func(ctx context.Context, c connections) error {
			if _, err := inspectordb.New(c.planned).Turns(ctx, p); err != nil {
				return err
			}
			_, err := inspectordb.New(
				c.planned,
			).LastLookedAt(
				ctx,
				inspectordb.LastLookedAtParams{Statuses: p.Statuses, PrincipalID: p.PrincipalID, Skipped: p.Depth - 1},
			)
			return err
		}})
	}
	return all
}
