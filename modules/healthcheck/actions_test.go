package healthcheck_test

import (
	"testing"

	"countersign/api/apitest"
	"countersign/modules/catalog"
	"countersign/modules/healthcheck"
)

func TestAutomationsActOnHealthChecks(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop := a.system(t, "Shop")
	check := a.check(t, door("Door", "127.0.0.1"))
	a.assign(t, check.ID, shop, object{})
	seen := []string{catalog.SystemRead, healthcheck.Read}
	a.ConformActions(t, a.module.Actions(), map[string]func() apitest.Acting{
		"healthcheck.run_now": func() apitest.Acting {
			return apitest.Acting{
				Config: object{"checkId": check.ID, "systemId": shop}, Sees: seen, Effects: func() int { return len(a.asked) },
			}
		},
		"healthcheck.set_paused": func() apitest.Acting {
			return apitest.Acting{
				Config: object{"checkId": check.ID, "paused": true}, Sees: seen,
				Effects: func() int { return a.Count(t, `SELECT count(*) FROM health_checks WHERE paused`) },
			}
		},
	})
}
