package modelcheck_test

import (
	"testing"

	"countersign/api/apitest"
	"countersign/modules/modelcheck"
	"countersign/modules/modelcheck/suite/suitetest"
)

func TestTheChecksOfModelsConform(t *testing.T) {
	t.Parallel()
	a := newApp(t, suitetest.Perfect)
	apitest.Conform(t, apitest.Subject{Server: a.Server, Module: a.Module, Foreign: []string{modelcheck.Manage}})
}
