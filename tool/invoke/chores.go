package invoke

import (
	"context"
	"time"

	"countersign/internal/store/chore"
)

// abandoned is longer than any call takes, and closes the rows of a crashed process after little more than a minute.
const abandoned = Timeout + 10*time.Second

// Chores are the periodic jobs of this package.
func (s *Service) Chores() []chore.Chore {
	return []chore.Chore{
		{Name: "release abandoned tool calls", Every: 10 * time.Second, Do: func(ctx context.Context) error {
			return s.Budget.ReleaseAbandoned(ctx, abandoned)
		}},
		{Name: "fold refused tool calls", Every: 10 * time.Second, Do: s.Budget.FoldRefusals},
	}
}
