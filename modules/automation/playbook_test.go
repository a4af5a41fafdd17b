package automation_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/modules/automation"
)

func TestThePlaybookComesWithTheToolThatProposes(t *testing.T) {
	t.Parallel()
	all := automation.New(automation.Options{Tester: tester{}}).Playbooks()
	require.Len(t, all, 1)
	require.Equal(t, []string{"automation.propose"}, all[0].Tools)
	require.Contains(t, all[0].Text, "## Building automations")
}
