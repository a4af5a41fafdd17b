package app_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/app/apptest"
	"countersign/chat/conversation"
	"countersign/internal/problem"
)

const setRetention = "/api/ai/retention"

// The setting makes the schedule, the schedule makes the sweep, and the sweep deletes what is due.
func TestTheScheduleDeletesWhatIsDue(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	p.DropSchedule(t)
	due, kept := p.Admin.Conversation(t, nil), p.Admin.Conversation(t, nil)
	due.Perform(t, createSystem+"text=Here.")
	kept.Perform(t, "text=hi")
	p.Admin.Post(t, "/api/ai/conversations/"+due.ID.String()+"/archive", nil, nil)
	p.Exec(t, `UPDATE ai_conversations SET archived_at = now() - interval '31 days' WHERE id = $1`, due.ID)
	p.Exec(t, `UPDATE ai_proposals SET status = 'expired', finished_at = now()`)
	require.False(t, p.Schedule(t).Exists, "off by default")

	var set conversation.Retention
	answer := p.Admin.Get(t, setRetention, &set)
	require.False(t, set.Enabled)
	stale := answer.Header.Get("ETag")
	put := func(body any, headers ...apptest.Header) apptest.Answer {
		return p.Admin.Call(t, http.MethodPut, setRetention, body, headers...)
	}
	require.Equal(
		t,
		http.StatusOK,
		put(map[string]any{"enabled": true, "archivedDays": 30, "idleDays": nil}, apptest.Header{Name: "If-Match", Value: stale}).Status,
	)
	require.Equal(
		t,
		http.StatusPreconditionFailed,
		put(map[string]any{"enabled": false, "archivedDays": nil, "idleDays": nil}, apptest.Header{Name: "If-Match", Value: stale}).Status,
	)
	require.Equal(t, apptest.ScheduleState{Exists: true}, p.Schedule(t))

	p.TriggerSchedule(t)
	apptest.Eventually(t, "the conversation is deleted", func() bool {
		return p.Count(t, `SELECT count(*) FROM ai_conversations WHERE id = $1`, due.ID) == 0
	})
	require.Equal(t, "hi", apptest.TextOf(kept.Last(t)))
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM ai_tool_calls`), "the audit row stays")
	for _, table := range []string{"ai_messages", "ai_turns"} {
		require.Zero(t, p.Count(t, `SELECT count(*) FROM `+table+` WHERE conversation_id = $1`, due.ID), table)
	}
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_proposals`))
	apptest.Eventually(t, "the sweep is noted", func() bool {
		p.Admin.Get(t, setRetention, &set)
		return set.Deleted == 1 && set.SweptAt != nil
	})

	require.Equal(t, http.StatusOK, put(map[string]any{"enabled": false, "archivedDays": 30, "idleDays": nil}).Status)
	require.Equal(t, apptest.ScheduleState{Exists: true, Paused: true}, p.Schedule(t))
}

// The row decides. A schedule that was changed by hand, or never reached, is brought in line by a worker.
func TestTheScheduleIsBroughtInLineAtTheStart(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Roles: app.Roles{API: true}})
	p.DropSchedule(t)
	p.Exec(t, `UPDATE ai_retention SET enabled = true, archived_days = 30, revision = 2`)
	for range 2 {
		apptest.Start(t, apptest.Options{Roles: app.Roles{Worker: true}, Beside: p})
	}
	apptest.Eventually(t, "the schedule is there", func() bool { return p.Schedule(t) == apptest.ScheduleState{Exists: true} })
}

// slow is a running turn that says something and goes on for long.
const slow = "tokens=20000 delay_token=5ms"

func TestAPersonsContentIsErased(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	role := p.Role(t, "catalog.system.manage")
	ada, bob := p.Person(t, role), p.Person(t, role)
	done, open, running := ada.Conversation(t, nil), ada.Conversation(t, nil), ada.Conversation(t, nil)
	card := done.Perform(t, createSystem).Card(t, "proposal")
	ada.Apply(t, card.ProposalID)
	done.Idle(t)
	waiting := open.Perform(t, `tool=catalog.createSystem input={"name":"Canary of Ada"}`).Card(t, "proposal")
	loose := ada.Propose(t, "catalog.createSystem", map[string]any{"name": "Canary alone"})
	bobs := bob.Conversation(t, nil)
	bobs.Perform(t, "text=hello")
	ada.Patch(
		t,
		"/api/ai/conversations/"+done.ID.String(),
		map[string]any{"title": "Canary in a title"},
		nil,
		apptest.Header{Name: "Idempotency-Key", Value: "k1"},
	)
	stream := running.Send(t, apptest.Scripted(slow))
	stream.UntilType(t, "text-delta")
	calls := p.Count(t, `SELECT count(*) FROM ai_tool_calls`)

	person := "/api/ai/privacy/people/" + ada.ID.String()
	var preview conversation.Content
	p.Admin.Get(t, person, &preview)
	require.Equal(t, int64(3), preview.Conversations)
	require.Equal(t, int64(3), preview.Proposals)
	require.Equal(t, int64(2), preview.Other["keptAnswers"], "of the rename and of the apply")

	// It takes the rule, the address of the person, and a person who asks.
	request := map[string]any{"personId": ada.ID, "email": ada.Email}
	bob.Refused(t, problem.Forbidden, http.MethodPost, "/api/ai/privacy/erasures", request)
	bob.Refused(t, problem.Forbidden, http.MethodGet, person, nil)
	p.Admin.Refused(t, problem.Invalid, http.MethodPost, "/api/ai/privacy/erasures", map[string]any{"personId": ada.ID, "email": bob.Email})
	var erasure conversation.Erasure
	p.Admin.Post(t, "/api/ai/privacy/erasures", request, &erasure)
	apptest.Eventually(t, "the erasure is finished", func() bool {
		p.Admin.Get(t, "/api/ai/privacy/erasures/"+erasure.ID.String(), &erasure)
		return erasure.FinishedAt != nil
	})
	p.AwaitWorkflow(t, "erasure/"+erasure.ID.String())
	stream.Close()

	require.Equal(t, int64(3), erasure.Deleted.Conversations)
	require.Equal(t, int64(3), erasure.Deleted.Proposals)
	require.Equal(t, p.Admin.ID, erasure.RequestedByID)
	p.Admin.Get(t, person, &preview)
	require.Equal(t, conversation.Content{Other: preview.Other}, preview)
	require.Zero(t, preview.Other["keptAnswers"])
	for _, id := range []uuid.UUID{waiting.ProposalID, loose.ProposalID, card.ProposalID} {
		ada.Refused(t, problem.NotFound, http.MethodGet, "/api/ai/proposals/"+id.String(), nil)
	}
	for _, row := range p.Dump(t) {
		require.NotContains(t, row, "Canary", "nothing that Ada wrote is left")
	}
	require.Equal(t, calls, p.Count(t, `SELECT count(*) FROM ai_tool_calls`), "the audit rows stay")
	require.Equal(t, "hello", apptest.TextOf(bobs.Last(t)), "others keep theirs")
	ada.Conversation(t, nil).Perform(t, "text=again")
	require.Empty(t, p.Failures(t), "nothing goes on behind it")
}

// The process is stopped in the middle; another one goes on where it was.
func TestAnErasureGoesOnAfterARestart(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	ada := p.Person(t)
	p.Exec(
		t,
		`INSERT INTO ai_conversations (id, owner_id, title) SELECT gen_random_uuid(), $1, 'Chat ' || n FROM generate_series(1, 450) n`,
		ada.ID,
	)
	var erasure conversation.Erasure
	p.Admin.Post(t, "/api/ai/privacy/erasures", map[string]any{"personId": ada.ID, "email": ada.Email}, &erasure)
	p.Restart(t)
	apptest.Eventually(t, "the erasure is finished", func() bool {
		p.Admin.Get(t, "/api/ai/privacy/erasures/"+erasure.ID.String(), &erasure)
		return erasure.FinishedAt != nil
	})
	require.Equal(t, int64(450), erasure.Deleted.Conversations, "each one counted once")
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_conversations`))
}

func TestAPersonDownloadsTheirConversations(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	ada := p.Person(t)
	for _, text := range []string{"one", "two"} {
		ada.Conversation(t, nil).Perform(t, "text="+text)
	}
	archived := ada.Conversation(t, apptest.Settings{"title": "Old"})
	ada.Post(t, "/api/ai/conversations/"+archived.ID.String()+"/archive", nil, nil)
	p.Admin.Conversation(t, apptest.Settings{"title": "Not Ada's"})
	var export struct {
		Conversations []struct {
			Title    *string    `json:"title"`
			Archived *time.Time `json:"archivedAt"`
			Messages []any      `json:"messages"`
		} `json:"conversations"`
	}
	answer := ada.Get(t, "/api/ai/conversations/export", &export)
	require.Contains(t, answer.Header.Get("Content-Disposition"), "attachment")
	require.Len(t, export.Conversations, 3)
	require.Len(t, export.Conversations[0].Messages, 2)
	require.NotNil(t, export.Conversations[2].Archived)
	require.NotContains(t, string(answer.Body), "Not Ada's")
}

// Chats are deleted while somebody downloads theirs: by themselves elsewhere, by retention, and empty ones after a day.
func TestADownloadGoesOnWithoutAChatThatIsDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	ada := p.Person(t, p.Role(t, "ai.chat.read"))
	gone, kept := ada.Conversation(t, apptest.Settings{"title": "Gone"}), ada.Conversation(t, apptest.Settings{"title": "Kept"})
	downloaded := make(chan apptest.Answer, 1)
	require.NoError(t, p.DB.InTx(t.Context(), func(ctx context.Context) error {
		exec := func(sql string, args ...any) {
			_, err := p.DB.Conn(ctx).Exec(ctx, sql, args...)
			require.NoError(t, err)
		}
		// A download reads what a chat holds from outside after its messages and before what its person said of its answers.
		exec(`LOCK TABLE ai_taints IN ACCESS EXCLUSIVE MODE`)
		go func() { downloaded <- ada.Call(t, http.MethodGet, "/api/ai/conversations/export", nil) }()
		require.Eventually(t, func() bool {
			return p.Count(
				t,
				`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%ai_taints%'`,
			) > 0
		}, time.Minute, 5*time.Millisecond)
		exec(`DELETE FROM ai_conversations WHERE id = $1`, gone.ID)
		return nil
	}))
	var export struct{ Conversations []struct{ ID uuid.UUID } }
	answer := <-downloaded
	require.NoError(t, json.Unmarshal(answer.Body, &export), "%s", answer.Body)
	require.Len(t, export.Conversations, 1)
	require.Equal(t, kept.ID, export.Conversations[0].ID)
}

// Double clicks and lost answers are a normal path, whatever the order.
func TestArchivingAndRestoringAreRepeatable(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Admin.Conversation(t, apptest.Settings{"title": "Payments"})
	at := "/api/ai/conversations/" + chat.ID.String()
	list := func(query string) (titles []string) {
		var answer struct {
			Conversations []struct {
				Title string `json:"title"`
			} `json:"conversations"`
		}
		p.Admin.Get(t, "/api/ai/conversations"+query, &answer)
		for _, c := range answer.Conversations {
			titles = append(titles, c.Title)
		}
		return titles
	}
	for i := range 2 {
		var done struct {
			Archived bool `json:"archived"`
		}
		p.Admin.Post(t, at+"/archive", nil, &done)
		require.Equal(t, i == 0, done.Archived)
	}
	require.Empty(t, list(""))
	require.Equal(t, []string{"Payments"}, list("?archived=true"))
	require.Equal(t, http.StatusConflict, chat.Refused(t, apptest.Message{Text: "hi"}).Status)
	for i := range 2 {
		var done struct {
			Restored bool `json:"restored"`
		}
		p.Admin.Post(t, at+"/restore", nil, &done)
		require.Equal(t, i == 0, done.Restored)
	}
	require.Equal(t, []string{"Payments"}, list(""))
	require.Empty(t, list("?archived=true"))
	require.Equal(t, "hi", chat.Perform(t, "text=hi").Text())
}

// A stored model can leave its connection's list. It is never sent to the provider again.
func TestAModelThatIsNoLongerAllowedIsNotUsed(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	var connections struct {
		Connections []struct {
			ID           uuid.UUID `json:"id"`
			Kind         string    `json:"kind"`
			DefaultModel string    `json:"defaultModel"`
		} `json:"connections"`
	}
	p.Admin.Get(t, "/api/ai/connections", &connections)
	at, first := "", ""
	var id uuid.UUID
	for _, c := range connections.Connections {
		if c.Kind != "demo" {
			at, first, id = "/api/ai/connections/"+c.ID.String(), c.DefaultModel, c.ID
		}
	}
	p.Admin.Patch(t, at, map[string]any{"availableModels": []string{first, "large"}}, nil)
	var chosen struct {
		Model string `json:"model"`
	}
	chat := p.Admin.Conversation(t, apptest.Settings{"connectionId": id, "model": "large"})
	p.Admin.Get(t, "/api/ai/conversations/"+chat.ID.String(), &chosen)
	require.Equal(t, "large", chosen.Model)
	chat.Say(t, "script: text=hi")
	p.Admin.Patch(t, at, map[string]any{"availableModels": []string{first}}, nil)
	chat.Say(t, "script: text=hi")
	p.Admin.Patch(t, "/api/ai/conversations/"+chat.ID.String(), map[string]any{"model": "large"}, &chosen)
	require.Equal(t, first, chosen.Model, "coerced when it is chosen")
	p.Admin.Post(t, "/api/ai/conversations", map[string]any{"connectionId": id, "model": "huge"}, &chosen)
	require.Equal(t, first, chosen.Model, "and when a conversation begins")
	var models []string
	for _, r := range provider.Requests() {
		models = append(models, r.Model)
	}
	require.Contains(t, models, "large")
	require.Equal(t, first, models[len(models)-1])
}

func TestTwoNewChatsAreOneDraft(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	body := apptest.Settings{"reuseDraft": true}
	first := p.Admin.Conversation(t, body)
	require.Equal(t, first.ID, p.Admin.Conversation(t, body).ID)
	require.NotEqual(t, first.ID, p.Admin.Conversation(t, nil).ID, "only who asks for it gets it")
	first.Perform(t, "text=hi")
	require.NotEqual(t, first.ID, p.Admin.Conversation(t, body).ID)
}
