package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/modules/catalog"
)

func TestThePlaybookComesWithToolsThatAddSystems(t *testing.T) {
	t.Parallel()
	all := (*catalog.Module)(nil).Playbooks()
	require.Len(t, all, 1)
	require.Equal(t, []string{"catalog.createSystem", "catalog.createEnvironment", "healthcheck.propose"}, all[0].Tools)
	require.Contains(t, all[0].Text, "## Adding a system")
}
