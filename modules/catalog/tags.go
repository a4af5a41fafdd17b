package catalog

import (
	"context"
	"fmt"

	"countersign/internal/rest"
	"countersign/modules/catalog/catalogdb"
)

// Limits of the skip scan for a page of tags: tags, and systems checked per tag.
const (
	maxTagScan    = 1000
	systemsPerTag = 200
)

// Tags lists the tags of visible systems in alphabetical order. A tag whose first two hundred systems by name are all
// hidden may be left out, which bounds the cost of an answer.
func (s *service) Tags(ctx context.Context, page rest.Page) ([]string, rest.Next, error) {
	after, err := page.After()
	if err != nil {
		return nil, rest.Next{}, err
	}
	b, err := s.parseFilter(ctx, SystemFilter{})
	if err != nil {
		return nil, rest.Next{}, err
	}
	hashed, err := s.canHashGrants(ctx, &b)
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
			MostTags: maxTagScan, Depth: systemsPerTag, MaxRows: page.Rows(),
		})
	}
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list tags: %w", err)
	}
	tags, next := rest.Cut(page, tags, func(tag string) string { return tag })
	return tags, next, nil
}
