package vault_test

import (
	"fmt"
	"testing"

	"countersign/api/apitest"
)

func TestTheVaultConforms(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	apitest.Conform(t, apitest.Subject{
		Server: a.Server, Module: a.Module,
		Records: []apitest.Record{{
			Path: path, Key: "name", Change: object{"description": "Changed."}, Opaque: []string{"value"},
			New: func(n int) object { return object{"name": fmt.Sprint("TOKEN_", n), "value": "a value"} },
		}},
		Unpaged: map[string]string{path + "/{name}/uses": "the last 100 and no more"},
	})
}
