package app_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/modules/notification"
	"countersign/modules/notification/channel"
	"countersign/modules/notification/channel/channeltest"
)

// notified is a product with a mail server and receivers on this machine.
func notified(t *testing.T) (*apptest.Product, *channeltest.MailServer, *channeltest.Receiver) {
	t.Helper()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{
		"COUNTERSIGN_CHECK_EGRESS_ALLOW": "127.0.0.0/8", "COUNTERSIGN_EGRESS_ALLOW": "127.0.0.0/8",
	}})
	mails := channeltest.NewMailServer(t)
	p.Admin.Call(t, http.MethodPut, "/api/notifications/settings/mail", map[string]any{
		"host": mails.Host, "port": mails.Port, "security": "none", "from": "countersign@example.com",
	})
	return p, mails, channeltest.NewReceiver(t)
}

// A check fails, and the subscribers of its system learn of it by e-mail and by a webhook whose receiver fails first; with
// the end of the trouble they learn of that.
func TestSubscribersLearnOfTheHealthOfASystem(t *testing.T) {
	t.Parallel()
	p, mails, receiver := notified(t)
	receiver.Answer(func(n int, _ http.ResponseWriter, _ channeltest.Post) int {
		if n == 0 {
			return http.StatusInternalServerError
		}
		return http.StatusNoContent
	})
	var status atomic.Int64
	status.Store(http.StatusOK)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(int(status.Load())) }))
	t.Cleanup(page.Close)
	shop := newSystem(t, p.Admin, "Shop")
	p.Admin.Post(t, "/api/healthcheck/checks", map[string]any{
		"name": "Shop page", "strategyId": "healthcheck-http.http", "config": map[string]any{}, "intervalSeconds": 1,
		"assignToSystemId": shop, "collectors": []any{map[string]any{
			"collectorId": "healthcheck-http.request", "config": map[string]any{"url": page.URL},
			"assertions": []any{map[string]any{"field": "statusCode", "operator": "equals", "value": http.StatusOK}},
		}},
	}, nil)
	reader := p.Person(t)
	var hook notification.CreatedChannel
	reader.Post(t, "/api/notifications/channels", map[string]any{"kind": "webhook", "name": "My hook", "url": receiver.URL + "/hook"}, &hook)
	require.True(t, strings.HasPrefix(hook.SigningSecret, channel.KeyPrefix))
	var subscribed notification.Subscribed
	reader.Call(t, http.MethodPut, "/api/notifications/subscriptions/system/"+shop.String(), nil).Decode(t, &subscribed)
	require.True(t, subscribed.Changed)
	healthy := func() int {
		return p.Count(t, `SELECT count(*) FROM events WHERE type = 'healthcheck.system_health_changed'`)
	}
	apptest.Eventually(t, "the shop is healthy", func() bool { return healthy() > 0 })
	status.Store(http.StatusServiceUnavailable)
	// The shop may become worse meanwhile, which is a message of its own.
	var posts []channeltest.Post
	again := -1
	apptest.Eventually(t, "the failure was delivered", func() bool {
		posts = receiver.Posts()
		again = slices.IndexFunc(posts, func(one channeltest.Post) bool {
			return one.Status == http.StatusNoContent && one.Header.Get("Webhook-Id") == posts[0].Header.Get("Webhook-Id")
		})
		return len(mails.Letters()) > 0 && again > 0
	})
	letter := mails.Letters()[0]
	require.Contains(t, letter.Header.Get("Subject"), "Shop is ")
	require.Contains(t, letter.Body, "/health/systems/"+shop.String())

	verify(t, hook.SigningSecret, posts[again])
	var body struct {
		Data struct{ Title, Phase, URL string }
	}
	require.NoError(t, json.Unmarshal(posts[again].Body, &body))
	require.Equal(t, "problem", body.Data.Phase)
	require.True(t, strings.HasSuffix(body.Data.URL, "/health/systems/"+shop.String()))

	status.Store(http.StatusOK)
	// A slow run sees more failures, and tells of degraded and of unhealthy; the end is told once and last.
	apptest.Eventually(t, "the recovery was delivered", func() bool {
		letters := mails.Letters()
		return letters[len(letters)-1].Header.Get("Subject") == "Shop is healthy" && len(receiver.Accepted()) == len(letters)
	})

	var log struct{ Deliveries []notification.Delivery }
	apptest.Eventually(t, "all is recorded", func() bool {
		reader.Get(t, "/api/notifications/deliveries?state=sent", &log)
		return len(log.Deliveries) == len(mails.Letters())+len(receiver.Accepted())
	})
	for _, d := range log.Deliveries {
		if d.ID.String() == posts[0].Header.Get("Webhook-Id") {
			require.Len(t, d.Tries, 2)
			require.Equal(t, []channel.Result{channel.Temporary, channel.Sent}, []channel.Result{d.Tries[0].Result, d.Tries[1].Result})
		}
	}
	var others struct{ Deliveries []notification.Delivery }
	p.Person(t).Get(t, "/api/notifications/deliveries", &others)
	require.Empty(t, others.Deliveries)
	for _, row := range p.Dump(t) {
		require.NotContains(t, row, receiver.URL+"/hook", "addresses of webhooks are sealed")
	}
}

// verify checks a webhook as its receiver would.
func verify(t *testing.T, secret string, p channeltest.Post) {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, channel.KeyPrefix))
	require.NoError(t, err)
	seconds, err := strconv.ParseInt(p.Header.Get("Webhook-Timestamp"), 10, 64)
	require.NoError(t, err)
	require.Equal(t, channel.Sign([]channel.Key{{Secret: key}}, p.Header.Get("Webhook-Id"), time.Unix(seconds, 0), p.Body),
		p.Header.Get("Webhook-Signature"))
	_, err = uuid.Parse(p.Header.Get("Webhook-Id"))
	require.NoError(t, err)
}

// Subscribers of a system learn of its incidents: of the beginning, of news that are for them, and once of the end.
func TestSubscribersLearnOfIncidents(t *testing.T) {
	t.Parallel()
	p, mails, _ := notified(t)
	shop := newSystem(t, p.Admin, "Shop")
	p.Person(t).Call(t, http.MethodPut, "/api/notifications/subscriptions/system/"+shop.String(), nil)
	var opened struct{ ID uuid.UUID }
	p.Admin.Post(
		t,
		"/api/incidents",
		map[string]any{"title": "Checkout is slow", "severity": "minor", "systemIds": []uuid.UUID{shop}},
		&opened,
	)
	apptest.Eventually(t, "the beginning is delivered", func() bool { return len(mails.Letters()) == 1 })
	incident := "/api/incidents/" + opened.ID.String()
	p.Admin.Post(t, incident+"/updates", map[string]any{"message": "Between us.", "visibility": "internal"}, nil)
	p.Admin.Post(t, incident+"/updates", map[string]any{"message": "We found it.", "visibility": "public"}, nil)
	apptest.Eventually(t, "the news are delivered", func() bool { return len(mails.Letters()) == 2 })
	p.Admin.Post(t, incident+"/resolve", map[string]any{}, nil)
	apptest.Eventually(t, "the end is delivered", func() bool { return len(mails.Letters()) == 3 })
	var subjects []string
	for _, letter := range mails.Letters() {
		subjects = append(subjects, letter.Header.Get("Subject"))
	}
	require.Equal(t, []string{"Checkout is slow", "Checkout is slow", "Resolved: Checkout is slow"}, subjects)
	require.Equal(t, 3, p.Count(t, `SELECT count(*) FROM notify_deliveries`))
	require.Contains(t, mails.Letters()[1].Body, "We found it.")
}

// A subscriber who may not see the system any more is not notified, and a channel of a policy is sent what its team sees.
func TestNotificationsStayWithThoseWhoSeeTheSystem(t *testing.T) {
	t.Parallel()
	p, mails, receiver := notified(t)
	vault, shop := newSystem(t, p.Admin, "Vault"), newSystem(t, p.Admin, "Shop")
	kept, closed := p.Person(t), p.Person(t)
	for _, who := range []*apptest.Client{kept, closed} {
		who.Call(t, http.MethodPut, "/api/notifications/subscriptions/system/"+vault.String(), nil)
	}
	var team, policy struct{ ID uuid.UUID }
	p.Admin.Post(t, "/api/teams", map[string]any{"name": "Keepers"}, &team)
	grants := map[string]any{"private": true, "grants": []any{
		map[string]any{"subjectType": "user", "subjectId": p.Admin.ID, "relation": "owner"},
		map[string]any{"subjectType": "user", "subjectId": kept.ID, "relation": "viewer"},
		map[string]any{"subjectType": "team", "subjectId": team.ID, "relation": "viewer"},
	}}
	require.Equal(t, http.StatusOK, p.Admin.Call(t, http.MethodPut, "/api/grants/catalog.system/"+vault.String(), grants).Status)
	p.Admin.Post(t, "/api/oncall/policies", map[string]any{
		"name": "Keepers", "teamId": team.ID, "default": true,
		"steps": []any{map[string]any{"delaySeconds": 0, "targets": []any{map[string]any{"kind": "channels"}}}},
	}, &policy)
	hook := map[string]any{"ownerKind": "policy", "ownerId": policy.ID, "kind": "webhook", "name": "Hook", "url": receiver.URL + "/hook"}
	role := p.Role(t, notification.ChannelManage)
	p.Person(t, role).Refused(t, problem.Forbidden, http.MethodPost, "/api/notifications/channels", hook)
	p.Admin.Post(t, "/api/notifications/channels", hook, nil)

	open := func(title string, system uuid.UUID) {
		p.Admin.Post(t, "/api/incidents", map[string]any{"title": title, "severity": "minor", "systemIds": []uuid.UUID{system}}, nil)
	}
	open("Checkout is slow", shop)
	apptest.Eventually(t, "the team has no grant on the shop", func() bool {
		return p.Count(t, `SELECT count(*) FROM notify_deliveries WHERE person_id IS NULL AND state = 'suppressed'`) == 1
	})
	open("The vault is open", vault)
	apptest.Eventually(t, "both are notified", func() bool { return len(mails.Letters()) == 1 && len(receiver.Accepted()) == 1 })
	require.Contains(t, string(receiver.Accepted()[0].Body), "The vault is open")
	require.Zero(t, p.Count(t, `SELECT count(*) FROM notify_deliveries WHERE person_id = $1`, closed.ID))
}
