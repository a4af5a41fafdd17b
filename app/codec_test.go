package app_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/history/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"countersign/app/apptest"
	"countersign/internal/secret"
	"countersign/tool/proposal"
)

const (
	decodePath = "/api/temporal/codec/decode"
	encodePath = "/api/temporal/codec/encode"
)

func encrypted() map[string]string {
	return map[string]string{"COUNTERSIGN_TEMPORAL_ENCRYPTION": "true"}
}

// turnsOf are the ids of the turns of an installation, oldest first.
func turnsOf(t *testing.T, p *apptest.Product) []string {
	t.Helper()
	return p.Column(t, `SELECT id::text FROM ai_turns ORDER BY created_at`)
}

func written(t *testing.T, h *history.History) string {
	t.Helper()
	text, err := protojson.Marshal(h)
	require.NoError(t, err)
	return string(text)
}

// payloadsOf are the payloads of a history in their JSON form.
func payloadsOf(t *testing.T, h *history.History) []any {
	t.Helper()
	var tree any
	require.NoError(t, json.Unmarshal([]byte(written(t, h)), &tree))
	var found []any
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if meta, ok := v["metadata"].(map[string]any); ok && meta["encoding"] != nil {
				found = append(found, v)
				return
			}
			for _, e := range v {
				walk(e)
			}
		case []any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(tree)
	return found
}

func TestWorkflowsAreEncryptedAndOperatorsReadThem(t *testing.T) {
	t.Parallel()
	env := encrypted()
	env["TEMPORAL_UI_URL"] = "http://localhost:8233/"
	p := apptest.Start(t, apptest.Options{Env: env})
	chat := p.Admin.Conversation(t, nil)
	chat.Perform(t, `tool=ai.listDocs text=done`)
	id := turnsOf(t, p)[0]
	p.AwaitWorkflow(t, "turn/"+id)
	h := p.History(t, "turn/"+id)
	payloads := payloadsOf(t, h)
	require.NotEmpty(t, payloads)
	encryptedCount := 0
	for _, one := range payloads {
		raw, err := json.Marshal(one)
		require.NoError(t, err)
		if strings.Contains(string(raw), "encryption-key-id") {
			encryptedCount++
		}
	}
	// What stays readable are the search attributes, which the server sorts by, and the SDK's own notes about versions.
	require.Greater(t, encryptedCount, 5)
	started := h.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes()
	for _, in := range started.GetInput().GetPayloads() {
		require.Equal(t, "binary/encrypted", string(in.GetMetadata()["encoding"]))
		require.NotContains(t, string(in.GetData()), id)
	}

	body := map[string]any{"payloads": payloads}
	answer := p.Admin.Call(t, http.MethodPost, decodePath, body)
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	var decoded struct{ Payloads []struct{ Data []byte } }
	answer.Decode(t, &decoded)
	require.Len(t, decoded.Payloads, len(payloads))
	var plain []string
	for _, one := range decoded.Payloads {
		plain = append(plain, string(one.Data))
	}
	require.Contains(t, strings.Join(plain, "\n"), id, "the input of the workflow")
	require.Contains(t, strings.Join(plain, "\n"), "Turn of user:", "its summary")

	again := p.Admin.Call(t, http.MethodPost, encodePath, json.RawMessage(answer.Body))
	require.Equal(t, http.StatusOK, again.Status)
	require.NotContains(t, string(again.Body), string(answer.Body))

	// Whoever may not, may not.
	require.Equal(t, http.StatusUnauthorized, p.Anonymous().Call(t, http.MethodPost, decodePath, body).Status)
	for _, who := range []*apptest.Client{p.Person(t), p.Application(t)} {
		for _, path := range []string{decodePath, encodePath} {
			require.Equal(t, http.StatusForbidden, who.Call(t, http.MethodPost, path, body).Status)
		}
	}
	operator := p.Person(t, p.Role(t, "temporal.payload.read"))
	require.Equal(t, http.StatusOK, operator.Call(t, http.MethodPost, decodePath, body).Status)
	codecForPages(t, p, operator, body)

	damaged := map[string]any{"payloads": []any{map[string]any{"metadata": map[string]any{
		"encoding": "YmluYXJ5L2VuY3J5cHRlZA==", "encryption-key-id": "MDAwMDAwMDE=",
	}, "data": "AAAA"}}}
	refused := operator.Call(t, http.MethodPost, decodePath, damaged)
	require.Equal(t, http.StatusUnprocessableEntity, refused.Status)
}

// codecForPages checks which pages of other origins may use the codec: that of the Temporal Web UI.
func codecForPages(t *testing.T, p *apptest.Product, operator *apptest.Client, body any) {
	t.Helper()
	ui := apptest.Header{Name: "Origin", Value: "http://localhost:8233"}
	cross := apptest.Header{Name: "Sec-Fetch-Site", Value: "same-site"}
	preflight := p.Anonymous().Call(t, http.MethodOptions, decodePath, nil, ui, cross)
	require.Equal(t, http.StatusNoContent, preflight.Status)
	require.Equal(t, ui.Value, preflight.Header.Get("Access-Control-Allow-Origin"))
	require.Equal(t, "true", preflight.Header.Get("Access-Control-Allow-Credentials"))
	require.Contains(t, preflight.Header.Get("Access-Control-Allow-Headers"), "X-Namespace")
	answer := operator.Call(t, http.MethodPost, decodePath, body, ui, cross, apptest.Header{Name: "X-Namespace", Value: "default"})
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	require.Equal(t, ui.Value, answer.Header.Get("Access-Control-Allow-Origin"))

	for _, origin := range []string{"http://localhost:8234", "https://localhost:8233", "http://evil.example", "http://localhost:8233.evil.example", "null"} {
		foreign := apptest.Header{Name: "Origin", Value: origin}
		answer := operator.Call(t, http.MethodPost, decodePath, body, foreign, cross)
		require.Equal(t, http.StatusForbidden, answer.Status, origin)
		require.Empty(t, answer.Header.Get("Access-Control-Allow-Origin"))
		preflight := operator.Call(t, http.MethodOptions, decodePath, nil, foreign, cross)
		require.Empty(t, preflight.Header.Get("Access-Control-Allow-Origin"))
	}
	// Nothing else is open to that page.
	answer = operator.Call(t, http.MethodPost, "/api/ai/conversations", map[string]any{}, ui, cross)
	require.Equal(t, http.StatusForbidden, answer.Status)
	require.Empty(t, answer.Header.Get("Access-Control-Allow-Origin"))
}

// A turn that waits while encryption is switched on, the key is rotated and encryption is switched off again, goes on.
func TestEncryptionIsSwitchedWhileProposalsWait(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	propose := func(of *apptest.Product, name string) string {
		return p.Admin.At(of).Propose(t, "catalog.createGroup", map[string]any{"name": name}).ProposalID.String()
	}
	apply := func(at *apptest.Product, id string) {
		admin := p.Admin.At(at)
		admin.Apply(t, uuid.MustParse(id))
		at.AwaitWorkflow(t, "proposal/"+id)
		require.Equal(t, proposal.Applied, admin.Proposal(t, uuid.MustParse(id)).Status)
	}
	waiting := []string{propose(p, "Plain")}
	plain := p.History(t, "proposal/"+waiting[0])
	require.NotContains(t, written(t, plain), "encryption-key-id", "it is off by default")

	p.Stop(t)
	on := apptest.Start(t, apptest.Options{Beside: p, Env: encrypted()})
	waiting = append(waiting, propose(on, "Encrypted"))
	require.Contains(t, written(t, on.History(t, "proposal/"+waiting[1])), "encryption-key-id")

	// A process that runs reads what one with a newer key has left.
	status, printed := on.Command(t, "secrets", "add-key")
	require.Zero(t, status, printed)
	newer := apptest.Start(t, apptest.Options{Beside: p, Env: encrypted()})
	require.Equal(t, 2, on.Count(t, `SELECT count(*) FROM payload_keys`))
	waiting = append(waiting, propose(newer, "Rotated"))
	newer.Stop(t)
	apply(on, waiting[2])
	on.Stop(t)

	off := apptest.Start(t, apptest.Options{Beside: p})
	for _, id := range waiting[:2] {
		apply(off, id)
	}
	off.Stop(t)

	// One that lacks a key does not start, and says why.
	mine, err := os.ReadFile(filepath.Join(p.Data(), "keyset.json"))
	require.NoError(t, err)
	other, err := secret.New()
	require.NoError(t, err)
	text, err := other.Marshal()
	require.NoError(t, err)
	for _, env := range []map[string]string{{}, encrypted()} {
		env["COUNTERSIGN_KEYSET"] = string(text)
		printed := p.Fails(t, "worker", env)
		require.Contains(t, printed, "lacks")
		require.Contains(t, printed, "COUNTERSIGN_KEYSET")
	}
	env := encrypted()
	env["COUNTERSIGN_KEYSET"] = string(mine)
	apptest.Start(t, apptest.Options{Beside: p, Env: env})
}
