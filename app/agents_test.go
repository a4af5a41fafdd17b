package app_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"

	"countersign/app"
	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/modules/agent"
	"countersign/tool/proposal"
)

const refundTool = `import type { CustomTool } from "@countersign/sdk/tool";

interface Args { order: number; busyMs?: number }

export default {
  actions: {
    default: async (args: Args, ctx) => {
      const end = Date.now() + (args.busyMs ?? 0);
      while (Date.now() < end);
      const token = ctx.secrets.ref("BILLING_TOKEN");
      return {
        method: "POST", url: "BASE/refunds/" + args.order + "?key=" + token,
        headers: { Authorization: "Bearer " + token, "Content-Type": "application/json" }, body: JSON.stringify({ order: args.order, token }),
      };
    },
  },
} satisfies CustomTool;
`

var nonces = regexp.MustCompile(`nonce_[0-9a-f]{32}`)

// billing is the service that refunds are asked of: it echoes what it is sent, in every way.
type billing struct {
	*httptest.Server

	mu      sync.Mutex
	sent    []string
	reached chan struct{}
	hold    chan struct{}
}

func newBilling(t *testing.T) *billing {
	t.Helper()
	b := &billing{reached: make(chan struct{}, 16)}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		b.mu.Lock()
		b.sent = append(b.sent, r.URL.Path+" "+token+" "+r.URL.Query().Get("key")+" "+string(body))
		hold := b.hold
		b.mu.Unlock()
		b.reached <- struct{}{}
		if hold != nil {
			<-hold
		}
		w.Header().Set("X-Token", token)
		_, _ = io.WriteString(
			w,
			`{"refunded":true,"echo":"`+token+`","base64":"`+base64.StdEncoding.EncodeToString(
				[]byte("user:"+token),
			)+`","hex":"`+hex.EncodeToString(
				[]byte(token),
			)+`"}`,
		)
	}))
	t.Cleanup(b.Close)
	return b
}

func (b *billing) requests() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.sent)
}

// address is the service under a name: addresses of this machine are nothing that a secret can be pinned to.
func (b *billing) address() string { return strings.Replace(b.URL, "127.0.0.1", "localhost", 1) }

// The same bytes are written, sealed, promoted, called by a model, run in the sandbox, and make a request with a secret; the worker
// is killed while the tool runs, and again while a request is on its way. The value of the secret is in no row, log, history or message.
func TestAToolIsWrittenPromotedCalledAndItsSecretIsUsedOverAKilledWorker(t *testing.T) {
	t.Parallel()
	provider, service := apptest.NewProvider(t), newBilling(t)
	env := provider.Env()
	env["COUNTERSIGN_EGRESS_ALLOW"] = "127.0.0.1,localhost,::1"
	p := apptest.Start(t, apptest.Options{Roles: app.Roles{API: true}, Env: env})
	worker := p.Spawn(t, "worker", env)
	value := "cnry" + strings.ReplaceAll(uuid.NewString(), "-", "") + "/x"
	p.Admin.Post(t, "/api/secrets", map[string]any{"name": "BILLING_TOKEN", "value": value}, nil)

	s := stage{t, p}
	slug := "billing-" + uuid.NewString()[:8]
	p.Admin.Post(t, "/api/agents", map[string]any{"slug": slug, "name": "Billing"}, nil)
	path := "/api/agents/" + slug
	draft := path + "/revisions/" + s.made(path+"/revisions", map[string]any{})
	s.put(draft+"/spec", map[string]any{"spec": map[string]any{
		"secrets": []any{map[string]any{"name": "BILLING_TOKEN", "allowed_hosts": []string{service.address()}}},
		"tools":   map[string]any{"refund": map[string]any{"read_with_secrets": true}}, "limits": map[string]any{"timeout_ms": 20_000},
	}})
	schema := map[string]any{
		"type":                 "object",
		"properties":           map[string]any{"order": map[string]any{"type": "integer"}, "busyMs": map[string]any{"type": "number"}},
		"required":             []string{"order"},
		"additionalProperties": false,
	}
	s.put(draft+"/tools/refund", map[string]any{
		"description": "Prepare the refund of an order.",
		"args_schema": schema,
		"effect":      "read",
		"source":      strings.ReplaceAll(refundTool, "BASE", service.address()),
	})
	apptest.Eventually(t, "the sandbox is warm", func() bool {
		return p.Admin.Call(
			t,
			http.MethodPost,
			draft+"/tools/refund/dry_run",
			map[string]any{"args": map[string]any{"order": 1}},
		).Status == http.StatusOK
	})
	p.Admin.Post(t, draft+"/freeze", nil, nil)
	p.Admin.Post(t, draft+"/promote", nil, nil)

	// The model calls the tool, whose worker is killed, and with what it answered the request.
	name := "agent." + slug + ".refund"
	wire := "agent_" + slug + "_refund"
	provider.Answer(apptest.Events("tool_calls", apptest.ToolCall("c1", wire, `{"order":7,"busyMs":4000}`)))
	provider.Answer(func(w http.ResponseWriter, r *http.Request) {
		requests := provider.Requests()
		told := requests[len(requests)-1].Messages
		nonce := nonces.FindString(told[len(told)-1].Content)
		apptest.Events("tool_calls", apptest.ToolCall(
			"c2",
			"http_request",
			`{"method":"POST","url":"`+service.address()+`/refunds/7?key=`+nonce+`","headers":{"Authorization":"Bearer `+nonce+`","Content-Type":"application/json"},"body":"{\"order\":7,\"token\":\"`+nonce+`\"}"}`,
		))(w, r)
	})
	chat := p.Admin.Conversation(t, nil)
	stream := chat.Send(t, apptest.Message{Text: "Refund order 7, please."})
	apptest.Eventually(t, "the tool runs", func() bool {
		return p.Count(t, `SELECT count(*) FROM script_tests WHERE status = 'running'`) == 1
	})
	worker.Kill()
	second := p.Spawn(t, "worker", env)
	turn := stream.Rest(t)
	require.Len(t, turn.ToolCalls(), 2, turn.Text())
	require.Empty(t, service.requests(), "nothing was sent before somebody decided")
	card := turn.Card(t, "proposal")
	require.Equal(t, "http.request", card.ToolName)
	require.Contains(t, card.Summary, "‹BILLING_TOKEN›")
	require.Contains(
		t,
		encode(t, card.Effects),
		"The secret BILLING_TOKEN of the agent Billing is put into the URL and the header Authorization and the body.",
	)

	provider.Answer(apptest.Events("stop", apptest.Text("Order 7 is refunded.")))
	applied := p.Admin.Apply(t, card.ProposalID)
	require.Equal(t, proposal.Applied, applied.Status, "%+v", applied.Error)
	require.Equal(t, []string{"/refunds/7 " + value + " " + value + ` {"order":7,"token":"` + value + `"}`}, service.requests())
	require.Contains(t, string(applied.Result), `refunded`)
	require.Contains(t, string(applied.Result), `****`)
	chat.Idle(t)
	var uses struct{ Uses []agent.Use }
	p.Admin.Get(t, path+"/uses", &uses)
	require.NotEmpty(t, uses.Uses)
	require.True(t, uses.Uses[0].OK && uses.Uses[0].InChat)
	require.Positive(t, p.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE tool_name = $1 AND status = 'executed'`, name))
	require.Positive(t, p.Count(t, `SELECT count(*) FROM vault_uses WHERE action = 'use' AND purpose LIKE 'request to localhost%'`))
	require.Positive(t, p.Count(t, `SELECT count(*) FROM ai_taints WHERE tool_name = $1`, name), "what a custom tool answers is from outside")

	// A request that was on its way when its process died is not sent again, and nobody claims to know what became of it.
	var called agent.Called
	p.Admin.Post(t, path+"/tools/refund/call", map[string]any{"args": map[string]any{"order": 8}}, &called)
	require.True(t, called.OK, "%+v", called.Error)
	var request map[string]any
	require.NoError(t, json.Unmarshal(called.Result, &request))
	request["timeout_ms"] = 1_000
	service.mu.Lock()
	service.hold = make(chan struct{})
	service.mu.Unlock()
	t.Cleanup(func() { close(service.hold) })
	lost := p.Admin.Propose(t, "http.request", request)
	for len(service.reached) > 0 {
		<-service.reached
	}
	go func() {
		_, _ = p.Admin.Send(t.Context(), http.MethodPost, "/api/ai/proposals/apply", map[string]any{"token": lost.Token})
	}()
	<-service.reached
	second.Kill()
	third := p.Spawn(t, "worker", env)
	apptest.Eventually(t, "the proposal is over", func() bool { return p.Admin.Proposal(t, lost.ProposalID).Status.Final() })
	lost = p.Admin.Proposal(t, lost.ProposalID)
	require.Equal(t, proposal.Failed, lost.Status)
	require.Contains(t, lost.Error.Message, "is not known")
	require.Len(t, service.requests(), 2, "it was sent once")

	// What was made for one revision is worth nothing when another one is live.
	nonce := nonces.FindString(string(called.Result))
	again := "/api/agents/" + slug + "/revisions/" + s.made(path+"/revisions", map[string]any{"cloneFrom": idOf(draft)})
	p.Admin.Post(t, again+"/freeze", nil, nil)
	p.Admin.Post(t, again+"/promote", nil, nil)
	p.Admin.Refused(
		t,
		problem.Conflict,
		http.MethodPost,
		"/api/http-requests",
		map[string]any{"method": "GET", "url": service.address() + "/?" + nonce},
	)

	places := map[string]string{
		"log":           p.Log.String(),
		"first worker":  worker.Log.String(),
		"second worker": second.Log.String(),
		"third worker":  third.Log.String(),
	}
	for _, r := range provider.Requests() {
		places["requests to the model"] += r.Raw
	}
	for _, e := range turn.Events {
		places["stream"] += e.Chunk
	}
	maps.Copy(places, tables(t, p))
	for _, id := range p.Column(t, `SELECT 'turn/' || id FROM ai_turns UNION ALL SELECT 'proposal/' || id FROM ai_proposals`) {
		raw, err := protojson.Marshal(p.History(t, id))
		require.NoError(t, err)
		places["history"] += string(raw) + decoded(t, raw)
	}
	require.Contains(t, places["table ai_proposals"], "nonce_", "the placeholder has passed through here")
	require.Contains(t, places["requests to the model"], "nonce_")
	for place, text := range places {
		for form, hidden := range map[string]string{"plain": value, "hex": hex.EncodeToString([]byte(value)), "base64": base64.StdEncoding.EncodeToString([]byte(value))[:40]} {
			require.NotContains(t, text, hidden, "%s in %s", form, place)
		}
	}
}
