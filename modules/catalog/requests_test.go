package catalog_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/modules/catalog"
	"countersign/tool"
)

// A proposal may be stored by one release and applied, or applied once more after a crash, by the next one. So the
// payloads of all releases stay valid, and the request of each stays the same to the byte: the Idempotency-Key knows it by
// that, and refuses another one although the change was made.
func TestApplyingMakesTheSameRequestInEveryRelease(t *testing.T) {
	t.Parallel()
	const a, b = "0199aa00-0000-7000-8000-00000000000a", "0199aa00-0000-7000-8000-00000000000b"
	for _, c := range []struct{ tool, payload, method, path, body string }{
		{
			"createSystem", `{"description":"d","metadata":{"n":1.50},"name":"A","ownerTeamId":"` + b + `","tags":["x"]}`,
			"POST", "/systems", `{"name":"A","description":"d","metadata":{"n":1.50},"tags":["x"],"ownerTeamId":"` + b + `"}`,
		},
		{"createSystem", `{"name":"A"}`, "POST", "/systems", `{"name":"A"}`},
		{
			"updateSystem", `{"description":"","id":"` + a + `","metadata":{},"name":"A","tags":[]}`,
			"PATCH", "/systems/" + a, `{"name":"A","description":"","metadata":{},"tags":[]}`,
		},
		{"updateSystem", `{"id":"` + a + `","tags":["x"]}`, "PATCH", "/systems/" + a, `{"tags":["x"]}`},
		{"deleteSystem", `{"id":"` + a + `"}`, "DELETE", "/systems/" + a, ``},
		{"setSystemOwner", `{"id":"` + a + `","teamId":"` + b + `"}`, "PUT", "/systems/" + a + "/owner", `{"teamId":"` + b + `"}`},
		{"setSystemOwner", `{"id":"` + a + `","teamId":null}`, "PUT", "/systems/" + a + "/owner", `{"teamId":null}`},
		{
			"setSystemEnvironments", `{"environmentIds":["` + b + `"],"systemId":"` + a + `"}`,
			"PUT", "/systems/" + a + "/environments", `{"environmentIds":["` + b + `"]}`,
		},
		{"setSystemEnvironments", `{"environmentIds":[],"systemId":"` + a + `"}`, "PUT", "/systems/" + a + "/environments", `{"environmentIds":[]}`},
		{
			"addSystemContact", `{"email":"a@example.org","label":"on-call","systemId":"` + a + `","type":"mailbox"}`,
			"POST", "/systems/" + a + "/contacts", `{"type":"mailbox","label":"on-call","email":"a@example.org"}`,
		},
		{
			"addSystemContact", `{"label":"on-call","systemId":"` + a + `","type":"user","userId":"` + b + `"}`,
			"POST", "/systems/" + a + "/contacts", `{"type":"user","label":"on-call","userId":"` + b + `"}`,
		},
		{"removeSystemContact", `{"contactId":"` + b + `","systemId":"` + a + `"}`, "DELETE", "/systems/" + a + "/contacts/" + b, ``},
		{
			"addSystemLink", `{"label":"runbook","systemId":"` + a + `","url":"https://example.org/?a=1&b=2"}`,
			"POST", "/systems/" + a + "/links", `{"label":"runbook","url":"https://example.org/?a=1\u0026b=2"}`,
		},
		{"removeSystemLink", `{"linkId":"` + b + `","systemId":"` + a + `"}`, "DELETE", "/systems/" + a + "/links/" + b, ``},
		{"createGroup", `{"description":"d","metadata":{"a":1},"name":"A"}`, "POST", "/groups", `{"name":"A","description":"d","metadata":{"a":1}}`},
		{
			"updateGroup", `{"description":"d","id":"` + a + `","metadata":{},"name":"A"}`,
			"PATCH", "/groups/" + a, `{"name":"A","description":"d","metadata":{}}`,
		},
		{"deleteGroup", `{"id":"` + a + `"}`, "DELETE", "/groups/" + a, ``},
		{"addSystemToGroup", `{"groupId":"` + a + `","systemId":"` + b + `"}`, "PUT", "/groups/" + a + "/systems/" + b, ``},
		{"removeSystemFromGroup", `{"groupId":"` + a + `","systemId":"` + b + `"}`, "DELETE", "/groups/" + a + "/systems/" + b, ``},
		{"createEnvironment", `{"description":"d","fields":{"a":1},"name":"A"}`, "POST", "/environments", `{"name":"A","description":"d","fields":{"a":1}}`},
		{
			"updateEnvironment", `{"description":"d","fields":{},"id":"` + a + `","name":"A"}`,
			"PATCH", "/environments/" + a, `{"name":"A","description":"d","fields":{}}`,
		},
		{"deleteEnvironment", `{"id":"` + a + `"}`, "DELETE", "/environments/" + a, ``},
	} {
		var sent []string
		var router tool.Router
		router.Bind(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			sent = append(
				sent,
				r.Method,
				r.URL.RequestURI(),
				strings.TrimSpace(string(body)),
				r.Header.Get("Idempotency-Key"),
				r.Header.Get("If-Match"),
			)
			_, _ = io.WriteString(w, "{}")
		}))
		for _, x := range catalog.New(catalog.Options{}).Tools() {
			if x.Name != "catalog."+c.tool {
				continue
			}
			_, err := x.Run(
				t.Context(),
				tool.Caller{Client: &tool.Client{Router: &router, IdempotencyKey: "key", IfMatch: `"3"`}},
				[]byte(c.payload),
			)
			require.NoError(t, err, c.tool)
		}
		require.Equal(t, []string{c.method, "/api/catalog" + c.path, c.body, "key", `"3"`}, sent, c.tool)
	}
}
