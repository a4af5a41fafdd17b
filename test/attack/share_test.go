package attack_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/modules/share"
)

// sharer has a chat to show, with an answer about a system that all see and one about a hidden system.
type sharer struct {
	*apptest.Product
	owner *apptest.Client
	chat  *apptest.Conversation
	// system and hidden are ids of systems.
	system, hidden string
}

func (s *sharer) made(t *testing.T, path string, body any) string {
	t.Helper()
	return idOf(t, s.Admin.Call(t, http.MethodPost, path, body))
}

func (s *sharer) hide(t *testing.T, kind, id string) {
	t.Helper()
	hide(t, s.Product, kind, id, s.owner)
}

func (s *sharer) share(t *testing.T, with *apptest.Client) {
	t.Helper()
	s.owner.Post(t, "/api/ai/conversations/"+s.chat.ID.String()+"/shares", map[string]any{"email": with.Email}, nil)
}

func (s *sharer) path() string { return "/api/ai/shared/" + s.chat.ID.String() }

func (s *sharer) read(t *testing.T, as *apptest.Client) share.Transcript {
	t.Helper()
	var seen share.Transcript
	as.Get(t, s.path(), &seen)
	return seen
}

// said are the texts that somebody is shown.
func said(seen share.Transcript) (texts []string) {
	for _, m := range seen.Messages {
		for _, piece := range m.Pieces {
			if piece.Kind == "text" && m.Role == "assistant" {
				texts = append(texts, piece.Text)
			}
		}
	}
	return texts
}

func newSharer(t *testing.T) *sharer {
	t.Helper()
	s := &sharer{Product: apptest.Start(t, apptest.Options{})}
	s.owner = s.Person(t, s.Role(t, "catalog.system.manage"))
	s.system = s.made(t, "/api/catalog/systems", map[string]any{"name": "Payments API"})
	s.hidden = s.made(t, "/api/catalog/systems", map[string]any{"name": "Hidden canary"})
	s.hide(t, "catalog.system", s.hidden)
	s.chat = s.owner.Conversation(t, nil)
	return s
}

func (s *sharer) asks(t *testing.T, script string) {
	t.Helper()
	s.chat.Perform(t, script)
	s.chat.Idle(t)
}

// A colleague reads a chat up to the first answer that tells of something that they may not see, as their rights are at that moment.
func TestASharedChatShowsWhatItsReaderMaySee(t *testing.T) {
	t.Parallel()
	s := newSharer(t)
	colleague := s.Person(t)
	s.asks(t, `text="Nothing looked up."`)
	s.asks(t, `tool=catalog.getSystem input={"id":"`+s.system+`"} text="It is Payments."`)
	s.share(t, colleague)
	seen := s.read(t, colleague)
	require.Equal(t, []string{"Nothing looked up.", "It is Payments."}, said(seen))
	require.Nil(t, seen.Withheld)
	require.Equal(t, s.owner.ID, seen.Owner.ID)
	raw := string(colleague.Call(t, http.MethodGet, s.path(), nil).Body)
	require.Contains(t, raw, "catalog.getSystem")
	for _, word := range []string{"Payments API", `"input"`, `"output"`} {
		require.NotContains(t, raw, word, "neither arguments nor results of tools")
	}

	// The hidden system, and everything behind it, which may repeat it.
	s.asks(t, `tool=catalog.getSystem input={"id":"`+s.hidden+`"} text="It is canary."`)
	s.asks(t, `text="As I said, canary."`)
	seen = s.read(t, colleague)
	require.Equal(t, []string{"Nothing looked up.", "It is Payments."}, said(seen))
	require.Equal(t, &share.Withheld{Reason: "rights", Messages: 3}, seen.Withheld)
	require.NotContains(t, string(colleague.Call(t, http.MethodGet, s.path(), nil).Body), "Hidden canary")

	// With a grant they see it, without it no more.
	grants := "/api/grants/catalog.system/" + s.hidden
	for _, may := range []bool{true, false} {
		list := []any{map[string]any{"subjectType": "user", "subjectId": s.owner.ID, "relation": "owner"}}
		if may {
			list = append(list, map[string]any{"subjectType": "user", "subjectId": colleague.ID, "relation": "viewer"})
		}
		answer := s.Admin.Call(t, http.MethodPut, grants, map[string]any{"private": true, "grants": list})
		require.Less(t, answer.Status, 300, "%s", answer.Body)
		require.Equal(t, may, len(said(s.read(t, colleague))) == 4, "%v", may)
	}

	// A record that was open when it was shared, and is private now.
	s.hide(t, "catalog.system", s.system)
	require.Equal(t, []string{"Nothing looked up."}, said(s.read(t, colleague)))
	// One that has gone answers nobody.
	s.owner.Delete(t, "/api/catalog/systems/"+s.system)
	require.Equal(t, []string{"Nothing looked up."}, said(s.read(t, colleague)))
}

// A list names groups without their ids.
func TestASharedChatDoesNotNameAHiddenGroup(t *testing.T) {
	t.Parallel()
	s := newSharer(t)
	colleague := s.Person(t)
	group := s.made(t, "/api/catalog/groups", map[string]any{"name": "Secret canary"})
	answer := s.Admin.Call(t, http.MethodPut, "/api/catalog/groups/"+group+"/systems/"+s.system, nil)
	require.Less(t, answer.Status, 300, "%s", answer.Body)
	s.share(t, colleague)
	s.asks(t, `tool=catalog.listSystems input={"query":"Payments"} text="It is in the group."`)
	require.Len(t, said(s.read(t, colleague)), 1)
	s.hide(t, "catalog.group", group)
	require.Empty(t, said(s.read(t, colleague)))
}

// What cannot be known is not shown: calls by rules that the reader lacks, the owner's memories, answers of servers elsewhere and of tools
// that people have made, calls that do not exist.
func TestASharedChatNeedsTheRulesOfItsTools(t *testing.T) {
	t.Parallel()
	s := newSharer(t)
	plain, operator := s.Person(t), s.Person(t, s.Role(t, "catalog.system.manage"))
	s.share(t, plain)
	s.share(t, operator)
	s.asks(t, `tool=catalog.createSystem input={"name":"New one"} text="Proposed."`)
	require.Empty(t, said(s.read(t, plain)), "may not propose it")
	require.NotNil(t, s.read(t, plain).Withheld)
	require.Nil(t, s.read(t, operator).Withheld)
	// The reader decides about nothing by way of the share.
	pieces := s.read(t, operator).Messages[1].Pieces
	require.Contains(t, pieces, share.Piece{Kind: "proposal"}, "a proposal that does not exist for the reader has no id")

	for _, script := range []string{
		`tool=ai.saveMemory input={"scope":"user","recallHint":"Lunch","content":"At noon"} text="Kept."`,
		`tool=http.request input={"method":"GET","url":"https://example.com"} text="Asked."`,
		`tool=nothing.atAll input={} text="Tried."`,
	} {
		s.chat = s.owner.Conversation(t, nil)
		s.share(t, operator)
		s.asks(t, script)
		require.Empty(t, said(s.read(t, operator)), script)
	}

	// A rule that is taken away takes the answers with it.
	s.chat = s.owner.Conversation(t, nil)
	s.share(t, plain)
	s.asks(t, `tool=catalog.listEnvironments input={} text="Two environments."`)
	require.Len(t, said(s.read(t, plain)), 1)
	s.Exec(t, `UPDATE roles SET rules = array_remove(rules, 'catalog.environment.read') WHERE 'catalog.environment.read' = ANY (rules)`)
	apptest.Eventually(t, "the rule is gone", func() bool { return len(said(s.read(t, plain))) == 0 })
}

// Who sees on the board how a system fares is shown what was said of it, without the right to read what its checks do. What runs
// found takes the rule for that, and a check that is hidden hides the answer.
func TestASharedChatTellsOfHealthWhatTheBoardTells(t *testing.T) {
	t.Parallel()
	s := newSharer(t)
	plain := s.Person(t)
	reader := s.Person(t, s.Role(t, "healthcheck.healthcheck.details.read"))
	// It does not run while the test does.
	check := s.made(t, "/api/healthcheck/checks", map[string]any{
		"name":             "Front",
		"strategyId":       "healthcheck-http.http",
		"config":           map[string]any{},
		"intervalSeconds":  86400,
		"assignToSystemId": s.system,
		"collectors": []any{
			map[string]any{"collectorId": "healthcheck-http.request", "config": map[string]any{"url": "http://127.0.0.1:9/"}},
		},
	})
	const found = "3 runs in a row failed: canary was refused"
	s.Exec(
		t,
		`INSERT INTO check_states (target, status, since_ms, last_slot, reason) SELECT id, 3, 1, 1, $2::text FROM check_targets WHERE check_id = $1
		ON CONFLICT (target) DO UPDATE SET status = 3, reason = $2`,
		check,
		found,
	)
	s.Exec(
		t,
		`INSERT INTO check_system_states (system_id, status, since_ms, target, reason) SELECT $1::uuid, 3, 1, id, 'The check Front is unhealthy: ' || $3::text || '.'
		FROM check_targets WHERE check_id = $2
		ON CONFLICT (system_id) DO UPDATE SET status = 3, target = excluded.target, reason = excluded.reason`,
		s.system,
		check,
		found,
	)
	// told is how many answers of a chat the two are shown.
	type told struct{ plain, reader int }
	ask := func(owner *apptest.Client, scripts ...string) func() told {
		chat := owner.Conversation(t, nil)
		here := *s
		here.owner, here.chat = owner, chat
		here.share(t, plain)
		here.share(t, reader)
		for _, script := range scripts {
			here.asks(t, script)
		}
		return func() told { return told{len(said(here.read(t, plain))), len(said(here.read(t, reader)))} }
	}
	checks := `tool=healthcheck.listSystemChecks input={"systemId":"` + s.system + `"} text="Front fails."`
	board := `tool=healthcheck.status input={"query":"Payments"} text="It is down."`
	system := `tool=catalog.getSystem input={"id":"` + s.system + `"} text="It is Payments."`
	brief := ask(s.owner, system, checks, board)
	require.Equal(t, told{3, 3}, brief())

	// Somebody who is told what runs found.
	detailed := s.Person(t, s.Role(t, "healthcheck.healthcheck.details.read"))
	whole, listed := ask(detailed, board), ask(detailed, checks)
	require.Equal(t, told{0, 1}, whole())
	require.Equal(t, told{0, 1}, listed())
	// What a check does takes the rule to read it.
	author := s.Person(t, s.Role(t, "healthcheck.healthcheck.read"))
	require.Equal(t, told{0, 0}, ask(author, `tool=healthcheck.get input={"id":"`+check+`"} text="It asks the front door."`)())

	s.hide(t, "healthcheck.healthcheck", check)
	require.Equal(t, told{}, brief())
	require.Equal(t, told{}, listed())
	require.Equal(t, told{}, whole())
}

// Only the person with whom it is shared reads it, and only reads it; nobody does after it was taken back.
func TestASharedChatIsForItsReadersAlone(t *testing.T) {
	t.Parallel()
	s := newSharer(t)
	colleague, stranger := s.Person(t), s.Person(t)
	s.asks(t, `text="A canary sings."`)
	id := s.chat.ID.String()
	for _, c := range []*apptest.Client{colleague, stranger, s.Admin, s.owner} {
		missing := c.Refused(t, problem.NotFound, http.MethodGet, s.path(), nil)
		nothing := c.Refused(t, problem.NotFound, http.MethodGet, "/api/ai/shared/"+uuid.Nil.String(), nil)
		require.Equal(t, strings.ReplaceAll(nothing.Detail, uuid.Nil.String(), id), missing.Detail, "the same words")
	}
	s.Anonymous().Refused(t, problem.Unauthorized, http.MethodGet, s.path(), nil)
	changes := colleague.Changes(t, "")
	s.share(t, colleague)
	changes.Hears(t, "conversation", `{"id":"`+id+`"}`)
	require.Len(t, said(s.read(t, colleague)), 1)
	stranger.Refused(t, problem.NotFound, http.MethodGet, s.path(), nil)

	// Nothing else is opened by it.
	before := s.World(t, "auth_refusals")
	for _, a := range []struct {
		method, path string
		body         any
	}{
		{http.MethodGet, "/api/ai/conversations/" + id, nil},
		{http.MethodGet, "/api/ai/conversations/" + id + "/markdown", nil},
		{http.MethodGet, "/api/ai/conversations/" + id + "/shares", nil},
		{http.MethodGet, "/api/ai/conversations/" + id + "/feedback", nil},
		{http.MethodGet, "/api/ai/chat/" + id + "/stream", nil},
		{http.MethodPost, "/api/ai/chat/" + id + "/stop", nil},
		{http.MethodPatch, "/api/ai/conversations/" + id, map[string]any{"title": "Mine"}},
		{http.MethodPost, "/api/ai/conversations/" + id + "/archive", nil},
		{http.MethodPost, "/api/ai/conversations/" + id + "/shares", map[string]any{"email": stranger.Email}},
		{http.MethodDelete, "/api/ai/conversations/" + id + "/shares/" + colleague.ID.String(), nil},
		{http.MethodPost, "/api/ai/chat", map[string]any{"conversationId": id, "messageId": "mine", "message": "Hello"}},
	} {
		colleague.Refused(t, problem.NotFound, a.method, a.path, a.body)
	}
	require.Empty(t, s.World(t, "auth_refusals").Minus(before))
	for _, path := range []string{"/api/ai/conversations", "/api/ai/conversations/export", "/api/ai/conversations/search?query=canary"} {
		require.NotContains(t, string(colleague.Call(t, http.MethodGet, path, nil).Body), "sings", path)
	}
	require.Contains(t, string(colleague.Call(t, http.MethodGet, "/api/ai/shared", nil).Body), id)

	// Programs get none of it.
	application := s.Application(t, s.Role(t, "ai.chat.read", "catalog.system.manage"))
	application.Refused(t, problem.Forbidden, http.MethodGet, "/api/ai/shared", nil)
	application.Refused(t, problem.Forbidden, http.MethodGet, s.path(), nil)

	// What the owner goes on with is heard of, and shown when it is complete.
	s.asks(t, `text="Another canary."`)
	changes.Hears(t, "conversation", `{"id":"`+id+`"}`)
	require.Len(t, said(s.read(t, colleague)), 2)

	// Archived, it is nobody else's to read; restored, it is again.
	s.owner.Post(t, "/api/ai/conversations/"+id+"/archive", nil, nil)
	colleague.Refused(t, problem.NotFound, http.MethodGet, s.path(), nil)
	s.owner.Refused(t, problem.Conflict, http.MethodPost, "/api/ai/conversations/"+id+"/shares", map[string]any{"email": stranger.Email})
	s.owner.Post(t, "/api/ai/conversations/"+id+"/restore", nil, nil)
	s.read(t, colleague)

	// Somebody whose account is disabled reads nothing, nor can it be shared with them.
	later := s.Person(t)
	s.share(t, later)
	s.read(t, later)
	s.Admin.Patch(t, "/api/users/"+later.ID.String(), map[string]any{"disabled": true}, nil)
	later.Refused(t, problem.Unauthorized, http.MethodGet, s.path(), nil)
	for _, address := range []string{later.Email, "nobody@example.com", s.owner.Email} {
		s.owner.Refused(t, problem.Invalid, http.MethodPost, "/api/ai/conversations/"+id+"/shares", map[string]any{"email": address})
	}

	// Taken back.
	answer := s.owner.Call(t, http.MethodDelete, "/api/ai/conversations/"+id+"/shares/"+colleague.ID.String(), nil)
	require.JSONEq(t, `{"removed":true}`, string(answer.Body))
	changes.Hears(t, "conversation", `{"id":"`+id+`"}`)
	colleague.Refused(t, problem.NotFound, http.MethodGet, s.path(), nil)
	require.NotContains(t, string(colleague.Call(t, http.MethodGet, "/api/ai/shared", nil).Body), id)
}
