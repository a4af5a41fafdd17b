package script

import (
	"time"

	"countersign/internal/store/chore"
)

// Chores returns the periodic jobs.
func (s *Service) Chores() []chore.Chore {
	return []chore.Chore{{Name: "prune script tests", Every: time.Minute, Do: s.Prune}}
}
