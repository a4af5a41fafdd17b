package proposal_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/tool/disposition"
	"countersign/tool/proposal"
)

func TestARepeatedCreateFindsTheFirstProposal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.people.add("Ada", rule)
	card := w.propose(t, p, "A")
	token := w.token(t, p, card.ProposalID)
	found, _ := w.Registry.Fixed("shelf.putBox")
	again, err := w.Create(t.Context(), proposal.New{ID: card.ProposalID, Principal: p, Tool: found, Proposed: toolProposed("B")})
	require.NoError(t, err)
	require.JSONEq(t, `{"name":"A"}`, string(again.Payload), "the first one stands")
	require.Equal(t, token, w.token(t, p, card.ProposalID))
}

// A proposal counts although its workflow could not be started; the reconciler starts it later.
func TestAProposalSurvivesAnEngineThatIsAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.people.add("Ada", rule)
	w.driver.fail.Store(true)
	card := w.propose(t, p, "A")
	_, err := w.Begin(t.Context(), p, w.token(t, p, card.ProposalID), "", "")
	require.NoError(t, err)
	require.Equal(t, []uuid.UUID{card.ProposalID}, w.due(t, 0))
}

// due are the proposals that the reconciler has to look at.
func (w *world) due(t *testing.T, olderThan time.Duration) []uuid.UUID {
	t.Helper()
	page, err := w.Due(t.Context(), olderThan, proposal.Due{})
	require.NoError(t, err)
	ids := []uuid.UUID{}
	for _, d := range page {
		ids = append(ids, d.ID)
	}
	return ids
}

func TestWhatTheReconcilerHasToLookAt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.people.add("Ada", rule)
	waiting, applying, expired, done := w.propose(t, p, "A"), w.propose(t, p, "B"), w.propose(t, p, "C"), w.propose(t, p, "D")
	_, err := w.Begin(t.Context(), p, w.token(t, p, applying.ProposalID), "", "")
	require.NoError(t, err)
	w.expire(t, expired.ProposalID)
	w.begin(t, p, done.ProposalID)

	open := w.due(t, 0)
	require.ElementsMatch(t, []uuid.UUID{applying.ProposalID, expired.ProposalID}, open)
	require.NotContains(t, open, waiting.ProposalID)
	require.Empty(t, w.due(t, time.Hour))
}

func TestOnlyAChangeOfAutoModeIsAppliedWithoutAToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, other := w.people.add("Ada", rule), w.people.add("Eve", rule)
	automatic := func(n *proposal.New) { n.Automatic = true }
	drop, _ := w.Registry.Fixed("shelf.dropBox")
	asked := w.propose(t, p, "A")
	mine := w.propose(t, p, "C", automatic)
	_, err := w.BeginAutomatic(t.Context(), p, asked.ProposalID)
	refused(t, err, problem.Forbidden)
	destructive := w.propose(t, p, "B", func(n *proposal.New) { n.Tool = drop })
	_, err = w.db.Conn(t.Context()).Exec(t.Context(), `UPDATE ai_proposals SET automatic = true WHERE id = $1`, destructive.ProposalID)
	require.ErrorContains(t, err, "ai_proposals_automatic", "the database does not have it either")
	_, err = w.BeginAutomatic(t.Context(), other, mine.ProposalID)
	refused(t, err, problem.Forbidden)

	for range 2 {
		card, err := w.BeginAutomatic(t.Context(), p, mine.ProposalID)
		require.NoError(t, err, "a repeated step finds that it has begun")
		require.Equal(t, proposal.Applying, card.Status)
	}
}

func TestAProposalIsThereForWhoMadeItAndWhoMayDecide(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mine := w.people.add("Ada", rule)
	stranger := w.people.add("Eve", rule)
	manager := w.people.add("Max", rule, proposal.ManageRule)
	powerless := w.people.add("Pat", proposal.ManageRule)
	card := w.propose(t, mine, "A")
	for _, who := range []struct {
		principal.Principal
		sees bool
	}{{mine, true}, {stranger, false}, {manager, true}, {powerless, false}} {
		cards, _, err := w.List(t.Context(), who.Principal, "", "", 10)
		require.NoError(t, err)
		shown, err := w.Get(t.Context(), who.Principal, card.ProposalID)
		if !who.sees {
			require.Empty(t, cards, who.Name)
			unknown, missing := w.Get(t.Context(), who.Principal, uuid.New())
			require.Empty(t, unknown)
			require.Equal(
				t,
				refused(t, missing, problem.NotFound).Detail,
				refused(t, err, problem.NotFound).Detail,
				"what exists cannot be found out",
			)
			_, err = w.Decline(t.Context(), who.Principal, card.ProposalID, "")
			refused(t, err, problem.NotFound)
			continue
		}
		require.NoError(t, err, who.Name)
		require.NotEmpty(t, shown.Token)
		require.Len(t, cards, 1, who.Name)
		require.Empty(t, cards[0].Token, "a list holds no tokens")
	}
}

func TestProposalsAreListedByStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.people.add("Ada", rule)
	first, second, third := w.propose(t, p, "A"), w.propose(t, p, "B"), w.propose(t, p, "C")
	w.begin(t, p, second.ProposalID)
	w.expire(t, third.ProposalID)
	for status, want := range map[proposal.Status][]uuid.UUID{
		"":                {third.ProposalID, second.ProposalID, first.ProposalID},
		proposal.Proposed: {first.ProposalID},
		proposal.Applied:  {second.ProposalID},
		proposal.Expired:  {third.ProposalID},
		proposal.Declined: nil,
	} {
		cards, _, err := w.List(t.Context(), p, status, "", 10)
		require.NoError(t, err)
		var got []uuid.UUID
		for _, c := range cards {
			got = append(got, c.ProposalID)
		}
		require.Equal(t, want, got, "status %q", status)
	}
	latest, _, err := w.List(t.Context(), p, "", "", 1)
	require.NoError(t, err)
	require.Len(t, latest, 1)
	require.Equal(t, third.ProposalID, latest[0].ProposalID)
}

// A search looks behind the newest, through what the list shows to the same reader and nothing else.
func TestProposalsAreFoundByTheirWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, eve := w.people.add("Ada Lovelace", rule), w.people.add("Eve", rule)
	manager := w.people.add("Max", rule, proposal.ManageRule)
	found := func(p principal.Principal, query, cursor string, limit int) (names []string, next string) {
		t.Helper()
		cards, next, err := w.Search(t.Context(), p, query, "", cursor, limit)
		require.NoError(t, err)
		for _, c := range cards {
			require.Empty(t, c.Token, "a search holds no tokens")
			names = append(names, c.Summary)
		}
		return names, next
	}
	w.propose(t, ada, "Payments_API 100%")
	_, err := w.db.Conn(t.Context()).Exec(t.Context(), "UPDATE ai_proposals SET created_at = now() - interval '1 year'")
	require.NoError(t, err)
	w.propose(t, eve, "payments of Eve")
	// So many newer ones that a search has to go on behind those that are looked through at once.
	_, err = w.db.Conn(t.Context()).Exec(t.Context(), `WITH calls AS (
		INSERT INTO ai_tool_calls (id, principal_kind, principal_id, transport, tool_name, effect, args_hash, status)
		SELECT gen_random_uuid(), 'user', $1, 'chat', 'shelf.putBox', 'mutate', '', 'proposed' FROM generate_series(1, 2500) RETURNING id)
		INSERT INTO ai_proposals (id, principal_kind, principal_id, principal_name, tool_name, effect, summary, payload,
			nonce_salt, expires_at, created_at)
		SELECT id, 'user', $1, 'Ada Lovelace', 'shelf.putBox', 'mutate', 'Put something else', '{}', '', now() + interval '1 year', now() - interval '1 day' FROM calls`, ada.ID)
	require.NoError(t, err)

	for query, want := range map[string][]string{
		"payments": {"Put Payments_API 100%"}, "PAY put": {"Put Payments_API 100%"}, "putbox lovelace 100%": {"Put Payments_API 100%"}, "payments_api": {"Put Payments_API 100%"},
		"payments eve": nil, "p_yments": nil, "p%s": nil, `\`: nil, "else payments": nil,
	} {
		got, next := found(ada, query, "", 10)
		require.Equal(t, want, got, "%q", query)
		require.Empty(t, next, "%q", query)
	}
	of, _ := found(eve, "payments", "", 10)
	require.Equal(t, []string{"Put payments of Eve"}, of)
	all, next := found(manager, "payments", "", 1)
	require.Equal(t, []string{"Put payments of Eve"}, all)
	all, next = found(manager, "payments", next, 1)
	require.Equal(t, []string{"Put Payments_API 100%"}, all)
	require.Empty(t, next)

	// Pages of what many fit leave none out and show none twice.
	shown := 0
	for cursor := ""; ; {
		page, next := found(ada, "something else", cursor, 200)
		if shown += len(page); next == "" {
			break
		}
		cursor = next
	}
	require.Equal(t, 2500, shown)
	declined, _, err := w.Search(t.Context(), ada, "payments", proposal.Declined, "", 10)
	require.NoError(t, err)
	require.Empty(t, declined)
}

// Whoever waits for an outcome hears of it from any process.
func TestWaitingEndsWithTheOutcome(t *testing.T) {
	t.Parallel()
	here := newWorld(t)
	there := newProcess(t, here.db, here.people, []byte("key"))
	p := here.people.add("Ada", rule)
	card := here.propose(t, p, "A")
	_, err := here.Begin(t.Context(), p, here.token(t, p, card.ProposalID), "", "")
	require.NoError(t, err)
	outcome := make(chan proposal.Card)
	go func() {
		final, err := here.Await(t.Context(), card.ProposalID)
		if err == nil {
			outcome <- final
		}
		close(outcome)
	}()
	_, err = there.Run(t.Context(), card.ProposalID)
	require.NoError(t, err)
	require.Equal(t, proposal.Applied, (<-outcome).Status)
}

func TestWaitingEndsWithTheCaller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	card := w.propose(t, w.people.add("Ada", rule), "A")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	now, err := w.Await(ctx, card.ProposalID)
	require.NoError(t, err)
	require.Equal(t, proposal.Proposed, now.Status)
}

// What somebody's conversation has read is theirs: whoever else decides is told of what kind it was.
func TestOthersAreNotToldWhatAConversationHasRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, manager := w.people.add("Ada", rule), w.people.add("Max", rule, proposal.ManageRule)
	card := w.propose(t, p, "A", func(n *proposal.New) {
		n.Outside = []disposition.Taint{{Kind: disposition.MemoryTaint, Source: "What Ada thinks of Max"}}
	})
	mine, err := w.Get(t.Context(), p, card.ProposalID)
	require.NoError(t, err)
	require.Equal(t, "What Ada thinks of Max", mine.Outside[0].Source)
	theirs, err := w.Get(t.Context(), manager, card.ProposalID)
	require.NoError(t, err)
	require.Equal(t, disposition.MemoryTaint, theirs.Outside[0].Kind)
	require.Empty(t, theirs.Outside[0].Source)
	listed, _, err := w.List(t.Context(), manager, "", "", 1)
	require.NoError(t, err)
	require.Empty(t, listed[0].Outside[0].Source)
}
