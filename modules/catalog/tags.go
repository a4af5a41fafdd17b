package catalog

import (
	"context"
	"fmt"

	"countersign/modules/catalog/catalogdb"
	"countersign/rest"
)

// How much is looked at for a page of tags: so many of them, and so many systems of each until one is found that the caller sees.
const (
	mostTags    = 1000
	depthOfTags = 200
)

// Tags are those of the systems that the caller may see, in the order of their letters. A tag whose first two hundred systems
// by name are all hidden from the caller may be left out, so that an answer costs no more than so many looks.
func (s *service) Tags(ctx context.Context, page rest.Page) ([]string, rest.Next, error) {
	after, err := page.After()
	if err != nil {
		return nil, rest.Next{}, err
	}
	b, err := s.browsed(ctx, SystemFilter{})
	if err != nil {
		return nil, rest.Next{}, err
	}
	hashed, err := s.hashes(ctx, &b)
	if err != nil {
		return nil, rest.Next{}, err
	}
	var tags []string
	if p := b.params; hashed {
		tags, err = s.queries(ctx).TagsOfGranted(ctx, catalogdb.TagsOfGrantedParams{
			SubjectType: p.SubjectType, SubjectID: p.SubjectID, TeamIds: p.TeamIds, After: after, MaxRows: page.Rows(),
		})
	} else {
		tags, err = s.queries(ctx).TagsOfSystems(ctx, catalogdb.TagsOfSystemsParams{
			ByRule: p.ByRule, SubjectType: p.SubjectType, SubjectID: p.SubjectID, TeamIds: p.TeamIds, After: after,
			MostTags: mostTags, Depth: depthOfTags, MaxRows: page.Rows(),
		})
	}
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list tags: %w", err)
	}
	tags, next := rest.Cut(page, tags, func(tag string) string { return tag })
	return tags, next, nil
}
