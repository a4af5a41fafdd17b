package maintenance_test

import (
	"net/http"
	"testing"
	"time"

	"countersign/api/apitest"
	"countersign/modules/maintenance"
)

func TestAutomationsActOnMaintenances(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	system := a.system(t, "Payments")
	seen := []string{systemRead, maintenance.Read}
	in := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(time.RFC3339) }
	planned := func() object { return input("Upgrade", system, in(time.Hour), in(2*time.Hour)) }
	count := func(query string) func() int { return func() int { return a.Count(t, query) } }
	on := func(config object, effects func() int) func() apitest.Acting {
		return func() apitest.Acting {
			made := apitest.Decode[maintenance.Maintenance](t, a.Do(t, "ada", http.MethodPost, maintenances, planned()))
			config["maintenanceId"] = made.ID
			return apitest.Acting{Config: config, Sees: seen, Effects: effects}
		}
	}
	a.ConformActions(t, a.module.Actions(), map[string]func() apitest.Acting{
		"maintenance.create": func() apitest.Acting {
			return apitest.Acting{Config: planned(), Sees: seen, Effects: count(`SELECT count(*) FROM maintenances`)}
		},
		"maintenance.update":     on(object{"title": "Another"}, count(`SELECT count(*) FROM maintenances WHERE title = 'Another'`)),
		"maintenance.close":      on(object{}, count(`SELECT count(*) FROM maintenances WHERE over_at IS NOT NULL`)),
		"maintenance.add_update": on(object{"message": "It begins soon."}, count(`SELECT count(*) FROM notes`)),
	})
}
