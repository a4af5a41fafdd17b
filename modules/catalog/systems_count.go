package catalog

import (
	"context"
	"fmt"
	"unicode/utf8"

	"countersign/modules/catalog/catalogdb"
	"countersign/rest"
)

// MaxCount is how many systems are counted at most: what a count costs does not grow with the catalog.
const MaxCount = 10_000

// Count is how many systems there are for the caller.
type Count struct {
	Systems int  `json:"systems" doc:"How many there are, at most 10,000."`
	More    bool `json:"more,omitempty" doc:"There are more than that."`
}

// indexedLetters is from how many letters on what is searched for is looked up in the index.
const indexedLetters = 3

// count is how many systems the pages have together. The first of them, when it is the last one too, says it.
func (s *service) count(ctx context.Context, b browsing, first int, next rest.Next) (*Count, error) {
	p := b.params
	if p.NameKey != "" || p.After == "" && next.NextCursor == "" {
		return &Count{Systems: first}, nil
	}
	source, err := s.source(ctx, p, b.few)
	if err != nil {
		return nil, err
	}
	if source == fromNames && utf8.RuneCountInString(p.Search) >= indexedLetters {
		source = fromSearch
	}
	params := catalogdb.CountSystemsParams{
		Source: source, Search: p.Search, Pattern: p.Pattern, Tag: p.Tag, GroupID: p.GroupID, EnvironmentID: p.EnvironmentID, TeamID: p.TeamID,
		ByRule: p.ByRule, SubjectType: p.SubjectType, SubjectID: p.SubjectID, TeamIds: p.TeamIds, AtMost: MaxCount + 1,
	}
	if p.Search == "" && !filtered(p) {
		params.Depth = new(int64(MaxCount + 1))
	}
	counted, err := catalogdb.New(s.db.Planned(ctx)).CountSystems(ctx, params)
	if err != nil {
		return nil, fmt.Errorf("count systems: %w", err)
	}
	return &Count{Systems: int(min(counted, MaxCount)), More: counted > MaxCount}, nil
}

// maxSimilar is how many systems are shown in place of none.
const maxSimilar = 10

// similar are systems whose names are a slip away from what was searched for: each word of the search has a letter too many, too few,
// another one, or two of them swapped.
func (s *service) similar(ctx context.Context, b browsing) ([]catalogdb.CatalogSystem, error) {
	p := b.params
	each, other := slips(p.Search)
	if len(each) == 0 || len(each) > mostSlips || p.NameKey != "" {
		return nil, nil
	}
	each = append(each, []string{}, []string{})
	params := catalogdb.SimilarSystemsParams{
		First: each[0], Second: each[1], Third: each[2], Words: other, MaxRows: maxSimilar,
		Tag: p.Tag, GroupID: p.GroupID, EnvironmentID: p.EnvironmentID, TeamID: p.TeamID,
		ByRule: p.ByRule, SubjectType: p.SubjectType, SubjectID: p.SubjectID, TeamIds: p.TeamIds,
	}
	if !p.ByRule {
		more, err := b.sight.HoldsMore(ctx, s.db, hashedGrants)
		if err != nil {
			return nil, err
		}
		params.Hashed = !more
	}
	rows, err := catalogdb.New(s.db.Planned(ctx)).SimilarSystems(ctx, params)
	if err != nil {
		return nil, fmt.Errorf("list similar systems: %w", err)
	}
	return rows, nil
}
