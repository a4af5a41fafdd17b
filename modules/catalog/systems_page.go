package catalog

import (
	"context"
	"fmt"
	"unicode/utf8"

	"countersign/internal/access"
	"countersign/modules/catalog/catalogdb"
)

// Sources of a page of systems: see the query Systems.
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

// maxMemberScan is the number of systems of a group, environment, team or tag up to which each is compared with a
// search.
const maxMemberScan = 3000

// hashedGrants is the number of grants, of a caller without the rule, up to which they are read at once for a filter.
// With more grants, checking system by system fills a page soon.
const hashedGrants = 25_000

// Sample sizes for a search of unknown selectivity, in page order. Below rareFinds hits the index is faster.
const (
	firstSample  = 1000
	secondSample = 20_000
	rareHits     = 30
)

// indexedLetters is the length of a search from which the index is used.
const indexedLetters = 3

// systemQuerySpec is a caller's query over the systems that they see.
type systemQuerySpec struct {
	params catalogdb.SystemsParams
	sight  access.Sight
	// few reports that few grants open the caller's systems.
	few bool
	// grantsHashed is nil until known.
	grantsHashed *bool
}

// canHashGrants reports whether the caller's grants are few enough to be read at once.
func (s *service) canHashGrants(ctx context.Context, b *systemQuerySpec) (bool, error) {
	if b.params.ByRule {
		return false, nil
	}
	if b.grantsHashed == nil {
		more, err := b.sight.HoldsMore(ctx, s.db, hashedGrants)
		if err != nil {
			return false, err
		}
		b.grantsHashed = new(!more)
	}
	return *b.grantsHashed, nil
}

// isScan reports whether the search has to be compared with many systems.
func (b *systemQuerySpec) isScan(o pageSource) bool { return b.params.Search != "" && !o.few }

// isIndexed reports whether the index can find the search.
func (b *systemQuerySpec) isIndexed() bool {
	return utf8.RuneCountInString(b.params.Search) >= indexedLetters
}

// systemRows reads a page of systems from the cheapest source. All sources give the same page.
func (s *service) systemRows(ctx context.Context, b *systemQuerySpec) ([]catalogdb.CatalogSystem, error) {
	o, err := s.selectSource(ctx, b)
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
			if params.Hashed, err = s.canHashGrants(ctx, b); err != nil {
				return nil, err
			}
		}
		return catalogdb.New(s.db.CustomPlans(ctx)).Systems(ctx, params)
	}
	const all = 0
	switch {
	case o.source == fromGrants && !o.few && params.Search == "":
		return from(fromGrants, int64(params.MaxRows))
	case !b.isScan(o):
		return from(o.source, all)
	}
	rows, err := from(o.source, firstSample)
	if err != nil || len(rows) == int(params.MaxRows) {
		return rows, err
	}
	narrow, err := s.filterIsSelective(ctx, b, o)
	switch {
	case err != nil:
		return nil, err
	case narrow:
		return from(o.source, all)
	case len(rows) < rareHits && b.isIndexed():
		return from(fromSearch, all)
	case o.source != fromGrants:
		return from(o.source, all)
	}
	rows, err = from(fromGrants, secondSample)
	if err != nil || len(rows) == int(params.MaxRows) {
		return rows, err
	}
	if more, err := b.sight.HoldsMore(ctx, s.db, secondSample); err != nil || !more {
		return rows, err
	}
	return from(fromGrants, all)
}

// filterIsSelective reports whether a filter is read fully for any search because the caller sees few of its systems: few hits
// then say nothing about the frequency of a word, and the index would also find invisible systems.
func (s *service) filterIsSelective(ctx context.Context, b *systemQuerySpec, o pageSource) (bool, error) {
	if o.source == fromGrants || o.source == fromNames {
		return false, nil
	}
	return s.canHashGrants(ctx, b)
}

// pageSource is the source of a page; few reports that each of its systems can be checked.
type pageSource struct {
	source string
	few    bool
	// setSize is the size of a filter's set, at most fewMembers plus one.
	setSize int64
}

// selectSource selects the source of a page: the most selective of several filters. A name selects one system at most.
func (s *service) selectSource(ctx context.Context, b *systemQuerySpec) (pageSource, error) {
	p := b.params
	switch {
	case p.NameKey != "":
		return pageSource{source: fromNames, few: true}, nil
	case b.few:
		return pageSource{source: fromGrants, few: true}, nil
	}
	best, fewest := pageSource{source: fromNames}, int64(-1)
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
		o.members.AtMost = maxMemberScan + 1
		held, err := s.queries(ctx).CountMembers(ctx, o.members)
		if err != nil {
			return pageSource{}, fmt.Errorf("count members: %w", err)
		}
		if fewest < 0 || held < fewest {
			best, fewest = pageSource{o.source, held <= maxMemberScan, held}, held
		}
	}
	return best, nil
}
