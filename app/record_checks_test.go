package app_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"

	"countersign/app"
	"countersign/app/apptest"
)

// heldShards are a shard of the checks that went to another process, and one that stayed. They never end.
func heldShards(t *testing.T, p *apptest.Product) map[string]string {
	owners := func() []string { return p.Column(t, `SELECT DISTINCT owner FROM check_shards WHERE owner <> ''`) }
	apptest.Eventually(
		t,
		"both shards are held",
		func() bool { return p.Count(t, `SELECT count(*) FROM check_shards WHERE owner <> ''`) == 2 },
	)
	require.Len(t, owners(), 1)
	apptest.Start(t, apptest.Options{Beside: p, Roles: app.Roles{Worker: true}, Env: map[string]string{"COUNTERSIGN_CHECK_SHARDS": "2"}})
	ids := []string{p.Prefix() + "checks/shard/0", p.Prefix() + "checks/shard/1"}
	completed := func(id string) (n int) {
		for _, e := range p.History(t, id).GetEvents() {
			if e.GetEventType() == enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED {
				n++
			}
		}
		return n
	}
	apptest.Eventually(t, "one was given away and is held again", func() bool {
		return completed(ids[0])+completed(ids[1]) == 1 && p.Count(t, `SELECT count(*) FROM check_shards WHERE owner <> '' AND epoch > 1`) == 1
	})
	recorded := map[string]string{}
	for _, id := range ids {
		name := "check-shard-kept"
		if completed(id) == 1 {
			name = "check-shard-given"
		}
		recorded[name] = id
	}
	return recorded
}
