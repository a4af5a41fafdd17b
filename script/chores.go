package script

import (
	"time"

	"countersign/store/chore"
)

// Chores are what has to be done now and then.
func (s *Service) Chores() []chore.Chore {
	return []chore.Chore{{Name: "prune script tests", Every: time.Minute, Do: s.Prune}}
}
