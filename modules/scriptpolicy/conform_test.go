package scriptpolicy_test

import (
	"testing"

	"countersign/api/apitest"
)

func TestTheScriptPolicyConforms(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	apitest.Conform(t, apitest.Subject{
		Server: a.Server, Module: a.Module, Unpaged: map[string]string{path + "/changes": "the last 100 and no more"},
	})
}
