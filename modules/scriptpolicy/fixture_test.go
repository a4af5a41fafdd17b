package scriptpolicy_test

import (
	"testing"

	"countersign/api/apitest"
	"countersign/modules/scriptpolicy"
)

const path = "/api/script-policy"

// app is the API with the policy.
type app struct {
	*scriptpolicy.Module
	*apitest.Server
}

func newApp(t testing.TB) *app {
	t.Helper()
	a := &app{Server: apitest.New(t)}
	a.Module = scriptpolicy.New(scriptpolicy.Options{DB: a.DB, Names: a})
	a.Mount(t, a.Module)
	a.Person("ada", scriptpolicy.Manage)
	a.Person("bob", scriptpolicy.Manage)
	a.Person("nobody")
	return a
}

// open is a policy with everything at a value of its own.
func open(network scriptpolicy.Network, allow ...string) scriptpolicy.Policy {
	return scriptpolicy.Policy{
		Network: network,
		Allow:   append([]string{}, allow...),
		Test: scriptpolicy.ScriptLimits{
			TimeoutMs:   5_000,
			MemoryBytes: 32 << 20,
			OutputBytes: 4096,
			ResultBytes: 8192,
			HostCalls:   7,
			HostBytes:   2048,
		},
		Run: scriptpolicy.ScriptLimits{
			TimeoutMs:   300_000,
			MemoryBytes: 128 << 20,
			OutputBytes: 5 << 20,
			ResultBytes: 5 << 20,
			HostCalls:   1000,
			HostBytes:   64 << 20,
		},
	}
}
