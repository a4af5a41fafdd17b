package catalog

import (
	"context"
	"fmt"
	"unicode/utf8"

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
	fromSlips       = "slips"
	fromMembers     = "members"
)

// fewMembers is up to how many systems of a group, an environment, a team or a tag are looked through one by one for a word.
const fewMembers = 3000

// hashedGrants is up to how many grants of a caller, whom no rule lets see any, are read at once to decide about systems that
// a filter lets through. Who holds more sees so many that asking about each fills a page soon.
const hashedGrants = 25_000

// How a search is tried out whose systems are not known to be few: on so many of those in question, in order. When it lets
// fewer than rareFinds through, what is searched for is best looked up by itself.
const (
	firstLook  = 1000
	secondLook = 20_000
	rareFinds  = 30
)

// indexedLetters is from how many letters on what is searched for is looked up in the index.
const indexedLetters = 3

// browsing is what a caller looks for among the systems that it may see.
type browsing struct {
	params catalogdb.SystemsParams
	sight  access.Sight
	// few says that few grants open what the caller sees.
	few bool
	// hashed is set once it is known.
	hashed *bool
}

// hashes reports whether the caller's grants are few enough to be read at once.
func (s *service) hashes(ctx context.Context, b *browsing) (bool, error) {
	if b.params.ByRule {
		return false, nil
	}
	if b.hashed == nil {
		more, err := b.sight.HoldsMore(ctx, s.db, hashedGrants)
		if err != nil {
			return false, err
		}
		b.hashed = new(!more)
	}
	return *b.hashed, nil
}

// searches reports whether systems are searched for by a text that has to be compared with each of many.
func (b *browsing) searches(o origin) bool { return b.params.Search != "" && !o.few }

// indexed reports whether what is searched for can be looked up by itself.
func (b *browsing) indexed() bool { return utf8.RuneCountInString(b.params.Search) >= indexedLetters }

// systemRows is a page of systems, read from where it takes the least. All ways find the same.
func (s *service) systemRows(ctx context.Context, b *browsing) ([]catalogdb.CatalogSystem, error) {
	o, err := s.origin(ctx, b)
	if err != nil {
		return nil, err
	}
	params := b.params
	from := func(source string, depth int64) ([]catalogdb.CatalogSystem, error) {
		params.Source, params.Depth, params.Hashed = source, nil, false
		if depth > 0 {
			params.Depth = &depth
		}
		if source != fromGrants && source != fromNames {
			var err error
			if params.Hashed, err = s.hashes(ctx, b); err != nil {
				return nil, err
			}
		}
		return catalogdb.New(s.db.CustomPlans(ctx)).Systems(ctx, params)
	}
	const all = 0
	switch {
	case o.source == fromGrants && !o.few && params.Search == "":
		return from(fromGrants, int64(params.MaxRows))
	case !b.searches(o):
		return from(o.source, all)
	}
	rows, err := from(o.source, firstLook)
	if err != nil || len(rows) == int(params.MaxRows) {
		return rows, err
	}
	narrow, err := s.narrows(ctx, b, o)
	switch {
	case err != nil:
		return nil, err
	case narrow:
		return from(o.source, all)
	case len(rows) < rareFinds && b.indexed():
		return from(fromSearch, all)
	case o.source != fromGrants:
		return from(o.source, all)
	}
	rows, err = from(fromGrants, secondLook)
	if err != nil || len(rows) == int(params.MaxRows) {
		return rows, err
	}
	if more, err := b.sight.HoldsMore(ctx, s.db, secondLook); err != nil || !more {
		return rows, err
	}
	return from(fromGrants, all)
}

// narrows reports whether a filter is read to its end whatever is searched for, as the caller sees few of its systems:
// few finds say nothing of how frequent a word is then, and an index finds it in everything that the caller does not
// see, too.
func (s *service) narrows(ctx context.Context, b *browsing, o origin) (bool, error) {
	if o.source == fromGrants || o.source == fromNames {
		return false, nil
	}
	return s.hashes(ctx, b)
}

// origin is where systems are taken from; few says that there are so few that each can be looked at.
type origin struct {
	source string
	few    bool
	// held is how many there are, up to fewMembers and one more, where a filter says so.
	held int64
}

// origin is where a page is to be taken from: of several filters, from that which lets the fewest through. A name is of one
// system at most.
func (s *service) origin(ctx context.Context, b *browsing) (origin, error) {
	p := b.params
	switch {
	case p.NameKey != "":
		return origin{source: fromNames, few: true}, nil
	case b.few:
		return origin{source: fromGrants, few: true}, nil
	}
	best, fewest := origin{source: fromNames}, int64(-1)
	if !p.ByRule {
		best.source = fromGrants
	}
	for _, o := range []struct {
		source  string
		members catalogdb.CountMembersParams
		named   bool
	}{
		{fromGroup, catalogdb.CountMembersParams{GroupID: p.GroupID}, p.GroupID != nil},
		{fromEnvironment, catalogdb.CountMembersParams{EnvironmentID: p.EnvironmentID}, p.EnvironmentID != nil},
		{fromTeam, catalogdb.CountMembersParams{TeamID: p.TeamID}, p.TeamID != nil},
		{fromTag, catalogdb.CountMembersParams{Tag: &p.Tag}, p.Tag != ""},
	} {
		if !o.named {
			continue
		}
		o.members.AtMost = fewMembers + 1
		held, err := s.queries(ctx).CountMembers(ctx, o.members)
		if err != nil {
			return origin{}, fmt.Errorf("count members: %w", err)
		}
		if fewest < 0 || held < fewest {
			best, fewest = origin{o.source, held <= fewMembers, held}, held
		}
	}
	return best, nil
}
