package conversation

import (
	"time"

	"countersign/internal/store/chore"
)

// Chores reconcile the schedule of the sweep with the setting, and delete empty conversations and those of ended runs.
func (s *Sweeper) Chores() []chore.Chore {
	return []chore.Chore{
		{Name: "schedule retention", Every: time.Minute, Do: s.Schedule},
		{Name: "delete empty conversations", Every: 10 * time.Minute, Do: s.Tidy},
		{Name: "delete conversations of runs", Every: 10 * time.Minute, Do: s.SweepRuns},
	}
}

// Chores start requested erasures that do not run.
func (s *Erasures) Chores() []chore.Chore {
	return []chore.Chore{{Name: "start erasures", Every: 15 * time.Second, Do: s.Drive}}
}
