package memory

import (
	"context"

	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/text"
	"countersign/modules/memory/memorydb"
)

// Sources of memories on systems: see the query Memories.
const (
	fromNewest = "newest"
	fromGrants = "grants"
	fromFew    = "few"
	fromMany   = "many"
	fromSystem = "system"
	fromNone   = ""
)

// For a caller with few grants, firstLook memories are checked in order. If they do not fill the page, all granted
// ones are read: up to manyGrants by system, up to mostHashed by a hash join in order.
const (
	firstSample = 1000
	manyGrants  = 20_000
	maxHashed   = 100_000
)

// shared returns the first source to try for memories on systems.
func (s *service) shared(ctx context.Context, f Filter, sight access.Sight) (string, error) {
	switch {
	case f.Scope == User:
		return fromNone, nil
	case f.SystemID != nil:
		return fromSystem, nil
	}
	few, err := sight.Few(ctx, s.db)
	if err == nil && few {
		return fromFew, nil
	}
	return fromNewest, err
}

// sharedByGrants returns the source for a caller without the rule and with more than a few grants.
func (s *service) sharedByGrants(ctx context.Context, sight access.Sight) (string, error) {
	for _, o := range []struct {
		source string
		most   int32
	}{{fromGrants, manyGrants}, {fromMany, maxHashed}} {
		more, err := sight.HoldsMore(ctx, s.db, o.most)
		if err != nil || !more {
			return o.source, err
		}
	}
	return fromNewest, nil
}

// takesOwn reports whether the caller's own memories count. Those of an application are those of its chats, so a run of it
// reads none.
func (f Filter) takesOwn(ctx context.Context) bool {
	return f.Scope != System && f.SystemID == nil && principal.FromContext(ctx).Run == nil
}

// newest lists memories without a search.
func (s *service) newest(ctx context.Context, f Filter, at *searchCursor, rows int32) (found []memorydb.SearchRow, err error) {
	sight := s.systems.Sight(ctx)
	params := memorydb.MemoriesParams{
		Own:         f.takesOwn(ctx),
		ReaderID:    principal.FromContext(ctx).ID,
		SystemID:    f.SystemID,
		MaxRows:     rows,
		ObjectType:  sight.Kind.ObjectType,
		ByRule:      sight.Every(),
		SubjectType: sight.SubjectType,
		SubjectID:   sight.SubjectID,
		TeamIds:     sight.TeamIDs,
	}
	if at != nil {
		params.Continued, params.AfterTime, params.AfterID = true, at.Time, at.ID
	}
	if params.Source, err = s.shared(ctx, f, sight); err != nil {
		return nil, err
	}
	tried := params.Source == fromNewest && !sight.Every()
	if tried {
		depth := int64(firstSample)
		params.Depth = &depth
	}
	list, err := memorydb.New(s.db.CustomPlans(ctx)).Memories(ctx, params)
	if err == nil && tried && len(list) < int(rows) {
		params.Depth = nil
		if params.Source, err = s.sharedByGrants(ctx, sight); err != nil {
			return nil, err
		}
		list, err = memorydb.New(s.db.CustomPlans(ctx)).Memories(ctx, params)
	}
	for _, row := range list {
		found = append(found, memorydb.SearchRow(row))
	}
	return found, err
}

// search finds words and, without a hit, the query as a substring, for parts of words and languages without spaces.
func (s *service) search(
	ctx context.Context,
	f Filter,
	phrase string,
	at *searchCursor,
	rows int32,
) (found []memorydb.SearchRow, err error) {
	sight := s.systems.Sight(ctx)
	params := memorydb.SearchParams{
		Own:         f.takesOwn(ctx),
		ReaderID:    principal.FromContext(ctx).ID,
		SystemID:    f.SystemID,
		MaxRows:     rows,
		ObjectType:  sight.Kind.ObjectType,
		ByRule:      sight.Every(),
		SubjectType: sight.SubjectType,
		SubjectID:   sight.SubjectID,
		TeamIds:     sight.TeamIDs,
	}
	if at != nil {
		params.Continued, params.AfterRank, params.AfterTime, params.AfterID = true, at.Rank, at.Time, at.ID
	}
	if params.Source, err = s.shared(ctx, f, sight); err != nil {
		return nil, err
	}
	if params.Source == fromNewest && !sight.Every() {
		// With this many grants most hits are visible, so each is checked in turn.
		if more, err := sight.HoldsMore(ctx, s.db, manyGrants); err != nil {
			return nil, err
		} else if !more {
			params.Source = fromGrants
		}
	}
	for _, query := range []struct{ words, pattern string }{{words: searchQuery(f.Query)}, {pattern: text.Pattern(phrase)}} {
		if query.words == "" && query.pattern == "" {
			continue
		}
		params.Search, params.Pattern = query.words, query.pattern
		found, err = memorydb.New(s.db.CustomPlans(ctx)).Search(ctx, params)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			break
		}
	}
	return found, nil
}
