package healthcheck

import "countersign/automation/action"

// Actions are what automations do with health checks.
func (*Module) Actions() []action.Action {
	const category = "Health checks"
	which := action.Member{Name: "checkId", Input: "id", Description: "The id of the health check."}
	return []action.Action{
		action.FromTool(runNowTool(), action.FromToolOptions{
			ID: "healthcheck.run_now", Name: "Run a health check now", Category: category, Done: "Requested a run of the health check",
			Description: "Requests a run of a health check for a system at once. The step does not wait for the result: wait for an " +
				"event of the system.",
		}),
		action.FromTool(setPausedTool(), action.FromToolOptions{
			ID: "healthcheck.set_paused", Name: "Pause or resume a health check", Category: category, Done: "Paused or resumed",
			Description: "Pauses a health check, or lets it run again. While it is paused it counts for none of its systems.",
			Members:     []action.Member{which},
		}),
	}
}
