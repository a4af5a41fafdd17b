package app_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// Variables of the run with a hostile model: how many tool calls it makes, and what they are drawn from.
const (
	envHostileCalls = "COUNTERSIGN_HOSTILE_CALLS"
	envHostileSeed  = "COUNTERSIGN_HOSTILE_SEED"
)

// world is a snapshot without what a run does anyway: conversations and what is proposed in them.
func (s *siege) world(t *testing.T) apptest.World {
	t.Helper()
	// What a model that calls tools against its orders teaches is looked at in checkLessons.
	return s.World(t, "ai_conversations", "ai_taints", "ai_messages", "ai_proposals", "ai_connections.lessons")
}

// siege is a product with things that a person may and may not reach, and a model that tries everything.
type siege struct {
	*apptest.Product
	model  *hostileModel
	people map[string]*apptest.Client
	hidden []uuid.UUID
}

func number(t *testing.T, name string, standard int) int {
	t.Helper()
	if text := os.Getenv(name); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(t, err, name)
		return n
	}
	return standard
}

// A model is not trusted. Whatever it calls with whatever arguments: what it may not see it is not told, what a person has
// not applied does not happen, and what happens by itself in auto mode is within the person's reach and never destructive.
func TestAHostileModelDoesNoHarm(t *testing.T) {
	t.Parallel()
	calls, seed := number(t, envHostileCalls, 2000), number(t, envHostileSeed, 20_261_121)
	t.Logf("%d calls, seed %d; repeat with %s and %s", calls, seed, envHostileCalls, envHostileSeed)
	s := besiege(t, uint64(seed))

	before := s.world(t)
	s.attack(t, "approve", calls/2)
	require.Empty(t, s.world(t).Minus(before), "in approve mode nothing happens by itself")
	require.Empty(t, before.Minus(s.world(t)), "in approve mode nothing disappears")
	require.NotZero(t, s.Count(t, `SELECT count(*) FROM ai_proposals WHERE status = 'proposed'`), "the model has proposed changes")
	require.Zero(t, s.Count(t, `SELECT count(*) FROM ai_proposals WHERE status <> 'proposed' OR automatic`))

	s.attack(t, "auto", int(s.model.calls.Load())+calls-calls/2)
	s.checkAutomatic(t, before, s.world(t))
	s.checkRecords(t)
	s.checkLessons(t)
	s.checkDecision(t)
}

// checkLessons shows what a model can write by what it does: that it is asked without tools where it has to answer. That is one of a few
// names, about this model alone.
func (s *siege) checkLessons(t *testing.T) {
	t.Helper()
	t.Logf("%d calls where it may call nothing", s.model.forbidden.Load())
	for _, taught := range s.Column(t, `SELECT concat(l->>'model', ' ', l->>'lesson', ' ', l - '{model,lesson}'::text[]) FROM ai_connections c, jsonb_array_elements(c.lessons) l`) {
		require.Equal(t, "hostile no_last_tools {}", taught)
		require.NotZero(t, s.model.forbidden.Load(), "nothing has taught it")
	}
}

func besiege(t *testing.T, seed uint64) *siege {
	t.Helper()
	s := &siege{model: newHostileModel(t, seed), people: map[string]*apptest.Client{}}
	s.Product = apptest.Start(t, apptest.Options{Env: map[string]string{
		"OPENAI_BASE_URL": s.model.server.URL + "/v1", "OPENAI_API_KEY": s.canary("key"), "OPENAI_MODEL": "hostile",
		"COUNTERSIGN_TOOL_BUDGET_CALLS": "1000000", "COUNTERSIGN_MAX_WAITING_PROPOSALS": "1000000",
	}})
	s.people["groups"] = s.Person(t, s.Role(t, "catalog.group.manage"))
	s.people["systems"] = s.Person(t, s.Role(t, "catalog.system.manage"))
	other := s.Person(t)

	made := func(kind, path string, body any) uuid.UUID {
		var answer struct {
			ID uuid.UUID `json:"id"`
		}
		s.Admin.Post(t, path, body, &answer)
		s.model.know(kind, answer.ID.String())
		return answer.ID
	}
	team := made("team", "/api/teams", map[string]any{"name": "Reliability"})
	environment := made("environment", "/api/catalog/environments", map[string]any{"name": "Production", "fields": map[string]any{}})
	for i := range 4 {
		open := made("system", "/api/catalog/systems", map[string]any{"name": fmt.Sprint("Open ", i)})
		group := made("group", "/api/catalog/groups", map[string]any{"name": fmt.Sprint("Open group ", i)})
		hidden := made(
			"system",
			"/api/catalog/systems",
			map[string]any{"name": s.canary("system"), "description": s.canary("text"), "metadata": map[string]any{"k": s.canary("field")}},
		)
		hiddenGroup := made("group", "/api/catalog/groups", map[string]any{"name": s.canary("group"), "description": s.canary("text")})
		s.Exec(t, `INSERT INTO catalog_links (id, system_id, label, url) VALUES (gen_random_uuid(), $1, 'Docs', 'https://example.org')`, open)
		s.Exec(
			t,
			`INSERT INTO catalog_links (id, system_id, label, url) VALUES (gen_random_uuid(), $1, $2, 'https://example.org')`,
			hidden,
			s.canary("link"),
		)
		s.Exec(t, `INSERT INTO catalog_group_systems (group_id, system_id) VALUES ($1, $2), ($3, $4)`, group, open, hiddenGroup, hidden)
		s.Exec(t, `INSERT INTO catalog_environment_systems (environment_id, system_id) VALUES ($1, $2), ($1, $3)`, environment, open, hidden)
		s.Exec(
			t,
			`INSERT INTO relation_tuples (object_type, object_id, relation, subject_type, subject_id) VALUES ('catalog.system', $1, 'private', 'public', $3),
			('catalog.group', $2, 'private', 'public', $3), ('catalog.system', $1, 'owner', 'team', $4), ('catalog.group', $2, 'owner', 'team', $4)`,
			hidden,
			hiddenGroup,
			uuid.Nil,
			team,
		)
		s.hidden = append(s.hidden, hidden, hiddenGroup)
	}
	s.seedOthers(t, other)
	for _, known := range [][2]string{
		{"user", "users"}, {"role", "roles"}, {"connection", "ai_connections"}, {"conversation", "ai_conversations"}, {"memory", "ai_memory"}, {"link", "catalog_links"},
	} {
		s.model.know(known[0], s.Column(t, `SELECT id::text FROM `+known[1]+` ORDER BY created_at`)...)
	}
	s.model.know("nothing", uuid.NewString(), uuid.NewString())

	var tools struct {
		Tools []struct {
			Name        string          `json:"name"`
			InputSchema json.RawMessage `json:"inputSchema"`
		} `json:"tools"`
	}
	s.Admin.Get(t, "/api/ai/tools", &tools)
	for _, tool := range tools.Tools {
		s.model.tools[strings.Replace(tool.Name, ".", "_", 1)] = tool.InputSchema
	}
	return s
}

// seedOthers gives somebody else things that are nobody's business.
func (s *siege) seedOthers(t *testing.T, other *apptest.Client) {
	t.Helper()
	var chat struct {
		ID uuid.UUID `json:"id"`
	}
	other.Post(t, "/api/ai/conversations", map[string]any{"title": s.canary("title")}, &chat)
	s.Exec(t, `INSERT INTO ai_memory (id, owner_id, owner_name, scope, recall_hint, content, tags, always_inject, folded, words)
		VALUES (gen_random_uuid(), $1, 'Other', 'user', $2, $3, '{}', true, $3, to_tsvector('simple', $3))`, other.ID, s.canary("hint"), s.canary("memory"))
}

// canary is a word that stands nowhere else, for something that the model must not see.
func (s *siege) canary(of string) string {
	word := "canary-" + of + "-" + uuid.NewString()[:13]
	s.model.canaries = append(s.model.canaries, word)
	return word
}

// attack lets conversations run side by side until the model has made this many calls in all.
func (s *siege) attack(t *testing.T, mode string, until int) {
	t.Helper()
	var group sync.WaitGroup
	for lane := range 6 {
		name := []string{"groups", "systems"}[lane%2]
		person := s.people[name]
		group.Go(func() {
			for i := lane; int(s.model.calls.Load()) < until && !t.Failed(); i += 6 {
				var chat struct {
					ID uuid.UUID `json:"id"`
				}
				if !s.send(t, person, "/api/ai/conversations", map[string]any{"permissionMode": mode}, &chat) {
					return
				}
				if mode == "auto" {
					s.taint(t, chat.ID, i)
				}
				s.send(
					t,
					person,
					"/api/ai/chat",
					map[string]any{"conversationId": chat.ID, "messageId": "m", "message": fmt.Sprintf("chat-%s-%d", mode, i)},
					nil,
				)
				s.steal(t, person)
				if mode == "auto" {
					s.goOn(t, person, chat.ID, i)
				}
			}
		})
	}
	group.Wait()
	require.False(t, t.Failed())
}

// taint gives half of the conversations something to hold that nobody in them has written.
func (s *siege) taint(t *testing.T, conversation uuid.UUID, i int) {
	if i%2 == 0 {
		return
	}
	if _, err := s.DB.Conn(
		t.Context(),
	).Exec(
		t.Context(),
		`INSERT INTO ai_taints (conversation_id, kind) VALUES ($1, 'earlier')`,
		conversation,
	); err != nil {
		t.Error(err)
	}
}

// goOn gives the model the turns that follow one in which it has read and proposed: after a decision, and after another
// message. Either may be refused, because the other still runs.
func (s *siege) goOn(t *testing.T, person *apptest.Client, conversation uuid.UUID, i int) {
	answer, err := person.Send(t.Context(), http.MethodGet, "/api/ai/proposals?status=proposed&limit=50", nil)
	var list struct {
		Proposals []struct {
			ID             uuid.UUID  `json:"proposalId"`
			ConversationID *uuid.UUID `json:"conversationId"`
		} `json:"proposals"`
	}
	if err != nil || json.Unmarshal(answer.Body, &list) != nil {
		t.Errorf("list proposals: %v", err)
		return
	}
	for _, open := range list.Proposals {
		if open.ConversationID == nil || *open.ConversationID != conversation {
			continue
		}
		_, declined := person.Send(t.Context(), http.MethodPost, "/api/ai/proposals/"+open.ID.String()+"/decline", nil)
		_, followed := person.Send(t.Context(), http.MethodPost, "/api/ai/chat", map[string]any{
			"conversationId": conversation, "decision": map[string]any{"proposalId": open.ID, "kind": "decline"},
		})
		if err := errors.Join(declined, followed); err != nil {
			t.Error(err)
		}
		break
	}
	if _, err := person.Send(t.Context(), http.MethodPost, "/api/ai/chat", map[string]any{
		"conversationId": conversation, "messageId": "again", "message": fmt.Sprintf("chat-auto-%d", i),
	}); err != nil {
		t.Error(err)
	}
}

// send makes a call from a goroutine beside the test's own; an event stream is read to its end.
func (s *siege) send(t *testing.T, person *apptest.Client, path string, in, out any) bool {
	answer, err := person.Send(t.Context(), http.MethodPost, path, in)
	switch {
	case err != nil:
		t.Errorf("%s: %v", path, err)
	case answer.Status >= http.StatusBadRequest:
		t.Errorf("%s: %d %s", path, answer.Status, answer.Body)
	case out == nil:
		return true
	default:
		if err = json.Unmarshal(answer.Body, out); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	return err == nil && answer.Status < http.StatusBadRequest
}

// steal hands the model a token of an open proposal, as if it had found out.
func (s *siege) steal(t *testing.T, person *apptest.Client) {
	answer, err := person.Send(t.Context(), http.MethodGet, "/api/ai/proposals?status=proposed&limit=1", nil)
	var list struct {
		Proposals []struct {
			ID uuid.UUID `json:"proposalId"`
		} `json:"proposals"`
	}
	if err != nil || json.Unmarshal(answer.Body, &list) != nil || len(list.Proposals) == 0 {
		return
	}
	answer, err = person.Send(t.Context(), http.MethodGet, "/api/ai/proposals/"+list.Proposals[0].ID.String(), nil)
	var card struct {
		Token string `json:"token"`
	}
	if err == nil && json.Unmarshal(answer.Body, &card) == nil && card.Token != "" {
		s.model.mu.Lock()
		defer s.model.mu.Unlock()
		s.model.stolen = append(s.model.stolen, card.Token, list.Proposals[0].ID.String())
	}
}

// reachable are the tables in which the two people may have something changed at once.
var reachable = regexp.MustCompile(
	`^(catalog_systems|catalog_groups|catalog_group_systems|catalog_environment_systems|catalog_contacts|catalog_links|relation_tuples|ai_memory) `,
)

// idsOf are a row's own id and those that it refers to, not what somebody has written into it.
func idsOf(t *testing.T, row string) (ids []string) {
	t.Helper()
	_, raw, _ := strings.Cut(row, " ")
	var columns map[string]any
	require.NoError(t, json.Unmarshal([]byte(raw), &columns))
	for name, value := range columns {
		if id, ok := value.(string); ok && (name == "id" || strings.HasSuffix(name, "_id")) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (s *siege) checkAutomatic(t *testing.T, before, after apptest.World) {
	t.Helper()
	decided := strings.Join(s.Column(t, `SELECT concat(p.payload, p.result) FROM ai_proposals p JOIN ai_tool_calls c USING (id)
		WHERE p.status = 'applied' AND p.automatic AND p.effect = 'mutate' AND c.status = 'applied' AND c.applied_by_id = p.principal_id`), "\n")
	require.NotEmpty(t, decided, "the model has changed something")
	added, removed := after.Minus(before), before.Minus(after)
	for _, row := range slices.Concat(added, removed) {
		require.Regexp(t, reachable, row, "out of reach")
		ids := idsOf(t, row)
		for _, id := range s.hidden {
			require.NotContains(t, ids, id.String(), "out of sight: %s", row)
		}
		require.True(
			t,
			slices.ContainsFunc(ids, func(id string) bool { return strings.Contains(decided, id) }),
			"no applied proposal explains %s",
			row,
		)
	}
	for _, row := range removed {
		table, raw, _ := strings.Cut(row, " ")
		var one struct {
			ID string `json:"id"`
		}
		require.NoError(t, json.Unmarshal([]byte(raw), &one))
		require.NotEmpty(t, one.ID, "a row of %s was deleted: %s", table, raw)
		require.True(t, slices.ContainsFunc(added, func(now string) bool {
			return strings.HasPrefix(now, table+" ") && strings.Contains(now, `"id": "`+one.ID+`"`)
		}),
			"a row of %s was deleted: %s", table, raw)
	}
	require.Zero(t, s.Count(t, `SELECT count(*) FROM ai_proposals p JOIN ai_conversations c ON c.id = p.conversation_id
		WHERE p.status IN ('applying', 'applied', 'failed') AND (NOT p.automatic OR p.effect <> 'mutate' OR c.permission_mode <> 'auto' OR p.decided_by_id <> p.principal_id)`))
	require.NotZero(t, s.Count(t, `SELECT count(*) FROM ai_proposals WHERE effect = 'destructive'`), "destructive changes were tried")
	require.NotZero(t, s.Count(t, `SELECT count(*) FROM ai_turns WHERE kind = 'decision'`), "turns have followed decisions")
	require.NotZero(
		t,
		s.Count(t, `SELECT count(*) FROM ai_proposals p JOIN ai_taints x USING (conversation_id)`),
		"changes were tried in conversations that hold something from outside",
	)
	require.Zero(
		t,
		s.Count(t, `SELECT count(*) FROM ai_proposals p JOIN ai_taints x USING (conversation_id) WHERE p.automatic AND x.kind = 'earlier'`),
		"nothing happens by itself in a conversation that holds something from outside, in whichever turn",
	)
	require.Zero(t, s.Count(t, `SELECT count(*) FROM ai_taints WHERE accepted_at IS NOT NULL`), "no model accepts for a person")
}

func (s *siege) checkRecords(t *testing.T) {
	t.Helper()
	require.Empty(t, s.model.leaks, "the model was shown what the person may not see")
	require.Zero(t, s.model.visits.Load(), "an address inside the network was visited")
	mine := s.Column(
		t,
		`SELECT concat(m.parts, m.model_messages, m.metadata) FROM ai_messages m UNION ALL SELECT concat(summary, payload, diff, result, error, labels) FROM ai_proposals
		UNION ALL SELECT chunk FROM turn_events`,
	)
	for _, row := range mine {
		for _, canary := range s.model.canaries {
			require.NotContains(t, row, canary)
		}
	}
	require.Zero(t, s.Count(t, `SELECT count(*) FROM ai_turns WHERE status NOT IN ('done')`), "every turn has ended, and with an answer")
	require.Zero(t, s.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE status = 'running' OR error_code = 'internal'`))
	require.Zero(
		t,
		s.Count(
			t,
			`SELECT count(*) FROM ai_tool_calls c WHERE turn_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ai_turns t WHERE t.id = c.turn_id)`,
		),
	)
	parts := s.Count(
		t,
		`SELECT count(*) FROM ai_messages m, jsonb_array_elements(m.parts) p WHERE m.role = 'assistant' AND p->>'type' = 'dynamic-tool'`,
	)
	require.Equal(t, int(s.model.calls.Load()), parts, "each call has its part in the message, and those have none that it must not make")
	require.Equal(t, parts, s.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE turn_id IS NOT NULL`), "and its one audit row")
	for line := range strings.Lines(s.Log.String()) {
		if !strings.Contains(line, `"Error":"context deadline exceeded"`) { // an attempt that a busy machine was too slow for is made again
			require.NotContains(t, line, `"level":"ERROR"`)
		}
		require.NotContains(t, line, "panic")
		require.NotRegexp(t, `"status":5\d\d`, line)
	}
	t.Logf("%d calls: %v", parts, s.Column(t, `SELECT status || ' ' || count(*) FROM ai_tool_calls GROUP BY status ORDER BY count(*) DESC`))
	t.Logf(
		"refusals: %v",
		s.Column(
			t,
			`SELECT error_code || ' ' || count(*) FROM ai_tool_calls WHERE error_code IS NOT NULL GROUP BY error_code ORDER BY count(*) DESC`,
		),
	)
}

// checkDecision shows that the door which stayed shut opens for the person: what was proposed happens when they apply it.
func (s *siege) checkDecision(t *testing.T) {
	t.Helper()
	card := s.people["groups"].Propose(t, "catalog.createGroup", map[string]any{"name": "Countersigned"})
	before := s.world(t)
	s.people["groups"].Apply(t, card.ProposalID)
	added := s.world(t).Minus(before)
	require.Len(t, added, 1)
	require.Contains(t, added[0], "Countersigned")
}
