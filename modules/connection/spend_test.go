package connection_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/modules/connection"
	"countersign/tool/spend"
)

type nameTable map[uuid.UUID]string

func (n nameTable) Names(context.Context, []uuid.UUID) (map[uuid.UUID]string, error) { return n, nil }

func TestACapIsForUnattendedCallsTooUnlessTheyHaveTheirOwn(t *testing.T) {
	t.Parallel()
	ordinary, own := &connection.SpendCap{TokenBudget: 10, WindowMinutes: 60}, &connection.SpendCap{TokenBudget: 5, WindowMinutes: 1}
	hour, minute := spend.Cap{Tokens: 10, Window: time.Hour}, spend.Cap{Tokens: 5, Window: time.Minute}
	for _, c := range []struct {
		connection           connection.Connection
		attended, unattended spend.Cap
		counts               spend.Counts
	}{
		{connection.Connection{}, spend.Cap{}, spend.Cap{}, spend.All},
		{connection.Connection{SpendCap: ordinary}, hour, hour, spend.All},
		{connection.Connection{UnattendedSpendCap: own}, spend.Cap{}, minute, spend.Unattended},
		{connection.Connection{SpendCap: ordinary, UnattendedSpendCap: own}, hour, minute, spend.Unattended},
	} {
		attended, _ := c.connection.Cap().For(false)
		unattended, counts := c.connection.Cap().For(true)
		require.Equal(t, c.attended, attended)
		require.Equal(t, c.unattended, unattended)
		require.Equal(t, c.counts, counts)
	}
}

func TestAnAdministratorSeesWhatWasUsedAndEverybodyTheirOwn(t *testing.T) {
	t.Parallel()
	me, robot := uuid.UUID{1}, uuid.New()
	a := newApp(t, func(o *connection.Options) { o.Names = nameTable{me: "Ada"} })
	capped, err := a.Create(t.Context(), valid("Capped"))
	require.NoError(t, err)
	free, err := a.Create(t.Context(), valid("Free"))
	require.NoError(t, err)
	one := path + "/" + capped.ID.String()
	capped = apitest.Decode[connection.Connection](t, a.do(t, "*", http.MethodPatch, one, map[string]any{
		"spendCap":           map[string]any{"tokenBudget": 100, "windowMinutes": 60},
		"unattendedSpendCap": map[string]any{"tokenBudget": 50, "windowMinutes": 10},
	}))
	require.Equal(t, connection.SpendCap{TokenBudget: 50, WindowMinutes: 10}, *capped.UnattendedSpendCap)

	ledger := spend.New(a.DB)
	use := func(id uuid.UUID, p principal.Principal, tokens int) {
		require.NoError(t, ledger.Settle(t.Context(), spend.Call{
			ID: uuid.New(), Connection: id, Principal: p, Unattended: p.Kind != principal.User, Purpose: spend.Answer, Estimate: tokens,
		}, spend.Usage{}))
	}
	user, application := principal.Principal{Kind: principal.User, ID: me}, principal.Principal{Kind: principal.Application, ID: robot}
	use(capped.ID, user, 30)
	use(capped.ID, user, 10)
	use(capped.ID, application, 70)
	use(free.ID, user, 5)

	list := apitest.Decode[struct{ Spend []connection.PrincipalSpend }](
		t,
		a.do(t, "ai.connection.manage", http.MethodGet, "/api/ai/spend", nil),
	).Spend
	require.Equal(t, []connection.PrincipalSpend{
		{
			ConnectionID:  capped.ID,
			PrincipalKind: "user",
			PrincipalID:   me,
			PrincipalName: "Ada",
			Tokens:        40,
			Calls:         2,
			WindowMinutes: 60,
			Cap:           100,
		},
		{
			ConnectionID:  capped.ID,
			PrincipalKind: "application",
			PrincipalID:   robot,
			Unattended:    true,
			Tokens:        70,
			Calls:         1,
			WindowMinutes: 10,
			Cap:           50,
		},
		{ConnectionID: free.ID, PrincipalKind: "user", PrincipalID: me, PrincipalName: "Ada", Tokens: 5, Calls: 1, WindowMinutes: 1440},
	}, list)

	var paged []connection.PrincipalSpend
	for cursor := ""; len(paged) == 0 || cursor != ""; {
		page := apitest.Decode[struct {
			Spend      []connection.PrincipalSpend
			NextCursor string
		}](t, a.do(t, "ai.connection.manage", http.MethodGet, "/api/ai/spend?limit=1&cursor="+cursor, nil))
		require.Len(t, page.Spend, 1)
		paged, cursor = append(paged, page.Spend...), page.NextCursor
	}
	require.Equal(t, list, paged)
	a.do(t, "ai.connection.manage", http.MethodGet, "/api/ai/spend?cursor=bm9uZQ", nil).Refused(t, problem.Invalid)

	own := func() []connection.Integration {
		return apitest.Decode[struct{ Integrations []connection.Integration }](
			t,
			a.do(t, "ai.chat.read", http.MethodGet, "/api/ai/integrations", nil),
		).Integrations
	}
	require.Equal(t, &connection.Spend{Used: 40, Cap: 100}, own()[0].Spend)
	require.Nil(t, own()[1].Spend)
	use(capped.ID, user, 60)
	require.Equal(t, int64(100), own()[0].Spend.Used)
	require.WithinDuration(t, time.Now().Add(time.Hour), *own()[0].Spend.FreesAt, 5*time.Minute)

	capped = apitest.Decode[connection.Connection](t, a.do(t, "*", http.MethodPatch, one, map[string]any{"unattendedSpendCap": nil}))
	require.Nil(t, capped.UnattendedSpendCap)
	require.NotNil(t, capped.SpendCap, "what is absent stays")
}
