package activities_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/activities"
	"countersign/app/apptest"
	"countersign/chat/turn"
	"countersign/workflows"
)

const filtered = `{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",` +
	`"type":null,"param":"prompt","code":"content_filter","status":400}}`

// refuses lets the provider refuse every request with one of these words, and answer the others.
func (p *process) refuses(body string, words ...string) { p.refusesTimes(100, body, words...) }

// refusesTimes is refuses for so many requests.
func (p *process) refusesTimes(requests int, body string, words ...string) {
	answer := apptest.EventsUsing(50, 2, apptest.Text("Fine."))
	handler := func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		for _, word := range words {
			if strings.Contains(string(raw), word) {
				apptest.Refuse(http.StatusBadRequest, body)(w, r)
				return
			}
		}
		answer(w, r)
	}
	for range requests {
		p.provider.Answer(handler)
	}
}

// attempt makes the model call of a step as the workflow does, each attempt in the process that next returns.
func attempt(t *testing.T, next func() *process, id uuid.UUID, step int) (out workflows.CallModelOutput, attempts int) {
	t.Helper()
	in := workflows.CallModelInput{TurnID: id, Step: step}
	for {
		in.Attempt++
		out, err := next().CallModel(t.Context(), in)
		require.NoError(t, err)
		if out.Retry == nil {
			return out, in.Attempt
		}
		require.Less(t, in.Attempt, 20, "a search is bounded")
		in.Search, in.Correction = out.Retry.Search, out.Retry.Correction
	}
}

func (p *process) same() *process { return p }

// through lets the turns of a conversation use one connection.
func through(conversation uuid.UUID) func(*turn.Settings) {
	return func(set *turn.Settings) { set.ConversationID, set.ConnectionID = conversation, conversation }
}

// reads is a turn that has read boxes of these names, what is found being their names.
func (p *process) reads(t *testing.T, conversation uuid.UUID, names ...string) uuid.UUID {
	t.Helper()
	p.shelf.onLook(func(_ context.Context, in boxInput) (any, error) {
		return map[string]string{"text": "It says " + in.Name}, nil
	})
	id := p.begin(t, "Read them", through(conversation))
	step := 0
	for some := range slices.Chunk(names, 9) {
		step++
		p.answers(callsOf("shelf_getPage", some...)...)
		p.call(t, id, step)
		for i := range some {
			p.use(t, id, step, i+1)
		}
	}
	return id
}

// What a provider refuses to read is found among the newest results, left out from then on, and named to the person; a
// process that dies in between leaves the search to the next one, as far as the workflow's history has it.
func TestARefusedResultIsLeftOutOfAllLaterRequests(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		results  []string
		words    []string
		attempts int
	}{
		"only one":     {[]string{"poison"}, []string{"It says poison"}, 2},
		"newest":       {[]string{"good1", "good2", "poison"}, []string{"It says poison"}, 2},
		"oldest":       {[]string{"poison", "good1", "good2", "good3"}, []string{"It says poison"}, 6},
		"two of seven": {[]string{"good1", "poison", "good2", "good3", "venom", "good4", "good5"}, []string{"It says poison", "It says venom"}, 12},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProcess(t)
			losses := p.losses()
			conversation := uuid.New()
			id := p.reads(t, conversation, c.results...)
			p.refuses(filtered, c.words...)
			before := len(p.provider.Requests())
			last := p
			out, attempts := attempt(t, func() *process {
				last = p.beside(t)
				last.Sessions.LostPause, last.Lost = 0, p.Lost
				return last
			}, id, 2)
			require.Nil(t, out.Failure)
			require.LessOrEqual(t, attempts, c.attempts)
			require.Len(t, p.provider.Requests(), before+attempts)
			last.end(t, id, workflows.TurnDone)
			require.Equal(t, "Fine.", last.messages(t, id)[1])
			require.Contains(t, last.notices(t, id)[0],
				"content_withheld: The model provider refuses to read the result of shelf.getPage. The chat keeps it")
			require.Equal(t, 1, losses()[turn.ContentWithheld])
			requests := p.provider.Requests()
			for _, word := range c.results {
				require.Equal(t, strings.HasPrefix(word, "good"), strings.Contains(requests[len(requests)-1].Raw, "It says "+word), word)
				require.Contains(t, p.text(t, `SELECT parts::text FROM ai_messages WHERE turn_id = $1 AND role = 'assistant'`, id), "It says "+word)
			}

			next := p.begin(t, "Never mind", through(conversation))
			_, attempts = attempt(t, p.same, next, 1)
			require.Equal(t, 1, attempts, "nothing is searched again")
			p.end(t, next, workflows.TurnDone)
			require.Empty(t, p.notices(t, next))
		})
	}
}

// A provider that refuses every request with a result gets none, in this turn and in later ones.
func TestResultsThatAProviderRefusesInAnyFormAreLeftOutWithTheirCalls(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	conversation := uuid.New()
	id := p.reads(t, conversation, "poison")
	p.refuses(filtered, `"role":"tool"`)
	out, _ := attempt(t, p.same, id, 2)
	require.Nil(t, out.Failure)
	p.end(t, id, workflows.TurnDone)
	require.Equal(t, "Fine.", p.messages(t, id)[1])
	require.Contains(t, p.notices(t, id)[0], "refuses to read the result of shelf.getPage.")
	requests := p.provider.Requests()
	require.NotContains(t, requests[len(requests)-1].Raw, "It says poison")
	next := p.begin(t, "Never mind", through(conversation))
	_, attempts := attempt(t, p.same, next, 1)
	require.Equal(t, 1, attempts)
	p.end(t, next, workflows.TurnDone)
}

// A provider that refuses a form of content gives no reason that names it.
func TestAnUnexplainedRefusalOfAResultIsSearchedToo(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	id := p.reads(t, uuid.New(), "fine", "#/$defs/Param")
	p.refuses(`[{"error":{"code":400,"message":"The referenced name `+"`#/$defs/Param`"+` in function_response.response does not match `+
		`to a display_name in the function_response.parts.","status":"INVALID_ARGUMENT"}}]`, "It says #/$defs/Param")
	out, attempts := attempt(t, p.same, id, 2)
	require.Nil(t, out.Failure)
	require.Equal(t, 2, attempts)
}

// A message that the provider has refused is in the history of all later ones.
func TestARefusedMessageDoesNotEndItsConversation(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	conversation := uuid.New()
	p.talk(t, conversation, 2, 10)
	p.refuses(filtered, "poison")
	id := p.begin(t, "This is poison", through(conversation))
	out, attempts := attempt(t, p.same, id, 1)
	require.Contains(t, out.Failure.Message, "Rephrase your message.")
	require.Equal(t, 2, attempts, "it is no earlier message")
	_, err := p.FinishTurn(t.Context(), workflows.FinishTurnInput{TurnID: id, Status: workflows.TurnFailed, Failure: out.Failure})
	require.NoError(t, err)

	next := p.begin(t, "Then something else", through(conversation))
	out, attempts = attempt(t, p.same, next, 1)
	require.Nil(t, out.Failure)
	require.LessOrEqual(t, attempts, 6)
	p.end(t, next, workflows.TurnDone)
	require.Contains(t, p.notices(t, next)[0], "refuses to read an earlier message.")
	requests := p.provider.Requests()
	require.Contains(t, requests[len(requests)-1].Raw, "question 0", "the rest is still read")

	// Another connection reads all of it.
	other := p.begin(t, "And now?", inConversation(conversation))
	_, attempts = attempt(t, p.same, other, 1)
	require.Greater(t, attempts, 1)
}

// Tries that the provider answers are paid for: few are made, each is ended at once, and none is read by anybody.
func TestASearchIsBoundedInWhatItSpends(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	names := []string{"poison"}
	for i := range 8 {
		names = append(names, "good"+string(rune('a'+i)))
	}
	id := p.reads(t, uuid.New(), names...)
	p.refuses(filtered, "It says poison")
	_, attempts := attempt(t, p.same, id, 2)
	require.LessOrEqual(t, attempts, 12)
	p.end(t, id, workflows.TurnDone)
	require.LessOrEqual(t, p.text(t, `SELECT count(*)::text FROM ai_spend WHERE turn_id = $1 AND step = 2 AND tokens > 0`, id), "5")
	require.Equal(t, 1, strings.Count(p.text(t, `SELECT string_agg(chunk, ' ') FROM turn_events WHERE turn_id = $1`, id), "Fine."))
}

// Content that a search has withheld without knowing that it is refused is sent again in the next turn, which searches on.
func TestSuspectedContentIsSentAgain(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	conversation := uuid.New()
	names := make([]string, 24)
	for i := range names {
		names[i] = "good" + string(rune('a'+i))
	}
	// The ninth from the end is found by more answers than a search may pay for.
	names[len(names)-9] = "poison"
	id := p.reads(t, conversation, names...)
	p.refuses(filtered, "It says poison")
	_, attempts := attempt(t, p.same, id, 4)
	require.Equal(t, 10, attempts)
	p.end(t, id, workflows.TurnDone)
	require.Contains(t, p.notices(t, id)[0], "refuses to read some of this: the result of shelf.getPage.")
	require.Equal(t, "9 suspected", p.text(t, `SELECT count(*) || ' suspected' FROM ai_withheld_content WHERE suspected`))

	next := p.begin(t, "Never mind", through(conversation))
	_, attempts = attempt(t, p.same, next, 1)
	require.LessOrEqual(t, attempts, 8)
	p.end(t, next, workflows.TurnDone)
	require.Contains(t, p.notices(t, next)[0], "refuses to read the result of shelf.getPage.")
	requests := p.provider.Requests()
	for _, name := range names {
		require.Equal(t, name != "poison", strings.Contains(requests[len(requests)-1].Raw, "It says "+name), name)
	}
	require.Equal(t, "1 refused", p.text(t, `SELECT count(*) || ' refused' FROM ai_withheld_content WHERE NOT suspected`))
	require.Equal(t, "1", p.text(t, `SELECT count(*)::text FROM ai_withheld_content`))

	last := p.begin(t, "And now?", through(conversation))
	_, attempts = attempt(t, p.same, last, 1)
	require.Equal(t, 1, attempts)
}

// A suspicion that no refusal confirms is dropped.
func TestSuspectedContentThatIsAcceptedLaterIsReadAgain(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	conversation := uuid.New()
	id := p.reads(t, conversation, "good", "poison")
	p.refusesTimes(2, filtered, "It says poison")
	_, attempts := attempt(t, p.same, id, 2)
	require.Equal(t, 2, attempts)
	p.end(t, id, workflows.TurnDone)
	_, err := p.db.Conn(t.Context()).Exec(t.Context(), `UPDATE ai_withheld_content SET suspected = true`)
	require.NoError(t, err)
	p.refuses(filtered, "in no request")
	for range 2 {
		next := p.begin(t, "Again", through(conversation))
		_, attempts := attempt(t, p.same, next, 1)
		require.Equal(t, 1, attempts)
		p.end(t, next, workflows.TurnDone)
		requests := p.provider.Requests()
		require.Contains(t, requests[len(requests)-1].Raw, "It says poison")
		require.Equal(t, "0", p.text(t, `SELECT count(*)::text FROM ai_withheld_content`))
	}
}

// Another model, or the connection of another server, gets what one has refused, once, and is searched for itself.
func TestRefusedContentIsSentToAnotherModel(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(p *process, set *turn.Settings){
		"model": func(_ *process, set *turn.Settings) { set.Model = "another" },
		"connection": func(p *process, _ *turn.Settings) {
			p.connects(func(c *activities.Connection) {
				c.Revision++
				c.ProviderRevision = c.Revision
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProcess(t)
			conversation := uuid.New()
			id := p.reads(t, conversation, "poison", "good")
			p.refuses(filtered, "It says poison")
			attempt(t, p.same, id, 2)
			p.end(t, id, workflows.TurnDone)
			for _, searches := range []bool{true, false} {
				next := p.begin(t, "And you?", through(conversation), func(set *turn.Settings) { change(p, set) })
				_, attempts := attempt(t, p.same, next, 1)
				require.Equal(t, searches, attempts > 1)
				p.end(t, next, workflows.TurnDone)
			}
		})
	}
}

// A connection that is only renamed refuses the same.
func TestRefusedContentOutlivesEditsThatChangeNoRequest(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	conversation := uuid.New()
	id := p.reads(t, conversation, "poison", "good")
	p.refuses(filtered, "It says poison")
	attempt(t, p.same, id, 2)
	p.end(t, id, workflows.TurnDone)
	p.connects(func(c *activities.Connection) { c.Revision += 7 })
	next := p.begin(t, "And now?", through(conversation))
	_, attempts := attempt(t, p.same, next, 1)
	require.Equal(t, 1, attempts)
	p.end(t, next, workflows.TurnDone)
}

// Stored keys say nothing of the content to who reads them without the key of the installation.
func TestKeysOfWithheldContentDependOnTheInstallation(t *testing.T) {
	t.Parallel()
	keys := map[string]bool{}
	for _, secret := range []string{"", "one", "two"} {
		p := newProcess(t)
		p.ContentKey = []byte(secret)
		id := p.reads(t, uuid.UUID{7}, "poison")
		p.refuses(filtered, "It says poison")
		attempt(t, p.same, id, 2)
		keys[p.text(t, `SELECT content_key FROM ai_withheld_content`)] = true
	}
	require.Len(t, keys, 3)
}
