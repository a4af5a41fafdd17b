package attack_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
)

// What is no text is refused in words wherever an address takes a text, and is no fault of the server.
func TestWhatIsNoTextIsRefused(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	var document struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ Name, In string }
		}
	}
	p.Admin.Get(t, "/api/openapi.json", &document)
	tried := 0
	for path, operations := range document.Paths {
		get, there := operations["get"]
		if !there || strings.Contains(path, "oauth") {
			continue
		}
		for from := strings.Index(path, "{"); from >= 0; from = strings.Index(path, "{") {
			path = path[:from] + uuid.NewString() + path[from+strings.Index(path[from:], "}")+1:]
		}
		for _, parameter := range get.Parameters {
			if parameter.In != "query" {
				continue
			}
			for _, value := range []string{"%00", "a%00b", "%ff%fe", "%c0%80", "%ed%a0%80"} {
				address := path + "?" + parameter.Name + "=" + value
				answer := p.Admin.Call(t, http.MethodGet, address, nil)
				require.GreaterOrEqual(t, answer.Status, 400, address)
				require.Less(t, answer.Status, 500, "%s: %s", address, answer.Body)
				tried++
			}
		}
	}
	require.Greater(t, tried, 200)
	p.Admin.Refused(t, problem.Invalid, http.MethodGet, "/api/ai/conversations?%00=1", nil)
	require.NotContains(t, p.Log.String(), `"level":"ERROR"`)
}

// What means something in a query of the database is a character like any other.
func TestAWordIsOnlyAWord(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	ada, bob := p.Person(t), p.Person(t)
	bobs := bob.Conversation(t, apptest.Settings{"title": "Zanzibar"})
	bobs.Perform(t, `text="Quetzalcoatl"`)
	own := ada.Conversation(t, apptest.Settings{"title": "Zebra"})
	own.Perform(t, `text="Quokka <img src=x onerror=alert(1)> & ![x](https://evil.example/x)"`)
	search := func(query string) apptest.Answer {
		return ada.Call(t, http.MethodGet, "/api/ai/conversations/search?query="+url.QueryEscape(query), nil)
	}
	for _, query := range []string{
		"'", `\`, `\'`, "' | '", "a' | 'b", "quetzal' | 'q", "!quokka", "quokka & !nothing", "quokka <-> quetzal", ":*", "*", "a:*B", "('", "%", "_", "%anz%", "quetz", "quetzalcoatl", "Zanzibar",
		"quetzalcoatk", "zanzibaz", strings.Repeat("'", 200), strings.Repeat("ß ", 100), "\u2028\u2029\u00ad", "İ", "\U0010ffff", "a\tb\nc", strings.Repeat("(", 200), "\u202equokka",
	} {
		answer := search(query)
		require.Equal(t, http.StatusOK, answer.Status, "%q: %s", query, answer.Body)
		require.NotContains(t, string(answer.Body), bobs.ID.String(), query)
		require.NotContains(t, strings.ToLower(string(answer.Body)), "alcoatl", query)
		require.NotContains(t, strings.ToLower(string(answer.Body)), "anzibar", query)
	}
	require.Equal(t, http.StatusUnprocessableEntity, search(strings.Repeat("a", 201)).Status)
	var found struct {
		Hits []struct {
			Message *struct {
				Snippet []struct{ Text string }
			}
		}
	}
	search("quokka").Decode(t, &found)
	require.Len(t, found.Hits, 1)
	require.True(
		t,
		slices.ContainsFunc(
			found.Hits[0].Message.Snippet,
			func(piece struct{ Text string }) bool { return strings.Contains(piece.Text, "<img src=x") },
		),
		"a piece is text",
	)
	for name, c := range map[string]*apptest.Client{"an application": p.Application(t, p.Role(t, "ai.chat.read")), "an administrator": p.Admin} {
		answer := c.Call(t, http.MethodGet, "/api/ai/conversations/search?query=quokka", nil)
		require.NotContains(t, string(answer.Body), own.ID.String(), name)
	}
	p.Anonymous().Refused(t, problem.Unauthorized, http.MethodGet, "/api/ai/conversations/search?query=quokka", nil)
	require.NotContains(t, p.Log.String(), `"level":"ERROR"`)
}
