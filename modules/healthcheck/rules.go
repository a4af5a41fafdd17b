package healthcheck

import "countersign/principal"

// Manage lets its holder write and test health check scripts.
const Manage = "healthcheck.healthcheck.manage"

// Rules are the access rules of health check scripts.
func (*Module) Rules() []principal.Rule {
	return []principal.Rule{
		{ID: Manage, Description: "Write and test health check scripts"},
	}
}
