package app_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// TestTheDemoCompanyIsThere starts a product with it, and another time: what is there is not made again.
func TestTheDemoCompanyIsThere(t *testing.T) {
	t.Parallel()
	env := map[string]string{"COUNTERSIGN_DEMO_COMPANY": "127.0.0.1:0", "COUNTERSIGN_CHECK_EGRESS_ALLOW": "127.0.0.1"}
	p := apptest.Start(t, apptest.Options{Env: env})
	type list struct {
		Systems []struct{ Name string } `json:"systems"`
		Checks  []struct {
			Name    string
			Systems int
		} `json:"checks"`
		Applications []struct{ Name string } `json:"applications"`
	}
	read := func(p *apptest.Product, path string) list {
		var out list
		p.Admin.Get(t, path, &out)
		return out
	}
	systems := read(p, "/api/catalog/systems?limit=100").Systems
	require.Len(t, systems, 13)
	checks := read(p, "/api/healthcheck/checks").Checks
	require.Len(t, checks, 3)
	require.Equal(t, 13, checks[2].Systems, checks[2].Name)
	require.Empty(t, read(p, "/api/applications").Applications, "who made the records is gone")

	again := apptest.Start(t, apptest.Options{Env: env, Beside: p})
	require.Len(t, read(again, "/api/catalog/systems?limit=100").Systems, 13)
	require.Len(t, read(again, "/api/healthcheck/checks").Checks, 3)
}
