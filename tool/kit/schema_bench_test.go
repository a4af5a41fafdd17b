package kit_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/tool/kit"
)

// BenchmarkValidate is the check of one input of a tool.
func BenchmarkValidate(b *testing.B) {
	written, err := kit.ParseSchema(kit.SchemaOf[example]().JSON())
	require.NoError(b, err)
	for name, schema := range map[string]*kit.Schema{"struct": kit.SchemaOf[example](), "user": written} {
		for kind, input := range map[string]string{
			"valid": `{"id":"` + anID + `","name":"a","kind":"b","ratio":0.25,"contacts":[{"email":"a@b.c","rank":5}],"metadata":{"a":[1,null]},"labels":{"k":"v"}}`,
			"wrong": `{"id":"` + anID + `","name":"123456789","kind":"c","contacts":[{"email":"a@b.c","rnk":5}],"labels":{"k":1}}`,
		} {
			b.Run(name+"/"+kind, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := schema.Validate(b.Context(), json.RawMessage(input)); (err == nil) != (kind == "valid") {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
