package catalog

import (
	"context"
	"fmt"

	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/modules/catalog/catalogdb"
)

// MaxCount limits counting, so that its cost does not grow with the catalog.
const MaxCount = 1000

// Count is the number of systems that the caller sees.
type Count struct {
	Systems int  `json:"systems" doc:"How many there are, at most 1,000."`
	More    bool `json:"more,omitempty" doc:"There are more than that."`
}

// countSample is the number of systems in which a frequent text is counted before the index is used.
const countSample = 2000

// count counts the systems of all pages; a single page counts itself.
func (s *service) count(ctx context.Context, b *systemQuerySpec, first int, next rest.Next) (*Count, error) {
	p := b.params
	if p.NameKey != "" || p.After == "" && next.NextCursor == "" {
		return &Count{Systems: first}, nil
	}
	o, err := s.selectSource(ctx, b)
	if err != nil {
		return nil, err
	}
	hashed, err := s.canHashGrants(ctx, b)
	if err != nil {
		return nil, err
	}
	from := func(source string, depth int64) (int64, error) {
		params := catalogdb.CountSystemsParams{
			Source: source, Search: p.Search, Pattern: p.Pattern, Tag: p.Tag, GroupID: p.GroupID, EnvironmentID: p.EnvironmentID, TeamID: p.TeamID,
			Hashed: hashed, ByRule: p.ByRule, SubjectType: p.SubjectType, SubjectID: p.SubjectID, TeamIds: p.TeamIds, AtMost: MaxCount + 1,
		}
		if depth > 0 {
			params.Depth = &depth
		}
		counted, err := catalogdb.New(s.db.CustomPlans(ctx)).CountSystems(ctx, params)
		if err != nil {
			return 0, fmt.Errorf("count systems: %w", err)
		}
		return counted, nil
	}
	const all = 0
	var counted int64
	switch {
	case o.source == fromGrants && p.Search == "" && !o.few:
		counted, err = from(fromGrants, MaxCount+1)
	case !b.isScan(o):
		counted, err = from(o.source, all)
	default:
		if counted, err = from(o.source, countSample); err != nil || counted > MaxCount {
			break
		}
		narrow, failed := s.filterIsSelective(ctx, b, o)
		if failed != nil {
			return nil, failed
		}
		if b.isIndexed() && !narrow {
			o.source = fromSearch
		}
		counted, err = from(o.source, all)
	}
	if err != nil {
		return nil, err
	}
	return &Count{Systems: int(min(counted, MaxCount)), More: counted > MaxCount}, nil
}

// maxSimilar limits the similar systems shown when nothing was found.
const maxSimilar = 10

// similarSample limits the typo candidates checked for visibility first.
const similarSample = 200

// maxTypoScan is the number of systems of a group, environment, team or tag up to which names are compared one by one
// (fifty microseconds each): the index over all names finds too many for a frequent word.
const maxTypoScan = 500

// similar finds systems with typo tolerance: each word of the search may have one letter more, less or different, or
// two swapped.
func (s *service) similar(ctx context.Context, b *systemQuerySpec) ([]catalogdb.CatalogSystem, error) {
	p := b.params
	each, other := typoVariants(p.Search)
	if len(each) == 0 || len(each) > maxTypoWords || p.NameKey != "" {
		return nil, nil
	}
	each = append(each, []string{}, []string{})
	params := catalogdb.SimilarSystemsParams{
		Source: fromSlips, Depth: new(int64(similarSample)), First: each[0], Second: each[1], Third: each[2], Words: other, MaxRows: maxSimilar,
		Tag: p.Tag, GroupID: p.GroupID, EnvironmentID: p.EnvironmentID, TeamID: p.TeamID,
		ByRule: p.ByRule, SubjectType: p.SubjectType, SubjectID: p.SubjectID, TeamIds: p.TeamIds,
	}
	if b.few {
		params.Source = fromGrants
	}
	var err error
	if params.Hashed, err = s.canHashGrants(ctx, b); err != nil {
		return nil, err
	}
	return store.InTx(ctx, s.db, func(ctx context.Context) ([]catalogdb.CatalogSystem, error) {
		// Splitting a name takes fifty microseconds, which the planner does not count; the index has the words
		// already.
		if _, err := s.db.Conn(ctx).Exec(ctx, "SET LOCAL enable_seqscan = off"); err != nil {
			return nil, fmt.Errorf("prepare a search for similar systems: %w", err)
		}
		q := catalogdb.New(s.db.CustomPlans(ctx))
		rows, err := q.SimilarSystems(ctx, params)
		if err == nil && len(rows) == 0 && !b.few {
			o, failed := s.selectSource(ctx, b)
			if failed != nil {
				return nil, failed
			}
			if params.Depth = nil; o.setSize > 0 && o.setSize <= maxTypoScan {
				params.Source, params.Members = fromMembers, o.source
			}
			rows, err = q.SimilarSystems(ctx, params)
		}
		if err != nil {
			return nil, fmt.Errorf("list similar systems: %w", err)
		}
		return rows, nil
	})
}
