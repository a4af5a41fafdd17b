package app_test

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"countersign/app/apptest"
	"countersign/model/demo"
)

// collected is what an OTLP collector has received over the wire.
type collected struct {
	URL string

	mu      sync.Mutex
	spans   []*otlp.Span
	service string
	headers http.Header
	raw     strings.Builder
}

func newCollector(t *testing.T) *collected {
	t.Helper()
	c := &collected{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var request collector.ExportTraceServiceRequest
		if err != nil || r.URL.Path != "/v1/traces" || proto.Unmarshal(body, &request) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.headers = r.Header.Clone()
		c.raw.Write(body)
		for _, resource := range request.GetResourceSpans() {
			for _, a := range resource.GetResource().GetAttributes() {
				if a.GetKey() == "service.name" {
					c.service = a.GetValue().GetStringValue()
				}
			}
			for _, scope := range resource.GetScopeSpans() {
				c.spans = append(c.spans, scope.GetSpans()...)
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(server.Close)
	c.URL = server.URL
	return c
}

func (c *collected) all() []*otlp.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}

// path is the names from the root of a trace to a span.
func path(spans []*otlp.Span, of *otlp.Span) []string {
	names := []string{of.GetName()}
	for parent := of.GetParentSpanId(); len(parent) > 0; {
		i := slices.IndexFunc(spans, func(s *otlp.Span) bool { return string(s.GetSpanId()) == string(parent) })
		if i < 0 {
			return append([]string{"?" + hex.EncodeToString(parent)}, names...)
		}
		names = append([]string{spans[i].GetName()}, names...)
		parent = spans[i].GetParentSpanId()
	}
	return names
}

func attribute(s *otlp.Span, key string) string {
	for _, a := range s.GetAttributes() {
		if a.GetKey() == key {
			return a.GetValue().String()
		}
	}
	return ""
}

func tracing(c *collected) map[string]string {
	return map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT":  c.URL,
		"OTEL_EXPORTER_OTLP_HEADERS":   "x-collector-key=hush%20hush",
		"OTEL_SERVICE_NAME":            "countersign-test",
		"COUNTERSIGN_TRACE_SLOW_QUERY": "1ns",
	}
}

// One chat turn goes through the whole product, and is one trace.
func TestATurnIsOneTrace(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	p := apptest.Start(t, apptest.Options{Env: tracing(c)})
	chat := p.Admin.Conversation(t, apptest.Settings{"permissionMode": "auto"})
	const word = "Zebrafinch"
	chat.Perform(t, `tool=ai.listDocs r2.tool=catalog.createGroup r2.input={"name":"`+word+`"} rounds=2 text="Grackle"`)
	id := turnsOf(t, p)[0]
	p.AwaitWorkflow(t, "turn/"+id)
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM catalog_groups WHERE name = $1`, word), "it was applied")
	for _, one := range p.Column(t, `SELECT id::text FROM ai_proposals`) {
		p.AwaitWorkflow(t, "proposal/"+one)
	}
	p.Stop(t)

	spans := c.all()
	require.Equal(t, "countersign-test", c.service)
	require.Equal(t, "hush hush", c.headers.Get("X-Collector-Key"))
	roots := map[string]*otlp.Span{}
	for _, s := range spans {
		if s.GetName() == "POST /api/ai/chat" {
			roots[string(s.GetTraceId())] = s
		}
	}
	require.Len(t, roots, 1)
	var paths []string
	for _, s := range spans {
		if roots[string(s.GetTraceId())] != nil {
			paths = append(paths, strings.Join(path(spans, s), " > "))
		}
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	tree := strings.Join(paths, "\n")
	const turn = "POST /api/ai/chat > StartWorkflow:Turn > RunWorkflow:Turn > "
	const tool = turn + "StartActivity:CallTool > RunActivity:CallTool > "
	const proposal = tool + "StartWorkflow:Proposal > RunWorkflow:Proposal > "
	for _, want := range []string{
		turn + "StartActivity:CallModel > RunActivity:CallModel > chat " + demo.Scripted,
		tool + "execute_tool ai.listDocs",
		tool + "execute_tool catalog.createGroup",
		proposal + "StartActivity:ApplyProposal > RunActivity:ApplyProposal > execute_tool catalog.createGroup > POST /api/catalog/groups",
		turn + "StartActivity:FinishTurn > RunActivity:FinishTurn",
	} {
		require.Contains(t, paths, want, tree)
	}
	require.NotContains(t, tree, "?", "no span is without its parent")
	require.Contains(t, tree, "CreateGroup", "slow statements are named as in their .sql file")

	calls := 0
	for _, s := range spans {
		require.NotContains(t, s.GetName(), id, "names are few")
		require.Empty(t, s.GetEvents())
		require.Empty(t, s.GetStatus().GetMessage())
		switch s.GetName() {
		case "chat " + demo.Scripted:
			calls++
			require.Contains(t, attribute(s, "gen_ai.request.model"), demo.Scripted)
			require.Contains(t, attribute(s, "gen_ai.operation.name"), "chat")
			require.NotEmpty(t, attribute(s, "gen_ai.response.finish_reasons"))
			require.NotEmpty(t, attribute(s, "gen_ai.usage.output_tokens"))
		case "POST /api/catalog/groups":
			require.Contains(t, attribute(s, "http.response.status_code"), "201")
			require.Contains(t, attribute(s, "countersign.request.in_process"), "true")
		}
	}
	require.GreaterOrEqual(t, calls, 3, "the first of them may begin beside the start of the workflow")
	for _, secret := range []string{word, "Grackle", p.Admin.Password, p.Admin.Email, "script:", "SELECT ", "INSERT ", "hush", "Bearer"} {
		require.NotContains(t, c.raw.String(), secret)
	}
}

func TestATraceGoesOnFromItsCaller(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	p := apptest.Start(t, apptest.Options{Env: tracing(c)})
	const trace, span = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	p.Admin.Call(t, http.MethodGet, "/api/me", nil, apptest.Header{Name: "traceparent", Value: "00-" + trace + "-" + span + "-01"})
	p.Admin.Call(t, http.MethodGet, "/api/users", nil, apptest.Header{Name: "traceparent", Value: "00-" + trace + "-" + span + "-00"})
	p.Admin.Call(t, http.MethodGet, "/api/teams?secret=Zebrafinch", nil, apptest.Header{Name: "traceparent", Value: "nonsense"})
	p.Admin.Call(t, "BREW", "/api/teams", nil)
	p.Stop(t)
	seen := map[string]*otlp.Span{}
	for _, s := range c.all() {
		seen[s.GetName()] = s
	}
	require.Equal(t, trace, hex.EncodeToString(seen["GET /api/me"].GetTraceId()))
	require.Equal(t, span, hex.EncodeToString(seen["GET /api/me"].GetParentSpanId()))
	require.Nil(t, seen["GET /api/users"], "the caller has decided not to sample")
	require.NotEqual(t, trace, hex.EncodeToString(seen["GET /api/teams"].GetTraceId()))
	require.NotContains(t, c.raw.String(), "Zebrafinch")
	require.NotContains(t, c.raw.String(), "BREW")
}

func TestWithoutACollectorNothingIsTraced(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	for _, env := range []map[string]string{
		{}, {"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL, "OTEL_SDK_DISABLED": "true"}, {"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL, "OTEL_TRACES_EXPORTER": "none"},
	} {
		p := apptest.Start(t, apptest.Options{Env: env})
		p.Admin.Conversation(t, nil).Perform(t, "text=hi")
		id := "turn/" + turnsOf(t, p)[0]
		p.AwaitWorkflow(t, id)
		require.NotContains(t, written(t, p.History(t, id)), "_tracer-data")
		p.Stop(t)
	}
	require.Empty(t, c.all())
}
