package module

import (
	"log/slog"

	"countersign/auth"
	"countersign/chat/headless"
	"countersign/check/health"
	"countersign/event"
	"countersign/internal/durable"
	"countersign/internal/notice"
	"countersign/internal/secret"
	"countersign/internal/store"
)

// Services are the parts of a process that every module may need.
type Services struct {
	DB     *store.DB
	Log    *slog.Logger
	Engine durable.Engine
	Events event.Appender
	Health health.Overrides
	// Notices is where modules write what people are to be told.
	Notices *notice.Ledger
	// Sealer seals values for the database; a module that stores some for good offers Sealed.
	Sealer secret.Sealer
	// Runs are the runs in which applications act, and Headless starts their turns.
	Runs     *auth.Runs
	Headless *headless.Service
}

// Make constructs a module that comes from outside of the product's own list.
type Make = func(Services) any

// Made constructs what is given as Make, and leaves the rest as it is.
func (s Services) Made(parts []any) []any {
	made := make([]any, len(parts))
	for i, part := range parts {
		if made[i] = part; part != nil {
			if construct, ok := part.(Make); ok {
				made[i] = construct(s)
			}
		}
	}
	return made
}
