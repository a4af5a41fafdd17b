package mcpserver_test

import (
	"testing"

	"countersign/modules/mcpserver"
)

func FuzzADescribedTool(f *testing.F) {
	for _, seed := range []string{
		`{"name":"echo","description":"Echo.","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`,
		`{"name":"a/B.c","inputSchema":{"type":"object","$defs":{"x":{}},"anyOf":[{"$ref":"#/$defs/x"}]},"annotations":{"readOnlyHint":true}}`,
		`{"name":".","inputSchema":{"type":"object"}}`, `{"name":"___","title":"\u202e","inputSchema":true}`, `{"name":"ABCdef","inputSchema":{"type":["object","null"]},"outputSchema":{"type":"object"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, described []byte) { mcpserver.ParseTool(t, described) })
}
