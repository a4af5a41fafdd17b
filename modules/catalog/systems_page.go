package catalog

import (
	"context"
	"fmt"

	"countersign/access"
	"countersign/modules/catalog/catalogdb"
)

// What the systems of a page are taken from: see the query Systems.
const (
	fromNames       = "names"
	fromGrants      = "grants"
	fromTag         = "tag"
	fromGroup       = "group"
	fromEnvironment = "environment"
	fromTeam        = "team"
	fromSearch      = "search"
)

// fewMembers is up to how many systems of a group, an environment, a team or a tag are looked through one by one.
const fewMembers = 3000

// hashedGrants is up to how many grants of a caller, whom no rule lets see any, are read at once to decide about systems that
// a filter lets through.
const hashedGrants = 10_000

// How a filter is tried out whose systems are not known to be few: on so many of those in question, in order. When it lets
// fewer than rareFinds through, what is searched for is best looked up by itself.
const (
	firstLook  = 1000
	secondLook = 20_000
	rareFinds  = 30
)

// systemRows is a page of systems, read from where it takes the least. All ways find the same.
func (s *service) systemRows(ctx context.Context, params catalogdb.SystemsParams, sight access.Sight, few bool) ([]catalogdb.CatalogSystem, error) {
	source, err := s.source(ctx, params, few)
	if err != nil {
		return nil, err
	}
	from := func(source string, depth int64) ([]catalogdb.CatalogSystem, error) {
		params.Source, params.Depth, params.Hashed = source, nil, false
		if depth > 0 {
			params.Depth = &depth
		}
		if !params.ByRule && source != fromGrants && source != fromNames {
			more, err := sight.HoldsMore(ctx, s.db, hashedGrants)
			if err != nil {
				return nil, err
			}
			params.Hashed = !more
		}
		return catalogdb.New(s.db.Planned(ctx)).Systems(ctx, params)
	}
	const all = 0
	searching := params.Search != ""
	switch {
	case source == fromGrants && !searching && !filtered(params):
		return from(fromGrants, int64(params.MaxRows))
	case source == fromNames && searching && params.NameKey == "", source == fromGrants && !few:
	default:
		return from(source, all)
	}
	rows, err := from(source, firstLook)
	switch {
	case err != nil || len(rows) == int(params.MaxRows):
		return rows, err
	case searching && len(rows) < rareFinds:
		return from(fromSearch, all)
	case source == fromNames:
		return from(fromNames, all)
	}
	rows, err = from(fromGrants, secondLook)
	if err != nil || len(rows) == int(params.MaxRows) {
		return rows, err
	}
	if more, err := sight.HoldsMore(ctx, s.db, secondLook); err != nil || !more {
		return rows, err
	}
	return from(fromGrants, all)
}

// filtered reports whether something else than a search narrows the list.
func filtered(params catalogdb.SystemsParams) bool {
	return params.Tag != "" || params.GroupID != nil || params.EnvironmentID != nil || params.TeamID != nil
}

// source is where a page is to be taken from. A name is of one system at most.
func (s *service) source(ctx context.Context, params catalogdb.SystemsParams, few bool) (string, error) {
	switch {
	case params.NameKey != "":
		return fromNames, nil
	case few:
		return fromGrants, nil
	}
	for _, o := range []struct {
		source  string
		members catalogdb.CountMembersParams
		named   bool
	}{
		{fromGroup, catalogdb.CountMembersParams{GroupID: params.GroupID}, params.GroupID != nil},
		{fromEnvironment, catalogdb.CountMembersParams{EnvironmentID: params.EnvironmentID}, params.EnvironmentID != nil},
		{fromTeam, catalogdb.CountMembersParams{TeamID: params.TeamID}, params.TeamID != nil},
		{fromTag, catalogdb.CountMembersParams{Tag: &params.Tag}, params.Tag != ""},
	} {
		if !o.named {
			continue
		}
		o.members.AtMost = fewMembers + 1
		held, err := s.queries(ctx).CountMembers(ctx, o.members)
		if err != nil {
			return "", fmt.Errorf("count members: %w", err)
		}
		if held <= fewMembers {
			return o.source, nil
		}
	}
	switch {
	case !params.ByRule:
		return fromGrants, nil
	case params.TeamID != nil && params.Search == "":
		return fromTeam, nil
	case params.Tag != "" && params.Search == "":
		return fromTag, nil
	}
	return fromNames, nil
}
