package app_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"

	"countersign/app/apptest"
	"countersign/model/demo"
)

// canary is a credential that exists only in this test.
type canary struct {
	class string
	// text is the credential as somebody writes it, with what is around it.
	text string
	// core is the part that must be nowhere.
	core string
}

// flock is one canary of each class, all of them new. source says where they are let go.
func flock(source string) []canary {
	core := func() string {
		return strings.ReplaceAll(uuid.NewString(), "-", "") + "Zq7"
	}
	one := func(class, before, after string) canary {
		c := core()
		return canary{source + ": " + class, before + c + after, c}
	}
	id := strings.ToUpper(strings.ReplaceAll(uuid.NewString(), "-", ""))[:16]
	claims := base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"` + core() + `"}`))
	return []canary{
		one("provider key", "sk"+"-", ""),
		one("provider project key", "sk-"+"proj-", ""),
		one("Google key", "AI"+"za", ""),
		one("Hugging Face token", "h"+"f_", ""),
		one("GitHub token", "gh"+"p_", ""),
		one("fine-grained GitHub token", "github"+"_pat_", ""),
		one(
			"GitLab token",
			"gl"+"pat-",
			"",
		),
		one("npm token", "np"+"m_", ""),
		one("Slack token", "xo"+"xb-1234567890-", ""),
		one("Stripe key", "sk"+"_live_", ""),
		{source + ": AWS key id", "AK" + "IA" + id, id},
		one("AWS secret", "AWS_SECRET_ACCESS_KEY=", ""),
		one("Azure account key", "AccountKey=", "==;EndpointSuffix=core"),
		{source + ": JWT", base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256"}`)) + "." + claims + "." + core(), claims},
		one(
			"private key",
			"-----BEGIN PRIV"+"ATE KEY-----\n",
			"\n-----END PRIV"+"ATE KEY-----",
		),
		one("password of a URL", "postgres://ada:", "@db.example.com/main"),
		one(
			"password",
			"password=",
			"",
		),
		one("password in prose", "The password: ", ""),
		one("API key in JSON", `{"apiKey": "`, `"}`),
		one("bearer token", "Authorization: Bearer ", ""),
		one("own API token", "cs"+"a_", ""),
		one("own delegation", "cs"+"d_", ""),
		one("own session cookie", "countersign_session=", ""),
		{source + ": own proposal token", "propose:" + uuid.NewString() + "." + strings.ToLower(id) + strings.ToLower(id), strings.ToLower(id)},
	}
}

// song is the canaries as one text.
func song(flocks ...[]canary) string {
	var lines []string
	for _, c := range slices.Concat(flocks...) {
		lines = append(lines, "- "+c.text+" ,")
	}
	return strings.Join(lines, "\n")
}

// canaryProvider answers by what the last message asks for, with canaries of its own everywhere.
type canaryProvider struct {
	text, reasoning, arguments, refused, unavailable, title []canary
	system                                                  uuid.UUID

	mu   sync.Mutex
	sent strings.Builder
}

func (p *canaryProvider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var request apptest.ModelRequest
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") || json.Unmarshal(body, &request) != nil || len(request.Messages) == 0 {
		r.Body = io.NopCloser(bytes.NewReader(body))
		demo.Handler(demo.Options{Key: apptest.ProviderKey, Scripts: true}).ServeHTTP(w, r)
		return
	}
	p.mu.Lock()
	p.sent.Write(body)
	p.mu.Unlock()
	first, last := request.Messages[0], request.Messages[len(request.Messages)-1]
	call := func(tool string, arguments any) {
		raw, _ := json.Marshal(arguments)
		apptest.Events("tool_calls", apptest.ToolCall("call_"+uuid.NewString()[:8], tool, string(raw)))(w, r)
	}
	switch {
	case strings.HasPrefix(first.Content, "You name conversations"):
		apptest.Events("stop", apptest.Text(p.title[0].text+" and more"))(w, r)
	case len(request.Tools) == 0:
		apptest.Events("stop", apptest.Text("ON_TOPIC"))(w, r)
	case last.Role == "tool":
		apptest.Events("stop", apptest.Text("Done."))(w, r)
	case strings.Contains(last.Content, "speak"):
		var deltas []string
		for _, piece := range cut(song(p.reasoning), 3) {
			raw, _ := json.Marshal(map[string]string{"reasoning_content": piece})
			deltas = append(deltas, string(raw))
		}
		for _, piece := range cut(song(p.text), 4) {
			deltas = append(deltas, apptest.Text(piece))
		}
		apptest.Events("stop", deltas...)(w, r)
	case strings.Contains(last.Content, "search"):
		call("ai_searchDocs", map[string]any{"query": song(p.arguments[:8]), "password": p.arguments[8].text})
	case strings.Contains(last.Content, "read"):
		call("catalog_getSystem", map[string]any{"id": p.system})
	case strings.Contains(last.Content, "create"):
		call(
			"catalog_createSystem",
			map[string]any{"name": "Canary", "description": song(p.arguments), "metadata": map[string]string{"apiKey": p.arguments[0].core}},
		)
	case strings.Contains(last.Content, "refuse"):
		raw, _ := json.Marshal(map[string]any{"error": map[string]any{"message": song(p.refused), "code": p.refused[0].text}})
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write(raw)
	case strings.Contains(last.Content, "break"):
		w.Header().Set("Retry-After-Ms", "1")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, song(p.unavailable))
	default:
		apptest.Events("stop", apptest.Text("Yes."))(w, r)
	}
}

func cut(text string, n int) []string {
	var pieces []string
	for piece := range slices.Chunk([]byte(text), n) {
		pieces = append(pieces, string(piece))
	}
	return pieces
}

// Credentials that come by any way into a chat, from the person, the model, a tool or the provider, leave nothing behind
// but a mark: not in a table, in the log, in a stream, or in a workflow's history.
func TestNoCredentialOfAChatIsKept(t *testing.T) {
	t.Parallel()
	provider := &canaryProvider{
		text: flock("model text"), reasoning: flock("reasoning"), arguments: flock("tool arguments"),
		refused: flock("refusal of the provider"), unavailable: flock("failure of the provider"), title: flock("title"),
	}
	server := httptest.NewServer(provider)
	t.Cleanup(server.Close)
	p := apptest.Start(t, apptest.Options{Env: map[string]string{
		"OPENAI_BASE_URL": server.URL + "/v1", "OPENAI_API_KEY": apptest.ProviderKey, "OPENAI_MODEL": "canary-model",
	}})
	message, memory, result := flock("message"), flock("memory"), flock("tool result")

	// What a record of the catalog holds is the person's own; what a tool reads of it into a chat is not.
	var created struct {
		ID uuid.UUID `json:"id"`
	}
	p.Admin.Post(t, "/api/catalog/systems", map[string]any{"name": "Canary source", "description": song(result)}, &created)
	provider.system = created.ID
	p.Admin.Call(t, http.MethodPost, "/api/ai/memories", map[string]any{
		"scope": "user", "recallHint": "when " + memory[0].text, "content": song(memory), "tags": []string{"x"},
	})

	var streams, answers strings.Builder
	say := func(chat *apptest.Conversation, text string) {
		turn := chat.Send(t, apptest.Message{Text: text, Model: "canary-model"}).Rest(t)
		for _, e := range turn.Events {
			streams.WriteString(e.Chunk + "\n")
		}
		answers.WriteString(encode(t, turn.Message))
	}
	chat := p.Admin.Conversation(t, nil)
	say(chat, "Please remember what follows here: "+song(message)+"\nhello")
	for _, text := range []string{"speak", "search", "read", "create", "refuse", "break", "thanks"} {
		say(chat, text)
	}
	// Titles begin with the message itself.
	say(p.Admin.Conversation(t, nil), message[0].text+" is the key of the service that we want to look at today, is it not? hello")
	auto := p.Admin.Conversation(t, apptest.Settings{"permissionMode": "auto"})
	say(auto, "create")
	p.Stop(t) // what runs beside turns has ended then

	places := map[string]string{
		"log":                   p.Log.String(),
		"streams":               streams.String(),
		"answers put together":  answers.String(),
		"requests to the model": provider.sent.String(),
	}
	maps.Copy(places, tables(t, p))
	for _, id := range p.Column(t, `SELECT 'turn/' || id FROM ai_turns UNION ALL SELECT 'proposal/' || id FROM ai_proposals`) {
		raw, err := protojson.Marshal(p.History(t, id))
		require.NoError(t, err)
		places["history"] += string(raw) + decoded(t, raw)
	}
	require.Contains(t, places["log"], `"level"`)
	require.Contains(t, places["history"], "EVENT_TYPE_WORKFLOW_EXECUTION_STARTED")
	for _, place := range []string{"streams", "answers put together", "requests to the model", "table ai_messages", "table turn_steps"} {
		require.Contains(t, places[place], "[REDACTED]", "the canaries have passed through here: %s", place)
	}
	require.Contains(t, places["answers put together"], "ada:[REDACTED]@db.example.com")

	var hits []string
	for _, place := range slices.Sorted(maps.Keys(places)) {
		for _, c := range slices.Concat(message, memory, result, provider.text, provider.reasoning, provider.arguments,
			provider.refused, provider.unavailable, provider.title) {
			own := strings.HasPrefix(c.class, "tool result") && isRecord(place)
			if !own && strings.Contains(places[place], c.core) {
				at := strings.Index(places[place], c.core)
				hits = append(hits, fmt.Sprintf("%s: %s: …%s…", place, c.class, places[place][max(0, at-60):at+8]))
			}
		}
	}
	require.Empty(t, hits, "%d credentials were kept:\n%s", len(hits), strings.Join(hits, "\n"))
}

// isRecord reports whether a table holds the systems themselves.
func isRecord(place string) bool {
	return place == "table catalog_systems"
}

// tables is every value of every table that the catalog of the database knows, bytes in the clear as far as they are
// text.
func tables(t *testing.T, p *apptest.Product) map[string]string {
	t.Helper()
	const columns = `SELECT format('SELECT coalesce(%s, '''') FROM %I.%I', CASE WHEN a.atttypid = 'bytea'::regtype
			THEN format('encode(%I, ''escape'')', a.attname) ELSE format('%I::text', a.attname) END, n.nspname, c.relname) || '|' || c.relname
		FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
		WHERE c.relkind IN ('r', 'p', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND a.attnum > 0 AND NOT a.attisdropped`
	all := map[string]string{}
	for _, column := range p.Column(t, columns) {
		query, table, _ := strings.Cut(column, "|")
		all["table "+table] += strings.Join(p.Column(t, query), "\n") + "\n"
	}
	require.Greater(t, len(all), 10)
	return all
}
