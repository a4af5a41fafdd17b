package catalog

import (
	"context"
	"fmt"

	"countersign/modules/catalog/catalogdb"
	"countersign/rest"
	"countersign/store"
)

// MaxCount is how many systems are counted at most: what a count costs does not grow with the catalog.
const MaxCount = 1000

// Count is how many systems there are for the caller.
type Count struct {
	Systems int  `json:"systems" doc:"How many there are, at most 1,000."`
	More    bool `json:"more,omitempty" doc:"There are more than that."`
}

// countLook is in how many systems a frequent text is counted before it is looked up in the index.
const countLook = 2000

// count is how many systems the pages have together. The first of them, when it is the last one too, says it.
func (s *service) count(ctx context.Context, b *browsing, first int, next rest.Next) (*Count, error) {
	p := b.params
	if p.NameKey != "" || p.After == "" && next.NextCursor == "" {
		return &Count{Systems: first}, nil
	}
	o, err := s.origin(ctx, b)
	if err != nil {
		return nil, err
	}
	hashed, err := s.hashes(ctx, b)
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
	case !b.searches(o):
		counted, err = from(o.source, all)
	default:
		if counted, err = from(o.source, countLook); err != nil || counted > MaxCount {
			break
		}
		narrow, failed := s.narrows(ctx, b, o)
		if failed != nil {
			return nil, failed
		}
		if b.indexed() && !narrow {
			o.source = fromSearch
		}
		counted, err = from(o.source, all)
	}
	if err != nil {
		return nil, err
	}
	return &Count{Systems: int(min(counted, MaxCount)), More: counted > MaxCount}, nil
}

// maxSimilar is how many systems are shown in place of none.
const maxSimilar = 10

// similarLook is of how many systems with a name that is a slip away those are chosen at first that the caller sees.
const similarLook = 200

// fewSlipped is up to how many systems of a group, an environment, a team or a tag their names are looked at one by one, at fifty
// microseconds each, when none was found among those: an index of all names finds too many for a word that is in most.
const fewSlipped = 500

// similar are systems whose names are a slip away from what was searched for: each word of the search has a letter too many, too few,
// another one, or two of them swapped.
func (s *service) similar(ctx context.Context, b *browsing) ([]catalogdb.CatalogSystem, error) {
	p := b.params
	each, other := slips(p.Search)
	if len(each) == 0 || len(each) > mostSlips || p.NameKey != "" {
		return nil, nil
	}
	each = append(each, []string{}, []string{})
	params := catalogdb.SimilarSystemsParams{
		Source: fromSlips, Depth: new(int64(similarLook)), First: each[0], Second: each[1], Third: each[2], Words: other, MaxRows: maxSimilar,
		Tag: p.Tag, GroupID: p.GroupID, EnvironmentID: p.EnvironmentID, TeamID: p.TeamID,
		ByRule: p.ByRule, SubjectType: p.SubjectType, SubjectID: p.SubjectID, TeamIds: p.TeamIds,
	}
	if b.few {
		params.Source = fromGrants
	}
	var err error
	if params.Hashed, err = s.hashes(ctx, b); err != nil {
		return nil, err
	}
	return store.InTx(ctx, s.db, func(ctx context.Context) ([]catalogdb.CatalogSystem, error) {
		// The index knows the words of a name, which take fifty microseconds to find out; the planner does not count that.
		if _, err := s.db.Conn(ctx).Exec(ctx, "SET LOCAL enable_seqscan = off"); err != nil {
			return nil, fmt.Errorf("prepare a search for similar systems: %w", err)
		}
		q := catalogdb.New(s.db.CustomPlans(ctx))
		rows, err := q.SimilarSystems(ctx, params)
		if err == nil && len(rows) == 0 && !b.few {
			o, failed := s.origin(ctx, b)
			if failed != nil {
				return nil, failed
			}
			if params.Depth = nil; o.held > 0 && o.held <= fewSlipped {
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
