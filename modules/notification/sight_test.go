package notification_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/event"
	"countersign/internal/notice"
	"countersign/internal/principal"
	"countersign/modules/notification"
)

// Messages of a team's and of a policy's channels are read with the grants of the team, so nobody else hangs one there: the
// rule for channels alone would open what the team sees.
func TestChannelsOfTeamsBelongToTheirMembers(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	team, owned, free := uuid.New(), uuid.New(), uuid.New()
	a.policies = map[uuid.UUID]*uuid.UUID{owned: &team, free: nil}
	a.Person("stranger", notification.Own, notification.ChannelManage)
	a.SignIn("member", principal.Principal{
		Kind: principal.User, ID: uuid.New(), Rules: []string{notification.Own, notification.ChannelManage}, TeamIDs: []uuid.UUID{team},
	})
	of := func(kind string, id uuid.UUID) object {
		return object{"ownerKind": kind, "ownerId": id, "kind": "webhook", "name": "Hook", "url": a.hooks.URL + "/hook"}
	}
	for kind, id := range map[string]uuid.UUID{"team": team, "policy": owned} {
		require.Equal(t, http.StatusForbidden, a.Do(t, "stranger", http.MethodPost, channels, of(kind, id)).Status, kind)
		answer := a.Do(t, "member", http.MethodPost, channels, of(kind, id))
		require.Equal(t, http.StatusCreated, answer.Status, kind)
		one := channels + "/" + apitest.Decode[notification.CreatedChannel](t, answer).ID.String()
		require.Equal(t, http.StatusOK, a.Do(t, "stranger", http.MethodGet, one, nil).Status, kind)
		require.Equal(t, http.StatusForbidden, a.Do(t, "stranger", http.MethodPatch, one, object{"url": a.hooks.URL + "/mine"}).Status, kind)
		require.Equal(t, http.StatusForbidden, a.Do(t, "stranger", http.MethodPost, one+"/test", nil).Status, kind)
		require.Equal(t, http.StatusForbidden, a.Do(t, "stranger", http.MethodPost, one+"/rotate", nil).Status, kind)
	}
	require.Equal(t, http.StatusNotFound, a.Do(t, "root", http.MethodPost, channels, of("policy", uuid.New())).Status)
	require.Equal(t, http.StatusConflict, a.Do(t, "root", http.MethodPost, channels, of("policy", free)).Status, "nobody's grants")

	// The facts of the fixture are refused to a service with any rule but the one of things.
	a.run(t)
	for _, to := range []notice.Recipient{notice.Team(team), notice.Policy(owned)} {
		d := a.delivered(t, a.tell(t, brokenThing(uuid.New()), to).ID)
		require.Equal(t, notice.Sent, d.State, d.Reason)
	}
	a.set(func() { a.hidden[team] = true })
	for _, to := range []notice.Recipient{notice.Team(team), notice.Policy(owned)} {
		d := a.delivered(t, a.tell(t, brokenThing(uuid.New()), to).ID)
		require.Equal(t, notice.Suppressed, d.State, "the team does not see it")
	}
	a.set(func() { a.hidden[team], a.policies[owned] = false, nil })
	d := a.delivered(t, a.tell(t, brokenThing(uuid.New()), notice.Policy(owned)).ID)
	require.Equal(t, notice.Stopped, d.State, "the policy has no team any more")
	require.Len(t, a.hooks.Posts(), 2)
}

// A subscriber who may not see the record gets no delivery, and a record that is hidden afterwards leaves their log.
func TestNothingIsWrittenForSubscribersWhoMayNotSee(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	system := uuid.New()
	for _, name := range []string{"ada", "bob"} {
		require.Equal(t, http.StatusOK,
			a.Do(t, name, http.MethodPut, "/api/notifications/subscriptions/system/"+system.String(), nil).Status)
	}
	a.set(func() { a.hidden[a.Principal("bob").ID] = true })
	payload, err := json.Marshal(object{"incidentId": uuid.New(), "systemIds": []uuid.UUID{system}})
	require.NoError(t, err)
	for _, c := range a.module.Consumers() {
		if c.Name != "notification.incidents" {
			continue
		}
		require.NoError(t, a.DB.InTx(t.Context(), func(ctx context.Context) error {
			return c.Handle(ctx, event.Event{ID: 1, Type: "incident.created", Payload: payload})
		}))
	}
	require.Equal(t, 1, a.Count(t, `SELECT count(*) FROM notify_deliveries`))
	require.Equal(t, 1, a.Count(t, `SELECT count(*) FROM notify_deliveries WHERE person_id = $1`, a.Principal("ada").ID))

	log := func(as, query string) []notification.Delivery {
		return apitest.Decode[struct{ Deliveries []notification.Delivery }](
			t, a.Do(t, as, http.MethodGet, "/api/notifications/deliveries"+query, nil)).Deliveries
	}
	require.Len(t, log("ada", ""), 1)
	a.set(func() { a.hidden[a.Principal("ada").ID] = true })
	require.Empty(t, log("ada", ""))
	require.Len(t, log("root", "?all=true"), 1)
}
