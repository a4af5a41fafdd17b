// Package plans holds the most frequent queries, and checks their plans in a large installation: Fill creates one of
// any size, Explain runs each query as the product does and returns the used indexes and the touched pages. A page is 8
// kB; the number of touched pages is the same on every machine, unlike times, and must not grow with the tables.
package plans

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/audit/auditdb"
	"countersign/chat/conversation/conversationdb"
	"countersign/chat/stream/streamdb"
	"countersign/chat/turn/turndb"
	"countersign/internal/store"
	"countersign/tool/budget/budgetdb"
	"countersign/tool/proposal"
	"countersign/tool/proposal/proposaldb"
	"countersign/tool/spend/spenddb"
)

// query is a frequent query with its limit of touched pages.
type query struct {
	name string
	most int64
	// own is the number of additional pages per million calls: for a person, who has a thousandth of them, or for ten
	// minutes.
	own int64
	run func(ctx context.Context, db connections) error
}

// connections are the connections of a service: conn, or planned where the plan depends on the arguments.
type connections struct{ conn, planned explained }

// Explain runs every query in a database that Fill has given as many calls, and rolls its writes back.
func Explain(ctx context.Context, db *store.DB, rows int) ([]Found, error) {
	var all []Found
	for _, q := range queries() {
		found := Found{Name: q.name, most: q.most + q.own*int64(rows)/1_000_000}
		err := db.DryRun(ctx, func(ctx context.Context) error {
			return q.run(ctx, connections{explained{db.Conn(ctx), &found}, explained{db.CustomPlans(ctx), &found}})
		})
		if err != nil && !store.NoRows(err) {
			return all, fmt.Errorf("%s: %w", q.name, err)
		}
		all = append(all, found)
	}
	return all, nil
}

func queries() []query {
	all := append(inbox(), calls()...)
	all = append(all, conversations()...)
	all = append(all, listed()...)
	all = append(all, verified()...)
	all = append(all, removed()...)
	all = append(all, reconciled()...)
	return append(all,
		query{name: "abandoned calls, every 10 s", most: 100, own: 30, run: func(ctx context.Context, c connections) error {
			_, err := budgetdb.New(c.conn).ReleaseAbandoned(ctx, budgetdb.ReleaseAbandonedParams{OlderThanSeconds: 40})
			return err
		}},
		query{name: "new entries of the audit log, every second", most: 100, run: func(ctx context.Context, c connections) error {
			high, err := auditdb.New(c.conn).HighestEntry(ctx)
			if err != nil {
				return err
			}
			_, err = auditdb.New(c.conn).HasNewEntries(ctx, auditdb.HasNewEntriesParams{High: high, Gaps: []int64{high - 1}})
			return err
		}},
		query{name: "how long entries of the audit log wait", most: 100, run: func(ctx context.Context, c connections) error {
			_, err := auditdb.New(c.conn).OldestUnlinked(ctx)
			return err
		}},
		query{name: "what a turn has shown, for each that begins to read it", most: 100, run: func(ctx context.Context, c connections) error {
			_, err := streamdb.New(
				c.conn,
			).EventsOfTurns(
				ctx,
				streamdb.EventsOfTurnsParams{TurnIds: []uuid.UUID{uuid.MustParse("00000000-0000-4000-8400-000000000007")}, Afters: []int64{0}},
			)
			return err
		}},
		query{name: "tokens used in an hour, before each model call", most: 200, run: func(ctx context.Context, c connections) error {
			_, err := spenddb.New(c.conn).Spent(ctx, spenddb.SpentParams{
				Cap: 1_000_000, ConnectionID: uuid.MustParse(Connection), PrincipalID: uuid.MustParse(Busy), WindowSeconds: 3600,
			})
			return err
		}},
		query{name: "what somebody has used in 30 days, on the account page", most: 1600, run: func(ctx context.Context, c connections) error {
			now := time.Now()
			starts := make([]time.Time, 30)
			for i := range starts {
				starts[i] = now.AddDate(0, 0, i-30)
			}
			_, err := spenddb.New(c.planned).SpendSeries(ctx, spenddb.SpendSeriesParams{
				FromAt: starts[0], ToAt: now, Starts: starts, Split: "connection", PrincipalID: new(uuid.MustParse(Busy)),
			})
			return err
		}},
	)
}

// inbox are the pages of proposals, every 15 s for each person who has one open.
func inbox() []query {
	tools := make([]string, 60)
	for i := range tools {
		tools[i] = fmt.Sprintf("catalog.tool%d", i)
	}
	waiting := new("proposed")
	var all []query
	for _, p := range []struct {
		who    string
		params proposaldb.ListProposalsParams
	}{
		{"somebody who is back after long", proposaldb.ListProposalsParams{PrincipalID: uuid.MustParse(Quiet), Tools: tools[:1]}},
		{"somebody who works", proposaldb.ListProposalsParams{PrincipalID: uuid.MustParse(Busy), Tools: tools}},
		{"who decides as a second person", proposaldb.ListProposalsParams{PrincipalID: uuid.MustParse(Decider), Tools: tools}},
		{"an administrator", proposaldb.ListProposalsParams{PrincipalID: uuid.MustParse(Decider), Tools: tools, OthersTools: tools, OthersMade: true, Others: true}},
	} {
		page := func(params proposaldb.ListProposalsParams) func(context.Context, connections) error {
			if params.PrincipalKind, params.FixedTools = "user", tools; params.MaxRows == 0 {
				params.MaxRows, params.Patterns = 50, []string{}
			}
			return func(ctx context.Context, c connections) error {
				_, err := proposaldb.New(c.planned).ListProposals(ctx, params)
				return err
			}
		}
		newest := page(p.params)
		searched := p.params
		searched.MaxRows, searched.Patterns = 1000, []string{"%nothing like it%"}
		p.params.Status = waiting
		// Each of the fifty rows is looked up again, with the proposals of its turn.
		all = append(
			all,
			query{name: "waiting proposals of " + p.who, most: 1500, run: page(p.params)},
			query{name: "proposals of " + p.who, most: 1500, run: newest},
			query{name: "proposals with a word, of " + p.who, most: 4000, run: page(searched)},
		)
	}
	return append(all, query{name: "whether more proposals may wait", most: 50, run: func(ctx context.Context, c connections) error {
		_, err := proposaldb.New(
			c.conn,
		).OtherWaitingProposals(
			ctx,
			proposaldb.OtherWaitingProposalsParams{PrincipalKind: "user", PrincipalID: uuid.MustParse(Busy)},
		)
		return err
	}})
}

// calls are the pages of the audit log.
func calls() []query {
	forever := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	page := func(params auditdb.CallsParams) func(context.Context, connections) error {
		params.To, params.BeforeAt, params.MaxRows = forever, forever, 51
		return func(ctx context.Context, c connections) error {
			_, err := auditdb.New(c.planned).Calls(ctx, params)
			return err
		}
	}
	quiet, busy, decider := uuid.MustParse(Quiet), uuid.MustParse(Busy), uuid.MustParse(Decider)
	return []query{
		{name: "all calls", most: 400, run: page(auditdb.CallsParams{})},
		{name: "own calls of somebody who works", most: 400, run: page(auditdb.CallsParams{PrincipalID: &busy})},
		{name: "own calls of somebody who is back after long", most: 400, run: page(auditdb.CallsParams{PrincipalID: &quiet})},
		{name: "calls that somebody has decided about", most: 400, run: page(auditdb.CallsParams{AppliedByID: &decider})},
		{name: "calls that nobody has decided about", most: 400, run: page(auditdb.CallsParams{AppliedByID: &quiet})},
		{name: "history of a call", most: 50, run: func(ctx context.Context, c connections) error {
			_, err := auditdb.New(c.conn).History(ctx, 17)
			return err
		}},
	}
}

// reconciled are the queries that look for unfinished work of crashed processes every few seconds.
func reconciled() []query {
	old := store.Interval(3 * time.Second)
	return []query{
		{name: "turns that need help, every 2 s", most: 60, run: func(ctx context.Context, c connections) error {
			_, err := turndb.New(
				c.conn,
			).UnfinishedTurns(
				ctx,
				turndb.UnfinishedTurnsParams{Statuses: []string{"pending", "running"}, OlderThan: old, MaxRows: 200},
			)
			return err
		}},
		// Each that was decided in six hours is looked up among the turns, with the one that follows it.
		{name: "proposals that are due, every 2 s", most: 400, own: 600, run: func(ctx context.Context, c connections) error {
			due, err := proposaldb.New(c.conn).DueProposals(ctx, proposaldb.DueProposalsParams{OlderThan: old, MaxRows: proposal.DuePage})
			if err == nil && len(due) > 0 {
				err = fmt.Errorf("%d proposals are due, where each has its turn", len(due))
			}
			return err
		}},
	}
}

// conversations are the queries of a chat.
func conversations() []query {
	conversation := uuid.MustParse("00000000-0000-4000-8500-000000000007")
	return []query{
		{name: "conversations of a person", most: 400, run: func(ctx context.Context, c connections) error {
			_, err := conversationdb.New(c.conn).ConversationsByOwner(ctx, conversationdb.ConversationsByOwnerParams{
				OwnerID: uuid.MustParse(Busy), Before: time.Now(), Max: 51,
			})
			return err
		}},
		{name: "a draft to use again", most: 400, run: func(ctx context.Context, c connections) error {
			_, err := conversationdb.New(
				c.conn,
			).ReuseDraft(
				ctx,
				conversationdb.ReuseDraftParams{OwnerID: uuid.MustParse(Busy), PermissionMode: "approve"},
			)
			return err
		}},
		{name: "the newest messages of a conversation", most: 60, run: func(ctx context.Context, c connections) error {
			_, err := conversationdb.New(
				c.conn,
			).MessagesBefore(
				ctx,
				conversationdb.MessagesBeforeParams{ConversationID: conversation, Before: math.MaxInt64, MaxRows: 51},
			)
			return err
		}},
		{name: "conversations of a history that a client sends", most: 700, run: func(ctx context.Context, c connections) error {
			find := conversationdb.SentCandidatesParams{ClientID: uuid.MustParse(Busy), OwnerID: uuid.MustParse(Busy)}
			for i := range 64 {
				question, answer := sha256.Sum256(fmt.Appendf(nil, "question %d", i)),
					sha256.Sum256(fmt.Appendf(nil, "answer %d", 1000*i+7))
				find.Questions, find.Answers = append(find.Questions, question[:]), append(find.Answers, answer[:])
			}
			found, err := conversationdb.New(c.conn).SentCandidates(ctx, find)
			if err == nil && len(found) == 0 {
				err = errors.New("no conversation is found by a history")
			}
			return err
		}},
		{name: "what a history is compared with", most: 300, run: func(ctx context.Context, c connections) error {
			_, err := conversationdb.New(c.conn).SentExchanges(ctx,
				conversationdb.SentExchangesParams{Conversations: []uuid.UUID{conversation}, Most: 200})
			return err
		}},
		{name: "whether a history begins a conversation", most: 20, run: func(ctx context.Context, c connections) error {
			_, err := conversationdb.New(c.conn).ConversationBegun(ctx,
				conversationdb.ConversationBegunParams{ConversationID: conversation, MessageID: "m7"})
			return err
		}},
		{name: "conversations that nothing was said in", most: 60, run: func(ctx context.Context, c connections) error {
			_, err := conversationdb.New(c.conn).EmptyConversations(ctx, conversationdb.EmptyConversationsParams{Hours: 24, MaxRows: 500})
			return err
		}},
		{name: "words in the messages of a person", most: 400, own: 500, run: searched("word")},
		{name: "words that few messages have", most: 200, own: 270, run: searched("word3")},
		{name: "words that no message has", most: 50, own: 25, run: searched("nothing")},
		{name: "the turn of an answer", most: 20, run: func(ctx context.Context, c connections) error {
			_, err := turndb.New(c.conn).TurnByAnswer(ctx, turndb.TurnByAnswerParams{
				ConversationID: conversation, AssistantMessageID: "msg_00000000-0000-4000-8400-000000000007",
			})
			return err
		}},
		{name: "the turns of a conversation that is deleted", most: 1000, run: func(ctx context.Context, c connections) error {
			return triggering(ctx, c, func() error {
				_, err := conversationdb.New(c.conn).DeleteConversation(ctx, conversation)
				return err
			})
		}},
	}
}

// searched is a search of one of the thousand for one word, which is on the lists of all.
func searched(word string) func(context.Context, connections) error {
	return func(ctx context.Context, c connections) error {
		busy := uuid.MustParse(Busy)
		words, err := conversationdb.New(c.conn.Conn).Terms(ctx, conversationdb.TermsParams{OwnerID: busy, LookedFor: word})
		if err != nil {
			return err
		}
		_, err = conversationdb.New(c.planned).SearchConversations(ctx, conversationdb.SearchConversationsParams{
			Query:        "'" + words[0].Mark + words[0].Term + "':*",
			Terms:        []string{word},
			OwnerID:      busy,
			MostMessages: 20_000,
			Before:       time.Now(),
			Max:          31,
		})
		return err
	}
}

// triggering runs a change and adds the tables that its triggers scanned as a whole: triggers delete dependent rows,
// which no plan shows.
func triggering(ctx context.Context, c connections, do func() error) error {
	before, err := scans(ctx, c)
	if err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	after, err := scans(ctx, c)
	for table, n := range after {
		if n > before[table] {
			c.conn.found.Scanned = append(c.conn.found.Scanned, table)
		}
	}
	return err
}

// scans counts the scans of each large table in this transaction.
func scans(ctx context.Context, c connections) (map[string]int64, error) {
	rows, err := c.conn.Conn.Query(ctx, `SELECT relname::text, seq_scan FROM pg_stat_xact_user_tables WHERE relname = ANY ($1)`, Large())
	if err != nil {
		return nil, fmt.Errorf("count scans: %w", err)
	}
	counts := map[string]int64{}
	var table string
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&table, &n}, func() error {
		counts[table] = n
		return nil
	})
	return counts, err
}
