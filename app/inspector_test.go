package app_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/modules/inspector"
)

// reportOf is how a turn went, as somebody sees it.
func reportOf(t *testing.T, c *apptest.Client, turn string) inspector.Report {
	t.Helper()
	var r inspector.Report
	c.Get(t, "/api/ai/turns/"+turn, &r)
	return r
}

// entriesOf are those of a kind.
func entriesOf(r inspector.Report, kind string) []inspector.Entry {
	var found []inspector.Entry
	for _, e := range r.Entries {
		if e.Kind == kind {
			found = append(found, e)
		}
	}
	return found
}

// A turn with a fault of its provider, a tool that is the product's own and one that the model has made up: all of it can be seen, with
// the tokens that the ledger counts and their cost at the connection's prices.
func TestATurnIsSeenStepByStep(t *testing.T) {
	t.Parallel()
	p, provider := withProvider(t)
	connection := limited(t, p, map[string]any{"price": map[string]any{"input": 3, "output": 15, "cached": 0.5}})
	provider.Answer(apptest.Refuse(http.StatusTooManyRequests, `{"error":{"message":"Slow down."}}`))
	provider.Answer(apptest.EventsUsing(1_000, 20, apptest.Text("Let me look."),
		apptest.ToolCall("call-1", "ai_listDocs", "{}"), apptest.ToolCall("call-2", "secretProject_launch", `{"code":"canary"}`)))
	provider.Answer(apptest.EventsUsing(2_000, 30, apptest.Text("There it is.")))
	asker := p.Person(t)
	chat := asker.Conversation(t, nil)
	turn := chat.Perform(t, "text=hi")
	finished(t, chat, turn)
	require.Equal(t, "done", turn.Metadata.Status)
	id := turn.Metadata.TurnID.String()

	own := reportOf(t, asker, id)
	require.True(t, own.Readable)
	require.Equal(t, chat.ID, *own.ConversationID)
	models := entriesOf(own, inspector.ModelEntry)
	require.Len(t, models, 3)
	require.Equal(t, []string{"failed", "done", "done"}, []string{models[0].Status, models[1].Status, models[2].Status})
	require.Equal(t, "rate_limited", models[0].Failure)
	require.Zero(t, models[0].Tokens, "what the provider has refused costs nothing")
	require.Nil(t, models[0].CostMicros)
	require.Equal(t, 2, models[1].Number)
	require.Equal(t, int64(1_020), models[1].Tokens)
	require.Equal(t, int64(1_000*3+20*15), *models[1].CostMicros)
	require.NotNil(t, models[1].FirstMS)
	require.Equal(t, 1, own.Retries)
	require.Equal(t, int64(3_050), own.Tokens)
	require.Equal(t, int64(3_000*3+50*15), *own.CostMicros)
	require.Equal(t, 3_050, p.Count(t, `SELECT sum(tokens)::int FROM ai_spend WHERE turn_id = $1`, id), "what the ledger counts")
	var used struct {
		Spend []struct {
			PrincipalID uuid.UUID `json:"principalId"`
			Tokens      int64     `json:"tokens"`
		} `json:"spend"`
	}
	p.Admin.Get(t, "/api/ai/spend", &used)
	require.Equal(t, own.Tokens, used.Spend[0].Tokens)
	require.Equal(t, own.Person.ID, used.Spend[0].PrincipalID)

	// Each thing begins after the one it waits for has ended, and all lie within the turn.
	waits := entriesOf(own, inspector.WaitEntry)
	require.Len(t, waits, 1)
	require.GreaterOrEqual(t, waits[0].StartMS, models[0].StartMS+*models[0].TookMS)
	require.GreaterOrEqual(t, models[1].StartMS, waits[0].StartMS+*waits[0].TookMS)
	tools := entriesOf(own, inspector.ToolEntry)
	require.Len(t, tools, 2)
	require.Equal(t, "executed", tools[0].Status)
	require.Equal(t, "{}", tools[0].Arguments)
	require.JSONEq(t, `{"code":"canary"}`, tools[1].Arguments)
	require.Equal(t, "refused", tools[1].Status)
	for _, tool := range tools {
		require.GreaterOrEqual(t, tool.StartMS, models[1].StartMS+*models[1].TookMS-50)
		require.LessOrEqual(t, tool.StartMS, models[2].StartMS)
	}
	require.LessOrEqual(t, models[2].StartMS+*models[2].TookMS, own.TookMS+50)

	// The records of steps go after a while; the arguments stay as long as the message does.
	p.Exec(t, `DELETE FROM turn_steps WHERE turn_id = $1`, id)
	later := entriesOf(reportOf(t, asker, id), inspector.ToolEntry)
	require.Equal(t, "{}", later[0].Arguments)
	require.JSONEq(t, `{"code":"canary"}`, later[1].Arguments)

	// Operators see how it went, and nothing that somebody has said or made up. Not even administrators do.
	operator := p.Person(t, p.Role(t, inspector.Read))
	for _, c := range []*apptest.Client{operator, p.Admin} {
		answer := c.Call(t, http.MethodGet, "/api/ai/turns/"+id, nil)
		require.Equal(t, http.StatusOK, answer.Status)
		for _, word := range []string{"canary", "secretProject", "Let me look", "There it is", chat.ID.String(), `"arguments"`} {
			require.NotContains(t, string(answer.Body), word)
		}
		seen := reportOf(t, c, id)
		require.False(t, seen.Readable)
		require.Equal(t, own.Tokens, seen.Tokens)
		require.Equal(t, own.CostMicros, seen.CostMicros)
		require.Len(t, seen.Entries, len(own.Entries))
		require.Equal(t, "ai.listDocs", entriesOf(seen, inspector.ToolEntry)[0].Tool)
		require.Empty(t, entriesOf(seen, inspector.ToolEntry)[1].Tool)
	}

	// The list has it, by each filter; who has no such rule gets neither.
	person := own.Person.ID.String()
	for _, query := range []string{"", "?status=done", "?principalId=" + person, "?model=" + own.Model, "?connectionId=" + connection} {
		require.Contains(t, turnIDs(t, operator, query), id, query)
	}
	for _, query := range []string{"?status=failed", "?status=running", "?principalId=" + uuid.NewString(), "?model=other", "?slowSeconds=3600"} {
		require.NotContains(t, turnIDs(t, operator, query), id, query)
	}
	stranger := p.Person(t)
	stranger.Refused(t, problem.NotFound, http.MethodGet, "/api/ai/turns/"+id, nil)
	stranger.Refused(t, problem.Forbidden, http.MethodGet, "/api/ai/turns", nil)
	asker.Refused(t, problem.Forbidden, http.MethodGet, "/api/ai/turns", nil)
	stranger.Refused(t, problem.NotFound, http.MethodGet, "/api/ai/turns/"+uuid.NewString(), nil)

	// What a call has cost stays when prices change.
	p.Admin.Patch(t, "/api/ai/connections/"+connection, map[string]any{"price": nil}, nil)
	require.Equal(t, own.CostMicros, reportOf(t, asker, id).CostMicros)
	provider.Answer(apptest.EventsUsing(10, 10, apptest.Text("Free.")))
	free := chat.Perform(t, "text=hi")
	finished(t, chat, free)
	require.Nil(t, reportOf(t, asker, free.Metadata.TurnID.String()).CostMicros)
}

func turnIDs(t *testing.T, c *apptest.Client, query string) []string {
	t.Helper()
	var list struct {
		Turns []inspector.Turn `json:"turns"`
	}
	c.Get(t, "/api/ai/turns"+query, &list)
	var ids []string
	for _, turn := range list.Turns {
		ids = append(ids, turn.ID.String())
	}
	return ids
}

// What is under way is seen too: a call that runs has begun and has no end yet.
func TestARunningTurnIsSeen(t *testing.T) {
	t.Parallel()
	p, provider := withProvider(t)
	limited(t, p, map[string]any{"spendCap": tokens(1_000_000)})
	pause := provider.Pause(apptest.Text("Well"))
	chat := p.Admin.Conversation(t, nil)
	stream := chat.Send(t, apptest.Scripted("text=hi"))
	var id string
	require.Eventually(t, func() bool {
		ids := turnIDs(t, p.Admin, "?status=running")
		if len(ids) == 0 {
			return false
		}
		id = ids[0]
		models := entriesOf(reportOf(t, p.Admin, id), inspector.ModelEntry)
		return len(models) == 1 && models[0].Status == "running"
	}, time.Minute, 20*time.Millisecond)
	require.Nil(t, reportOf(t, p.Admin, id).FinishedAt)
	pause.Resume(apptest.Text(", hello."))
	require.Equal(t, "done", stream.Rest(t).Metadata.Status)
	require.Equal(t, "done", entriesOf(reportOf(t, p.Admin, id), inspector.ModelEntry)[0].Status)
}
