package audit_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/audit"
	"countersign/internal/principal"
	"countersign/internal/problem"
)

func names(calls []audit.Call) (list []string) {
	for _, c := range calls {
		list = append(list, c.ToolName)
	}
	return list
}

func TestTheLogIsPagedNewestFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{"a.one", "a.two", "a.three", "a.four", "a.five"} {
		w.call(t, name)
	}
	// Calls of one instant are told apart.
	exec(t, w.owner, `UPDATE ai_tool_calls SET created_at = (SELECT min(created_at) FROM ai_tool_calls)`)
	log := audit.NewLog(w.app, sight{}, "chat")
	var all []string
	cursor := ""
	for page := 0; page == 0 || cursor != ""; page++ {
		calls, next, err := log.Calls(t.Context(), w.person, audit.Filter{}, cursor, 2)
		require.NoError(t, err)
		all = append(all, names(calls)...)
		cursor = next
	}
	require.Equal(t, []string{"a.five", "a.four", "a.three", "a.two", "a.one"}, all)
}

func TestTheLogIsFiltered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	exec(t, w.owner, `INSERT INTO users (id, email, name, password_hash) VALUES ($1, 'ada@example.com', 'Ada Lovelace', '')`, w.person.ID)
	first := w.call(t, "a.read")
	other := w.person
	other.ID = uuid.New()
	require.NoError(t, w.budget.Refuse(t.Context(), newCall(other, "b.write"), refusal()))
	exec(t, w.owner, `UPDATE ai_tool_calls SET created_at = created_at - interval '1 day' WHERE id = $1`, first)
	log := audit.NewLog(w.app, sight{}, "chat")
	yesterday := time.Now().Add(-12 * time.Hour)
	for name, c := range map[string]struct {
		filter audit.Filter
		want   []string
	}{
		"everything":       {audit.Filter{}, []string{"b.write", "a.read"}},
		"since":            {audit.Filter{From: yesterday}, []string{"b.write"}},
		"until":            {audit.Filter{To: yesterday}, []string{"a.read"}},
		"principal":        {audit.Filter{PrincipalID: other.ID}, []string{"b.write"}},
		"mine":             {audit.Filter{Mine: true}, []string{"a.read"}},
		"transport":        {audit.Filter{Transport: "api"}, []string{"b.write", "a.read"}},
		"another way":      {audit.Filter{Transport: "chat"}, nil},
		"tool":             {audit.Filter{ToolName: "a.read"}, []string{"a.read"}},
		"effect":           {audit.Filter{Effect: "mutate"}, nil},
		"status":           {audit.Filter{Status: "refused"}, []string{"b.write"}},
		"part of the tool": {audit.Filter{Text: " WRITE "}, []string{"b.write"}},
		"error code":       {audit.Filter{Text: "forbidden"}, []string{"b.write"}},
		"a name":           {audit.Filter{Text: "lovelace"}, []string{"a.read"}},
		"an id":            {audit.Filter{Text: first.String()}, []string{"a.read"}},
		"odd text":         {audit.Filter{Text: "a\x00\xff%"}, nil},
	} {
		calls, next, err := log.Calls(t.Context(), w.person, c.filter, "", 10)
		require.NoError(t, err, name)
		require.Equal(t, c.want, names(calls), name)
		require.Empty(t, next, name)
	}
	calls, _, err := log.Calls(t.Context(), w.person, audit.Filter{Mine: true}, "", 1)
	require.NoError(t, err)
	require.Equal(t, "Ada Lovelace", calls[0].Principal.Name)
}

func TestPeopleSeeTheirOwnCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	own := w.call(t, "a.own")
	stranger := principal.Principal{Kind: principal.User, ID: uuid.New(), Rules: []string{"chat"}}
	self := principal.Principal{Kind: principal.User, ID: w.person.ID, Rules: []string{"chat"}}
	log := audit.NewLog(w.app, sight{}, "chat")

	_, _, err := log.Calls(t.Context(), self, audit.Filter{}, "", 10)
	require.Equal(t, []string{audit.Read}, problem.As(err).MissingRules)
	_, _, err = log.Calls(t.Context(), self, audit.Filter{PrincipalID: stranger.ID}, "", 10)
	require.True(t, problem.Is(err, problem.Forbidden))
	calls, _, err := log.Calls(t.Context(), self, audit.Filter{Mine: true}, "", 10)
	require.NoError(t, err)
	require.Equal(t, []string{"a.own"}, names(calls))
	calls, _, err = log.Calls(t.Context(), stranger, audit.Filter{Mine: true}, "", 10)
	require.NoError(t, err)
	require.Empty(t, calls)
	_, _, err = log.Calls(t.Context(), principal.Principal{Kind: principal.User, ID: w.person.ID}, audit.Filter{Mine: true}, "", 10)
	require.Equal(t, []string{"chat"}, problem.As(err).MissingRules)

	w.extend(t)
	detail, err := log.Call(t.Context(), self, own)
	require.NoError(t, err)
	require.Len(t, detail.History, 2)
	require.Equal(t, []string{"running", "executed"}, []string{detail.History[0].Status, detail.History[1].Status})
	require.Equal(t, int64(2), *detail.History[1].Seq)
	require.Len(t, detail.History[1].Hash, 64)
	_, err = log.Call(t.Context(), stranger, own)
	require.True(t, problem.Is(err, problem.NotFound))
	_, err = log.Call(t.Context(), w.person, uuid.New())
	require.True(t, problem.Is(err, problem.NotFound))
}

func TestLinksLeadOnlyWhereTheReaderMayGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.call(t, "a.write")
	conversation, turn := uuid.New(), uuid.New()
	exec(t, w.owner, `INSERT INTO ai_conversations (id, owner_id) VALUES ($1, $2)`, conversation, w.person.ID)
	exec(
		t,
		w.owner,
		`INSERT INTO ai_turns (id, conversation_id, kind, message_id, assistant_message_id, principal_kind, principal_id, session_id, connection_id, model, permission_mode)
		VALUES ($1, $2, 'message', 'a', 'b', 'user', $3, $3, $3, '', '')`,
		turn,
		conversation,
		w.person.ID,
	)
	exec(t, w.owner, `UPDATE ai_tool_calls SET turn_id = $2, step = 0, call = 1 WHERE id = $1`, id, turn)
	exec(
		t,
		w.owner,
		`INSERT INTO ai_proposals (id, principal_kind, principal_id, principal_name, tool_name, effect, summary, payload, why_confirm, automatic, nonce_salt, expires_at)
		VALUES ($1, 'user', $2, 'Ada', 'a.write', 'mutate', '', '{}', '', false, '', now())`,
		id,
		w.person.ID,
	)
	log := audit.NewLog(w.app, sight{}, "chat")
	for rules, want := range map[string][]bool{"chat": {true, true}, audit.Read: {false, false}, audit.Read + " manage": {false, true}} {
		reader := principal.Principal{Kind: principal.User, ID: uuid.New(), Rules: strings.Fields(rules)}
		if rules == "chat" {
			reader.ID = w.person.ID
		}
		detail, err := log.Call(t.Context(), reader, id)
		require.NoError(t, err)
		require.Equal(t, want, []bool{detail.ConversationID != nil, detail.ProposalID != nil}, rules)
	}
}

func TestAnExportIsWholeAndHarmless(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	exec(
		t,
		w.owner,
		`INSERT INTO users (id, email, name, password_hash) VALUES ($1, 'eve@example.com', '=HYPERLINK("http://evil")', '')`,
		w.person.ID,
	)
	const calls = 2100
	exec(t, w.owner, `INSERT INTO ai_tool_calls (id, principal_kind, principal_id, transport, tool_name, effect, args_hash, status)
		SELECT gen_random_uuid(), 'user', $1, 'chat', '@tool' || n, 'read', '', 'executed' FROM generate_series(1, $2::int) n`, w.person.ID, calls)
	var file bytes.Buffer
	require.NoError(t, audit.NewLog(w.app, sight{}, "").Export(t.Context(), w.person, audit.Filter{Transport: "chat"}, audit.CSV, &file))
	rows, err := csv.NewReader(&file).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, calls+1)
	require.Equal(t, "id", rows[0][0])
	require.Equal(t, `'=HYPERLINK("http://evil")`, rows[1][5])
	require.Equal(t, "'@tool2100", rows[1][7])

	file.Reset()
	require.NoError(t, audit.NewLog(w.app, sight{}, "").Export(t.Context(), w.person, audit.Filter{Text: "@tool7"}, audit.NDJSON, &file))
	require.Equal(t, 111, strings.Count(file.String(), "\n"))
}

// What somebody has asked for and what they have decided about are found apart, and are one list: each call once, newest
// first, over all pages.
func TestWhatSomebodyHasDecidedIsTheirs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const calls = 12
	exec(
		t,
		w.owner,
		`INSERT INTO ai_tool_calls (id, principal_kind, principal_id, transport, tool_name, effect, args_hash, status, applied_by_kind, applied_by_id, created_at)
		SELECT gen_random_uuid(), 'user', CASE WHEN n % 3 = 1 THEN gen_random_uuid() ELSE $1 END, 'chat', 'tool' || n,
			'mutate', '', 'applied', 'user',
		       CASE WHEN n % 3 = 0 THEN gen_random_uuid() ELSE $1 END, now() - (n / 2) * interval '1 minute' FROM generate_series(1, $2::int) n`,
		w.person.ID,
		calls,
	)
	exec(t, w.owner, `INSERT INTO ai_tool_calls (id, principal_kind, principal_id, transport, tool_name, effect, args_hash, status)
		SELECT gen_random_uuid(), 'user', gen_random_uuid(), 'chat', 'foreign', 'read', '', 'executed' FROM generate_series(1, 5)`)
	log := audit.NewLog(w.app, sight{}, "")
	all, next, err := log.Calls(t.Context(), w.person, audit.Filter{Mine: true}, "", calls)
	require.NoError(t, err)
	require.Empty(t, next)
	require.Len(t, all, calls)
	require.NotContains(t, names(all), "foreign")

	var paged []audit.Call
	for cursor := ""; ; {
		var page []audit.Call
		page, cursor, err = log.Calls(t.Context(), w.person, audit.Filter{Mine: true}, cursor, 5)
		require.NoError(t, err)
		if paged = append(paged, page...); cursor == "" {
			break
		}
	}
	require.Equal(t, names(all), names(paged))
}
