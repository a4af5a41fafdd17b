package app_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"

	"countersign/app/apptest"
	"countersign/auth"
)

// credential is an API token or a turn's delegated credential.
var credential = regexp.MustCompile(`(` + auth.TokenPrefix + `|` + auth.DelegatedPrefix + `)[A-Za-z0-9_-]{20}`)

// What gives power appears where it is used and nowhere else: not in the database, in a log, in a stream, in what the
// model is sent, or in a workflow's history. The whole of each is searched.
func TestSecretsStayWhereTheyBelong(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	chat := p.Admin.Conversation(t, nil)
	auto := p.Admin.Conversation(t, apptest.Settings{"permissionMode": "auto"})

	// A session with everything in it: proposals of each outcome, reads, a failure, a refused token.
	var tokens []string
	var streams strings.Builder
	perform := func(c *apptest.Conversation, script string) *apptest.Turn {
		turn := c.Perform(t, script)
		for _, e := range turn.Events {
			streams.WriteString(e.Chunk)
		}
		return turn
	}
	for _, decision := range []string{"apply", "decline", ""} {
		card := perform(chat, `tool=ai.listDocs tool=catalog.createSystem input={"name":"To `+decision+`"}`).Card(t, "proposal")
		shown := p.Admin.Proposal(t, card.ProposalID)
		tokens = append(tokens, shown.Token)
		switch decision {
		case "apply":
			p.Admin.Apply(t, card.ProposalID)
			chat.Decide(t, card.ProposalID, decision)
		case "decline":
			p.Admin.Post(t, "/api/ai/proposals/"+card.ProposalID.String()+"/decline", nil, nil)
			chat.Decide(t, card.ProposalID, decision)
		}
	}
	applied := perform(auto, createSystem+`text=Done.`).Card(t, "applied")
	failed := perform(chat, "fault=invalid_key")
	tokens = append(tokens, p.Admin.Propose(t, "catalog.createSystem", map[string]any{"name": "By API"}).Token)

	secrets := map[string]string{
		"the provider's key":           apptest.ProviderKey,
		"the administrator's password": p.Admin.Password,
		"the session":                  p.Admin.Cookie(t),
	}
	for _, token := range tokens {
		nonce := token[strings.LastIndex(token, ".")+1:]
		require.Len(t, nonce, 64)
		secrets["a nonce "+nonce[:4]] = nonce
	}
	places := map[string]string{
		"database": strings.Join(p.Dump(t), "\n"), "log": p.Log.String(), "streams": streams.String(),
	}
	for _, r := range provider.Requests() {
		places["model"] += r.Raw
	}
	for _, id := range p.Column(t, `SELECT 'turn/' || id FROM ai_turns UNION ALL SELECT 'proposal/' || id FROM ai_proposals WHERE status <> 'proposed'`) {
		raw, err := protojson.Marshal(p.History(t, id))
		require.NoError(t, err)
		places["history of "+id] = string(raw) + decoded(t, raw)
	}
	require.Contains(t, places["database"], "To apply")
	require.Contains(t, places["model"], "To apply")
	require.Contains(t, places["history of turn/"+failed.Metadata.TurnID.String()], "model_refused", "histories can be read here")
	require.Contains(t, places, "history of proposal/"+applied.ProposalID.String())
	for place, text := range places {
		for what, secret := range secrets {
			require.NotContains(t, text, secret, "%s in the %s", what, place)
		}
		if strings.HasPrefix(place, "history") {
			require.NotContains(t, text, "To apply", "texts stay in the database")
		}
		require.NotRegexp(t, credential, text, "in the %s", place)
	}
}

// decoded are the payloads of a history in the clear.
func decoded(t *testing.T, history []byte) string {
	t.Helper()
	var b strings.Builder
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if data, ok := v["data"].(string); ok {
				var raw []byte
				if json.Unmarshal([]byte(`"`+data+`"`), &raw) == nil {
					b.Write(raw)
				}
			}
			for _, member := range v {
				walk(member)
			}
		case []any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	var tree any
	require.NoError(t, json.Unmarshal(history, &tree))
	walk(tree)
	return b.String()
}
