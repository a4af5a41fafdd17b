package healthcheck

import "countersign/internal/principal"

// The access rules of health checks. Read and Manage cover checks and their configuration; StatusRead covers
// system health with the names of checks; DetailsRead covers the results of runs, which may be sensitive.
const (
	Read        = "healthcheck.healthcheck.read"
	Manage      = "healthcheck.healthcheck.manage"
	StatusRead  = "healthcheck.healthcheck.status.read"
	DetailsRead = "healthcheck.healthcheck.details.read"
	// HistoryManage covers the retention of check history.
	HistoryManage = "healthcheck.history.manage"
	// LocationManage covers the names and the removal of locations.
	LocationManage = "healthcheck.location.manage"
)

// Rules are the access rules of health checks.
func (*Module) Rules() []principal.Rule {
	return []principal.Rule{
		{ID: Read, Description: "See what health checks do"},
		{ID: Manage, Description: "Write, test, change, assign and delete health checks"},
		{ID: StatusRead, Description: "See the status of systems and of their health checks", Default: true},
		{ID: DetailsRead, Description: "See what runs of health checks found, which may be sensitive"},
		{ID: HistoryManage, Description: "Choose for how long history of health checks is kept"},
		{ID: LocationManage, Description: "Rename and remove locations of health checks"},
	}
}
