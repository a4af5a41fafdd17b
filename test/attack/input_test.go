package attack_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// What is sent is read in one way only, or not at all.
func nothingIsReadInTwoWays(t *testing.T, f *fort) {
	deep := strings.Repeat(`{"a":`, 2000) + "1" + strings.Repeat("}", 2000)
	for name, body := range map[string]string{
		"a member twice":          `{"name":"One","name":"Two"}`,
		"a member twice, escaped": `{"name":"One","n\u0061me":"Two"}`,
		"a member unknown":        `{"name":"One","ownerId":"x"}`,
		"another case":            `{"Name":"One"}`,
		"a lone surrogate":        `{"name":"One \ud800"}`,
		"a NUL":                   `{"name":"One\u0000"}`,
		"no UTF-8":                "{\"name\":\"One \xff\"}",
		"two values":              `{"name":"One"}{"name":"Two"}`,
		"a comment":               `{"name":"One"/* */}`,
		"a trailing comma":        `{"name":"One",}`,
		"not a number":            `{"name":NaN}`,
		"an array":                `["One"]`,
		"nothing":                 ``,
		"null":                    `null`,
		"too deep":                `{"name":"One","metadata":` + deep + `}`,
		"too long":                `{"name":"` + strings.Repeat("x", 3<<20) + `"}`,
		"right to left":           `{"name":"abc\u202edcba"}`,
		"invisible":               `{"name":"Pay\u200bments"}`,
		"a tag character":         `{"name":"Pay\udb40\udc41ments"}`,
		"a variation selector":    `{"name":"Pay\udb40\udd00ments"}`,
		"a filler":                `{"name":"Pay\u3164ments"}`,
		"an invisible operator":   `{"name":"Pay\u2063ments"}`,
		"only blanks":             `{"name":"   "}`,
		"a line break":            `{"name":"One\nTwo"}`,
	} {
		f.refuses(t, attempt{name: name, by: "operator", method: http.MethodPost, path: "/api/catalog/systems", body: body})
		f.refuses(
			t,
			attempt{
				name:   name + ", proposed",
				by:     "operator",
				method: http.MethodPost,
				path:   "/api/ai/tools/catalog.createSystem/propose",
				body:   `{"input":` + body + `}`,
			},
		)
	}
	for _, path := range []string{
		"/api/catalog/systems/%00", "/api/catalog/systems/..%2f..%2fusers", "/api/catalog/systems/{system}%20", "/api/catalog/systems/{system};x=1", "/api/catalog/systems/" + strings.Repeat("a", 5000),
		"/api/../api/users", "/api/./users", "//api/users", "/API/users", "/api/users%2f", "/api/ai/tools/catalog.createSystem%00/propose", "/api/ai/tools/../../users", "/api/secrets/..%2f..",
	} {
		for _, method := range []string{http.MethodGet, http.MethodDelete} {
			answer := f.people["user"].Call(t, method, f.fill(path), nil)
			require.Less(t, answer.Status, 500, "%s %s: %s", method, path, answer.Body)
			f.silent(t, path, answer)
		}
	}
}

// Texts of people say nothing that stands for something else: a header, a cell of a spreadsheet, a script of a page.
func textsAreOnlyTexts(t *testing.T, f *fort) {
	operator := f.people["operator"]
	for _, text := range []string{`=HYPERLINK("http://evil.example","x")`, `<script>alert(1)</script>`, `{{7*7}}`, `${7*7}`, `'; DROP TABLE users; --`, `%s%n%x`} {
		var made struct {
			ID string `json:"id"`
		}
		answer := operator.Call(t, http.MethodPost, "/api/catalog/systems", map[string]any{"name": text, "description": text})
		if answer.Status != http.StatusCreated {
			answer.Problem(t)
			continue
		}
		answer.Decode(t, &made)
		read := operator.Call(t, http.MethodGet, "/api/catalog/systems/"+made.ID, nil)
		require.Equal(t, "application/json", strings.Split(read.Header.Get("Content-Type"), ";")[0])
		require.Equal(t, "nosniff", read.Header.Get("X-Content-Type-Options"))
		operator.Delete(t, "/api/catalog/systems/"+made.ID)
	}
	export := f.Admin.Call(t, http.MethodGet, "/api/ai/audit/export?format=csv", nil)
	for line := range strings.SplitSeq(string(export.Body), "\n") {
		for cell := range strings.SplitSeq(line, ",") {
			require.NotRegexp(t, `^"?[=+@]`, cell, "a spreadsheet would compute this")
		}
	}
}

// No address inside is visited for anybody, however it is written.
func nothingInsideIsVisited(t *testing.T, f *fort) {
	addresses := []string{
		"http://127.0.0.1/",
		"http://localhost/",
		"http://[::1]/",
		"http://0.0.0.0/",
		"http://[::]/",
		"http://127.1/",
		"http://2130706433/",
		"http://0x7f000001/",
		"http://0177.0.0.1/",
		"http://10.0.0.1/",
		"http://192.168.0.1/",
		"http://172.16.0.1/",
		"http://100.64.0.1/",
		"http://169.254.169.254/latest/meta-data/",
		"http://[fd00:ec2::254]/",
		"http://168.63.129.16/",
		"http://100.100.100.200/",
		"http://[::ffff:127.0.0.1]/",
		"http://[::ffff:a9fe:a9fe]/",
		"http://[64:ff9b::7f00:1]/",
		"http://[2002:7f00:1::]/",
		"http://metadata.google.internal/",
		"http://metadata.goog/",
		"http://metadata.tencentyun.com/",
		"http://kubernetes.default.svc/",
		"http://x.consul/",
		"http://x.localdomain/",
		"http://1.0.0.127.in-addr.arpa/",
		"http://x.internal/",
		"http://x.local/",
		"file:///etc/passwd",
		"gopher://127.0.0.1/",
		"ftp://127.0.0.1/",
		"http://user:pw@127.0.0.1/",
		"http://127.0.0.1:22/",
		"http://",
		"javascript:alert(1)",
		"http://[fe80::1%25eth0]/",
		"http://224.0.0.1/",
		"http://255.255.255.255/",
		"http://192.0.2.1/",
		"http://198.18.0.1/",
		"http://240.0.0.1/",
		"http:\\\\127.0.0.1/",
		"http://127.0.0.1%00.example.com/",
		"http://①②⑦.0.0.1/",
	}
	for _, address := range addresses {
		answer := f.people["user"].Call(t, http.MethodPost, "/api/probe", map[string]any{"url": address})
		require.GreaterOrEqual(t, answer.Status, 400, "%s: %s", address, answer.Body)
		require.Less(t, answer.Status, 500, "%s: %s", address, answer.Body)
	}
	for _, address := range []string{"http://169.254.169.254/v1", "http://[fd00:ec2::254]/v1", "http://168.63.129.16/v1", "http://100.100.100.200/v1", "http://metadata.google.internal/v1", "http://metadata.goog/v1", "http://[::ffff:a9fe:a9fe]/v1", "http://[fe80::1]/v1", "file:///etc/passwd", "gopher://x/v1", "http://u:p@127.0.0.1:9/v1"} {
		f.refuses(
			t,
			attempt{
				name:   "a connection to " + address,
				by:     "admin",
				method: http.MethodPost,
				path:   "/api/ai/connections",
				body:   map[string]any{"name": "Inside", "baseUrl": address, "defaultModel": "m", "apiKey": "k"},
			},
		)
		f.refuses(
			t,
			attempt{
				name:   "a connection moved to " + address,
				by:     "admin",
				method: http.MethodPatch,
				path:   "/api/ai/connections/{connection}",
				body:   map[string]any{"baseUrl": address},
			},
		)
	}
}

// One person does not use up what is everybody's.
func nobodyTakesEverything(t *testing.T, f *fort) {
	person := f.Person(t)
	stopped := false
	for i := range 40 {
		answer := person.Call(t, http.MethodPost, "/api/ai/conversations", map[string]any{"title": fmt.Sprint("Chat ", i)})
		require.Less(t, answer.Status, 500)
		if answer.Status == http.StatusTooManyRequests || answer.Status == http.StatusConflict {
			answer.Problem(t)
			stopped = true
			break
		}
	}
	require.True(t, stopped, "somebody may have any number of conversations")
	require.Equal(
		t,
		http.StatusCreated,
		f.people["user"].Call(t, http.MethodPost, "/api/ai/conversations", map[string]any{"title": "Mine"}).Status,
		"others go on",
	)
}

// A key that somebody else has used says nothing about their request.
func keysOfRequestsAreOnesOwn(t *testing.T, f *fort) {
	key := apptest.Header{Name: "Idempotency-Key", Value: "the-same-key"}
	f.people["countersigner"].Call(t, http.MethodPost, "/api/catalog/systems", map[string]any{"name": "Of the victim"}, key)
	answer := f.people["operator"].Call(t, http.MethodPost, "/api/catalog/systems", map[string]any{"name": "Of the operator"}, key)
	require.NotContains(t, string(answer.Body), "Of the victim")
	f.refuses(
		t,
		attempt{
			name:    "a key for another request",
			by:      "countersigner",
			method:  http.MethodPost,
			path:    "/api/catalog/systems",
			body:    map[string]any{"name": "Another"},
			headers: []apptest.Header{key},
		},
	)
	for _, value := range []string{strings.Repeat("k", 10_000), "a\tb", " ", "ü"} {
		answer := f.people["operator"].Call(
			t,
			http.MethodPost,
			"/api/catalog/systems",
			map[string]any{"name": "Of the operator"},
			apptest.Header{Name: "Idempotency-Key", Value: value},
		)
		require.GreaterOrEqual(t, answer.Status, 400, "key %q", value)
		require.Less(t, answer.Status, 500, "key %q", value)
	}
	for _, revision := range []string{`"0"`, `"999999"`, `W/"1"`, `1`, `*`, `"1", "2"`, `""`, `"-1"`, `"x"`} {
		before := f.World(t)
		answer := f.people["operator"].Call(
			t,
			http.MethodPatch,
			f.fill("/api/catalog/systems/{other system}"),
			map[string]any{"description": "By a wrong revision"},
			apptest.Header{Name: "If-Match", Value: revision},
		)
		require.Less(t, answer.Status, 500)
		if answer.Status >= 400 {
			f.unchanged(t, before, "revision "+revision)
		}
	}
}
