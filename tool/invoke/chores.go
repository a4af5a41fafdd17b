package invoke

import (
	"context"
	"time"

	"countersign/store/chore"
)

// abandoned is longer than a call may take, and short enough that nothing is left open for much longer than a minute after a crash.
const abandoned = Timeout + 10*time.Second

// Chores are what has to be done now and then.
func (s *Service) Chores() []chore.Chore {
	return []chore.Chore{
		{Name: "release abandoned tool calls", Every: 10 * time.Second, Do: func(ctx context.Context) error {
			return s.Budget.ReleaseAbandoned(ctx, abandoned)
		}},
		{Name: "fold refused tool calls", Every: 10 * time.Second, Do: s.Budget.FoldRefusals},
	}
}
