package memory

import (
	"context"

	"countersign/access"
	"countersign/modules/memory/memorydb"
	"countersign/principal"
	"countersign/text"
)

// Where the memories on systems are taken from: see the query Memories.
const (
	fromNewest = "newest"
	fromGrants = "grants"
	fromFew    = "few"
	fromSystem = "system"
	fromNone   = ""
)

// firstLook is how many memories are looked at in their order, for a caller whose grants may open few of them, before the
// page is chosen from all that they open. Beyond manyGrants the order alone meets enough of them soon.
const (
	firstLook  = 1000
	manyGrants = 20_000
)

// look is one way to a page; depth nil is without a limit.
type look struct {
	source string
	depth  *int64
}

// looks are the ways to a page in the order in which they are tried. One with a depth may miss what others find, unless
// the page is full; the last has none.
func (s *service) looks(ctx context.Context, f Filter, sight access.Sight, searching bool) ([]look, error) {
	switch {
	case f.Scope == User:
		return []look{{source: fromNone}}, nil
	case f.SystemID != nil:
		return []look{{source: fromSystem}}, nil
	case sight.Every():
		return []look{{source: fromNewest}}, nil
	}
	if few, err := sight.Few(ctx, s.db); err != nil || few {
		return []look{{source: fromFew}}, err
	}
	many, err := sight.HoldsMore(ctx, s.db, manyGrants)
	switch {
	case err != nil:
		return nil, err
	case many:
		return []look{{source: fromNewest}}, nil
	case searching:
		return []look{{source: fromGrants}}, nil
	}
	depth := int64(firstLook)
	return []look{{fromNewest, &depth}, {source: fromGrants}}, nil
}

// newest are memories without a search.
func (s *service) newest(ctx context.Context, f Filter, at *place, rows int32) (found []memorydb.SearchRow, err error) {
	sight := s.systems.Sight(ctx)
	params := memorydb.MemoriesParams{
		Own: f.Scope != System && f.SystemID == nil, ReaderID: principal.FromContext(ctx).ID, SystemID: f.SystemID, MaxRows: rows,
		ObjectType: sight.Kind.ObjectType, ByRule: sight.Every(), SubjectType: sight.SubjectType, SubjectID: sight.SubjectID, TeamIds: sight.TeamIDs,
	}
	if at != nil {
		params.Continued, params.AfterTime, params.AfterID = true, at.Time, at.ID
	}
	looks, err := s.looks(ctx, f, sight, false)
	if err != nil {
		return nil, err
	}
	for _, l := range looks {
		params.Source, params.Depth = l.source, l.depth
		list, err := memorydb.New(s.db.Planned(ctx)).Memories(ctx, params)
		if err != nil {
			return nil, err
		}
		found = found[:0]
		for _, row := range list {
			found = append(found, memorydb.SearchRow(row))
		}
		if len(found) == int(rows) {
			break
		}
	}
	return found, nil
}

// search looks for words and, when none is found, for the query as it is: parts of words, and languages without spaces.
func (s *service) search(ctx context.Context, f Filter, phrase string, at *place, rows int32) (found []memorydb.SearchRow, err error) {
	sight := s.systems.Sight(ctx)
	params := memorydb.SearchParams{
		Own: f.Scope != System && f.SystemID == nil, ReaderID: principal.FromContext(ctx).ID, SystemID: f.SystemID, MaxRows: rows,
		ObjectType: sight.Kind.ObjectType, ByRule: sight.Every(), SubjectType: sight.SubjectType, SubjectID: sight.SubjectID, TeamIds: sight.TeamIDs,
	}
	if at != nil {
		params.Continued, params.AfterRank, params.AfterTime, params.AfterID = true, at.Rank, at.Time, at.ID
	}
	looks, err := s.looks(ctx, f, sight, true)
	if err != nil {
		return nil, err
	}
	params.Source = looks[0].source
	for _, query := range []struct{ words, pattern string }{{words: searchQuery(f.Query)}, {pattern: text.Pattern(phrase)}} {
		if query.words == "" && query.pattern == "" {
			continue
		}
		params.Search, params.Pattern = query.words, query.pattern
		found, err = memorydb.New(s.db.Planned(ctx)).Search(ctx, params)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			break
		}
	}
	return found, nil
}
