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
	fromMany   = "many"
	fromSystem = "system"
	fromNone   = ""
)

// For a caller whose grants may open few memories, firstLook of them are looked at in their order. When these do not fill the
// page, it is chosen from all that the grants open: up to manyGrants by looking each of their systems up, up to mostHashed
// by going on in order and comparing with all of them.
const (
	firstLook  = 1000
	manyGrants = 20_000
	mostHashed = 100_000
)

// shared is where memories on systems are taken from, first when nothing says that it takes long.
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

// sharedByGrants is where they are taken from for a caller whom no rule lets see any and who holds more than a few.
func (s *service) sharedByGrants(ctx context.Context, sight access.Sight) (string, error) {
	for _, o := range []struct {
		source string
		most   int32
	}{{fromGrants, manyGrants}, {fromMany, mostHashed}} {
		more, err := sight.HoldsMore(ctx, s.db, o.most)
		if err != nil || !more {
			return o.source, err
		}
	}
	return fromNewest, nil
}

// newest are memories without a search.
func (s *service) newest(ctx context.Context, f Filter, at *place, rows int32) (found []memorydb.SearchRow, err error) {
	sight := s.systems.Sight(ctx)
	params := memorydb.MemoriesParams{
		Own:         f.Scope != System && f.SystemID == nil,
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
		depth := int64(firstLook)
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

// search looks for words and, when none is found, for the query as it is: parts of words, and languages without spaces.
func (s *service) search(ctx context.Context, f Filter, phrase string, at *place, rows int32) (found []memorydb.SearchRow, err error) {
	sight := s.systems.Sight(ctx)
	params := memorydb.SearchParams{
		Own:         f.Scope != System && f.SystemID == nil,
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
		// Of so many that most of them open what is found, each is asked about in turn.
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
