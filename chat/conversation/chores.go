package conversation

import (
	"time"

	"countersign/store/chore"
)

// Chores bring the schedule of the sweep in line with the setting, and delete what nothing was said in.
func (s *Sweeper) Chores() []chore.Chore {
	return []chore.Chore{
		{Name: "schedule retention", Every: time.Minute, Do: s.Schedule},
		{Name: "delete empty conversations", Every: 10 * time.Minute, Do: s.Tidy},
	}
}

// Chores start the erasures that were requested and do not run.
func (s *Erasures) Chores() []chore.Chore {
	return []chore.Chore{{Name: "start erasures", Every: 15 * time.Second, Do: s.Drive}}
}
