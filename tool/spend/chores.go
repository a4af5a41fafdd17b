package spend

import (
	"time"

	"countersign/store/chore"
)

// Chores are what has to be done now and then.
func (l *Ledger) Chores() []chore.Chore {
	return []chore.Chore{{Name: "prune spend", Every: 6 * time.Hour, Do: l.Prune}}
}
