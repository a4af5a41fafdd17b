package app_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/sashabaranov/go-openai"
	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/app/apptest"
	"countersign/internal/problem"
)

type spendState struct {
	Used    int        `json:"used"`
	Cap     int        `json:"cap"`
	FreesAt *time.Time `json:"freesAt"`
}

type integration struct {
	ConnectionID string      `json:"connectionId"`
	Spend        *spendState `json:"spend"`
}

// integrations are what c can choose from, the default first.
func integrations(t *testing.T, c *apptest.Client) []integration {
	t.Helper()
	var list struct {
		Integrations []integration `json:"integrations"`
	}
	c.Get(t, "/api/ai/integrations", &list)
	require.NotEmpty(t, list.Integrations)
	return list.Integrations
}

// limited caps the default connection, without the small calls beside a turn that a test cannot foresee.
func limited(t *testing.T, p *apptest.Product, caps map[string]any) (connection string) {
	t.Helper()
	connection = integrations(t, p.Admin)[0].ConnectionID
	caps["disableTopicalClassifier"] = true
	p.Admin.Patch(t, "/api/ai/connections/"+connection, caps, nil)
	return connection
}

func tokens(budget int) map[string]any {
	return map[string]any{"tokenBudget": budget, "windowMinutes": 60}
}

// Once a connection's cap is reached no turn begins; one that was accepted before keeps its answer.
func TestASpendCapStopsNewTurns(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	limited(t, p, map[string]any{"spendCap": tokens(60_000)})
	provider.Answer(apptest.EventsUsing(70_000, 20, apptest.Text("That was a lot.")))
	chat := p.Admin.Conversation(t, nil)
	first := apptest.Scripted("tokens=20")
	first.ID = "message-1"
	turn := chat.Send(t, first).Rest(t)
	require.Equal(t, "done", turn.Metadata.Status)

	refused := chat.Refused(t, apptest.Scripted("tokens=20"))
	require.Equal(t, http.StatusTooManyRequests, refused.Status)
	e := refused.Problem(t)
	require.Equal(t, problem.Spend, e.Code)
	require.InDelta(t, time.Hour.Seconds(), e.RetryAfter.Seconds(), 60)
	require.Equal(t, strconv.Itoa(e.RetryAfterSeconds()), refused.Header.Get("Retry-After"))
	require.Contains(t, e.Detail, "possible again in")

	require.JSONEq(t, encode(t, turn.Message), encode(t, chat.Send(t, first).Rest(t).Message))
	require.Len(t, provider.Requests(), 1)
	own := integrations(t, p.Admin)[0].Spend
	require.GreaterOrEqual(t, own.Used, 70_020)
	require.Equal(t, 60_000, own.Cap)
	require.WithinDuration(t, time.Now().Add(time.Hour), *own.FreesAt, time.Minute)
	person := p.Person(t)
	require.Zero(t, integrations(t, person)[0].Spend.Used)
	require.Equal(t, "done", person.Conversation(t, nil).Perform(t, "text=hi").Metadata.Status, "the cap is each person's own")
}

// The estimate of a step does not fit any more: the turn ends there and says when it is possible again.
func TestASpendCapEndsATurnBetweenItsSteps(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	limited(t, p, map[string]any{"spendCap": tokens(60_000)})
	provider.Answer(apptest.EventsUsing(59_000, 10, apptest.Text("Let me look."), apptest.ToolCall("call-1", "ai_listDocs", "{}")))
	chat := p.Admin.Conversation(t, nil)
	turn := chat.Perform(t, "text=unreachable")
	finished(t, chat, turn)
	require.Equal(t, "failed", turn.Metadata.Status)
	require.Equal(t, problem.Spend, turn.Metadata.Error.Code)
	require.Contains(t, turn.Text(), "Let me look.")
	require.Regexp(
		t,
		`of 60000 tokens are used in 60 minutes, and this call needs about \d+\. It is possible again in \d+ minutes, at \d\d:\d\d on \w+ \d+ UTC\.`,
		turn.Text(),
	)
	require.Equal(t, "output-available", turn.ToolCalls()[0].State)
	require.Len(t, provider.Requests(), 1)
	require.Equal(t, []string{"1 settled 59010"},
		p.Column(t, `SELECT concat_ws(' ', step, status, tokens) FROM ai_spend WHERE turn_id = $1 AND purpose = 'answer'`, turn.Metadata.TurnID))
}

// A client of the OpenAI protocol is told in its own words, streaming or not, and neither asks the provider nor leaves a conversation.
func TestASpendCapIsAnErrorOfTheOpenAIProtocol(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	limited(t, p, map[string]any{"spendCap": tokens(60_000)})
	provider.Answer(apptest.EventsUsing(70_000, 20, apptest.Text("That was a lot.")))
	ada, bob := p.Person(t), p.Person(t)
	token := newChatToken(t, ada).Token
	first, chat := completed(t, goClient(p, token), asks(nil, "Tell me everything."))
	require.Equal(t, "That was a lot.", first.Choices[0].Message.Content)
	requests := len(provider.Requests())

	for _, streaming := range []bool{false, true} {
		refused := p.Bearer(ada.ID, token).Call(t, http.MethodPost, "/v1/chat/completions", map[string]any{
			"model": "countersign", "stream": streaming, "messages": asks(nil, "And the rest."),
		})
		require.Equal(t, http.StatusTooManyRequests, refused.Status, "%s", refused.Body)
		require.Equal(t, "application/json", refused.Header.Get("Content-Type"))
		seconds, err := strconv.Atoi(refused.Header.Get("Retry-After"))
		require.NoError(t, err)
		require.InDelta(t, time.Hour.Seconds(), seconds, 120)
		var document map[string]map[string]any
		refused.Decode(t, &document)
		fault := document["error"]
		require.Contains(t, fault["message"], "possible again in")
		delete(fault, "message")
		require.Equal(t, map[string]map[string]any{"error": {"type": "rate_limit_error", "code": string(problem.Spend), "param": nil}}, document)
	}
	_, err := goClient(
		p,
		token,
	).CreateChatCompletion(
		t.Context(),
		openai.ChatCompletionRequest{Model: "countersign", Messages: asks(nil, "Please.")},
	)
	var refused *openai.APIError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, http.StatusTooManyRequests, refused.HTTPStatusCode)
	require.Equal(t, string(problem.Spend), refused.Code)
	require.Len(t, provider.Requests(), requests)
	require.Equal(t, []string{chat.String()}, p.Column(t, `SELECT id::text FROM ai_conversations WHERE owner_id = $1`, ada.ID))

	_, _ = completed(t, goClient(p, newChatToken(t, bob).Token), asks(nil, `script: text="The cap is each person's own."`))
}

// Turns at once over two processes, whose provider reports no use, so that estimates stay: what is admitted together
// never passes the cap.
func TestASpendCapHoldsOverTwoProcesses(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	beside := apptest.Start(t, apptest.Options{Beside: p, Roles: app.Roles{API: true, Worker: true}})
	limited(t, p, map[string]any{"spendCap": tokens(60_000)})
	clients := []*apptest.Client{p.Admin, p.Admin.At(beside)}
	const turns = 16
	var streams []*apptest.Stream
	for i := range turns {
		provider.Answer(apptest.Events("stop", apptest.Text("No numbers.")))
		streams = append(streams, clients[i%2].Conversation(t, nil).Send(t, apptest.Scripted("text=unreachable")))
	}
	counts := map[string]int{}
	for _, stream := range streams {
		counts[stream.Rest(t).Metadata.Status]++
	}
	require.Positive(t, counts["done"])
	require.Positive(t, counts["failed"], "they do not fit all together")
	require.Len(t, provider.Requests(), counts["done"], "a call that is refused is not made")
	require.LessOrEqual(t, p.Count(t, `SELECT sum(tokens) FROM ai_spend`), 60_000)
}

func TestEveryModelCallIsOnRecordWithAndWithoutACap(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	limited(t, p, map[string]any{})
	provider.Answer(apptest.EventsUsing(100, 10, apptest.ToolCall("call-1", "ai_listDocs", "{}")))
	provider.Answer(apptest.EventsUsing(200, 20, apptest.Text("Done.")))
	provider.Answer(apptest.Events("stop", apptest.Text("No numbers.")))
	chat := p.Admin.Conversation(t, nil)
	first := chat.Perform(t, "text=unreachable")
	second := chat.Perform(t, "text=unreachable")
	const rows = `SELECT concat_ws(' ', step, attempt, status, input_tokens, output_tokens) FROM ai_spend WHERE turn_id = $1 AND purpose = 'answer' ORDER BY step`
	require.Equal(t, []string{"1 1 settled 100 10", "2 1 settled 200 20"}, p.Column(t, rows, first.Metadata.TurnID))
	require.Equal(t, []string{"1 1 settled"}, p.Column(t, rows, second.Metadata.TurnID))
	require.Positive(
		t,
		p.Count(t, `SELECT sum(tokens) FROM ai_spend WHERE turn_id = $1`, second.Metadata.TurnID),
		"without a report it is the estimate",
	)

	var list struct {
		Spend []struct {
			PrincipalID   uuid.UUID `json:"principalId"`
			PrincipalName string    `json:"principalName"`
			Tokens        int       `json:"tokens"`
		} `json:"spend"`
	}
	p.Admin.Get(t, "/api/ai/spend", &list)
	require.Len(t, list.Spend, 1)
	require.Equal(t, p.Admin.ID, list.Spend[0].PrincipalID)
	require.NotEmpty(t, list.Spend[0].PrincipalName)
	require.Greater(t, list.Spend[0].Tokens, 330)
	p.Person(t).Refused(t, problem.Forbidden, http.MethodGet, "/api/ai/spend", nil)
}

// Where the provider is concerns administrators: others read what happened without its address.
func TestAnUnreachableProviderIsNotNamedToEverybody(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{
		"OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "OPENAI_API_KEY": "none", "COUNTERSIGN_MODEL_STALL_TIMEOUT": "500ms",
	}})
	chat := p.Person(t).Conversation(t, nil)
	turn := chat.Say(t, "hello there")
	finished(t, chat, turn)
	require.Equal(t, problem.ModelFailed, turn.Metadata.Error.Code)
	require.Contains(t, turn.Text(), "The model provider could not be reached. Try again in a while.")
	for _, event := range turn.Events {
		require.NotContains(t, event.Chunk, "127.0.0.1")
	}
	require.Contains(t, p.Log.String(), "127.0.0.1:1", "the log has the detail")
}
