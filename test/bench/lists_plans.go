package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/store"
	"countersign/modules/catalog/catalogdb"
	"countersign/modules/memory/memorydb"
)

// large are the tables that no page may scan as a whole.
var large = []string{"catalog_systems", "catalog_groups", "catalog_group_systems", "catalog_system_tags", "relation_tuples", "ai_memory"}

// explainLists prints the plan of each list query with the arguments of the services, and fails on a scan of a large
// table.
func explainLists(ctx context.Context, database string, people []viewer) error {
	db, err := store.Open(ctx, database, store.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	conn := &explained{Conn: db.Conn(ctx), large: large}
	kind := func(name string) access.Kind {
		return access.Kind{
			Noun:       name,
			Plural:     name + "s",
			ObjectType: "catalog." + name,
			Read:       "catalog." + name + ".read",
			Manage:     "catalog." + name + ".manage",
		}
	}
	for _, p := range people {
		who := principal.Principal{Kind: principal.User, ID: p.id, TeamIDs: []uuid.UUID{p.team}}
		if p.byRule {
			who.Rules = []string{principal.Admin}
		}
		as := principal.NewContext(ctx, who)
		systems, groups := kind("system").Sight(as), kind("group").Sight(as)
		many := func(systems access.Sight, than int32) bool {
			more, e := systems.HoldsMore(as, db, than)
			err = errors.Join(err, e)
			return more
		}
		few := !systems.Every() && !many(systems, 1000)
		page := catalogdb.SystemsParams{
			Source:      "names",
			MaxRows:     201,
			ByRule:      systems.Every(),
			SubjectType: systems.SubjectType,
			SubjectID:   systems.SubjectID,
			TeamIds:     systems.TeamIDs,
		}
		rows, look := int64(page.MaxRows), int64(1000)
		if !systems.Every() {
			page.Source, page.Depth = "grants", &rows
		}
		tagged, ofGroup, inPlace, ofTeam, common, rare, both := page, page, page, page, page, page, page
		tagged.Tag, tagged.Depth = "t7", nil
		ofGroup.GroupID, ofGroup.Depth = new(uuid.MustParse(groupID)), nil
		inPlace.EnvironmentID, inPlace.Depth = new(uuid.MustParse(environmentID)), nil
		ofTeam.TeamID, ofTeam.Depth = new(uuid.MustParse(teamID(17))), nil
		common.Search, common.Pattern, common.Depth = "payments", "%payments%", &look
		rare.Search, rare.Pattern, rare.Depth = "zebra", "%zebra%", nil
		both.TeamID, both.Search, both.Pattern, both.Depth = new(uuid.MustParse(teamID(200))), "payments", "%payments%", &look
		if !few {
			hashed := !systems.Every() && !many(systems, 10_000)
			for source, p := range map[string]*catalogdb.SystemsParams{"tag": &tagged, "group": &ofGroup, "environment": &inPlace, "team": &ofTeam, "search": &rare} {
				p.Source, p.Hashed = source, hashed
			}
			both.Source, both.Hashed = "team", hashed
		}
		newest := memorydb.MemoriesParams{
			Own: true, ReaderID: p.id, MaxRows: 51, Source: "newest", ObjectType: systems.Kind.ObjectType,
			ByRule: systems.Every(), SubjectType: systems.SubjectType, SubjectID: systems.SubjectID, TeamIds: systems.TeamIDs,
		}
		by, searched := newest, newest.Source
		switch {
		case systems.Every():
		case few:
			by.Source, searched = "few", "few"
		case !many(systems, 20_000):
			by.Source, searched = "grants", "grants"
		default:
			by.Source = "many"
		}
		if !systems.Every() {
			newest.Depth = &look
		}
		found := memorydb.SearchParams{
			Own: true, ReaderID: p.id, MaxRows: 51, Source: searched, Search: "'window7':*", ObjectType: newest.ObjectType,
			ByRule: newest.ByRule, SubjectType: newest.SubjectType, SubjectID: newest.SubjectID, TeamIds: newest.TeamIds,
		}
		if err != nil {
			return err
		}
		explain := func(name string, run func() error) error {
			fmt.Printf("\n## %s, %s\n\n```\n", name, p.name)
			defer fmt.Println("```")
			return run()
		}
		for _, query := range []struct {
			name string
			run  func() error
		}{
			{"Systems", func() error { _, err := catalogdb.New(conn).Systems(ctx, page); return err }},
			{"Systems with a tag", func() error { _, err := catalogdb.New(conn).Systems(ctx, tagged); return err }},
			{"Systems of a group", func() error { _, err := catalogdb.New(conn).Systems(ctx, ofGroup); return err }},
			{"Systems of an environment", func() error { _, err := catalogdb.New(conn).Systems(ctx, inPlace); return err }},
			{"Systems of a team", func() error { _, err := catalogdb.New(conn).Systems(ctx, ofTeam); return err }},
			{"Systems like a common word", func() error { _, err := catalogdb.New(conn).Systems(ctx, common); return err }},
			{"Systems of a large team like a common word", func() error { _, err := catalogdb.New(conn).Systems(ctx, both); return err }},
			{"Systems like a rare word", func() error { _, err := catalogdb.New(conn).Systems(ctx, rare); return err }},
			{"Groups", func() error {
				_, err := catalogdb.New(conn).Groups(ctx, catalogdb.GroupsParams{
					MaxRows: 201, ByGrants: !groups.Every(), ByRule: groups.Every(), SubjectType: groups.SubjectType, SubjectID: groups.SubjectID, TeamIds: groups.TeamIDs,
				})
				return err
			}},
			{"Memories", func() error { _, err := memorydb.New(conn).Memories(ctx, newest); return err }},
			{"Memories by grants", func() error { _, err := memorydb.New(conn).Memories(ctx, by); return err }},
			{"Memories about a word", func() error { _, err := memorydb.New(conn).Search(ctx, found); return err }},
		} {
			if err := explain(query.name, query.run); err != nil {
				return err
			}
		}
	}
	return conn.err()
}
