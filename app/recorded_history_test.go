package app_test

import (
	"testing"

	"countersign/app/apptest"
	"countersign/tool/audit"
)

type changePage struct {
	Changes []audit.ChangeEntry `json:"changes"`
}

// historyOf is what somebody reads of what happened to an object.
func historyOf(t *testing.T, c *apptest.Client, objectType, id string) []audit.ChangeEntry {
	t.Helper()
	var page changePage
	c.Get(t, "/api/history/"+objectType+"/"+id, &page)
	return page.Changes
}
