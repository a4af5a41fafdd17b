package intake_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/modules/incident"
	"countersign/modules/intake"
	"countersign/modules/intake/alert"
	"countersign/modules/intake/intaketest"
)

// over are the replacements that make the example of a kind the end of its alerts.
func over(kind alert.Kind) []string {
	switch kind {
	case alert.UptimeKuma:
		return []string{`"status": 0`, `"status": 1`, "03:04:05.678", "03:14:05.678"}
	case alert.CloudWatch:
		return []string{`"ALARM"`, `"OK"`, "03:04:05.678", "03:14:05.678"}
	case alert.Alertmanager, alert.Grafana, alert.Webhook:
	}
	return []string{`"status": "firing"`, `"status": "resolved"`, "0001-01-01T00:00:00Z", "2026-01-02T03:14:05.678Z"}
}

// worse are the replacements that change an alert that goes on.
func worse(kind alert.Kind) []string {
	switch kind {
	case alert.UptimeKuma:
		return []string{"ECONNREFUSED", "ETIMEDOUT", "03:04:05.678", "03:05:05.678"}
	case alert.CloudWatch:
		return []string{"answers with errors", "answers with nothing but errors", "03:04:05.678", "03:05:05.678"}
	case alert.Alertmanager, alert.Grafana, alert.Webhook:
	}
	return []string{`"description": "`, `"description": "Worse: `}
}

func TestTheAlertsOfEachKindOpenUpdateAndResolveAnIncident(t *testing.T) {
	t.Parallel()
	for _, kind := range alert.Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			a := newApp(t)
			system := a.system(t, "Shop")
			s := a.source(t, kind, system)
			require.Equal(t, 1, s.sends(t).Opened)
			one := a.only(t)
			require.Equal(t, incident.Investigating, one.Status)
			require.Equal(t, system, one.Systems[0].ID)
			require.True(t, one.Imported, "its texts come from outside")
			require.Equal(t, 2026, one.StartedAt.Year())

			again := s.sends(t)
			require.True(t, again.Repeated)
			require.Zero(t, again.Opened+again.Updated+again.Reopened)
			require.Equal(t, one.Revision, a.only(t).Revision)

			require.Equal(t, 1, s.sends(t, worse(kind)...).Updated)
			require.NotEqual(t, one.Description, a.only(t).Description)
			require.Positive(t, s.shown(t).Firing)

			require.Equal(t, 1, s.sends(t, over(kind)...).Resolved)
			ended := a.only(t)
			require.Equal(t, incident.Resolved, ended.Status)
			if kind != alert.Webhook {
				require.Equal(t, 14, ended.ResolvedAt.Minute(), "it ended when the sender says")
			}
			require.Zero(t, s.sends(t, over(kind)...).Resolved)
			shown := s.shown(t)
			require.Zero(t, shown.Firing)
			require.EqualValues(t, 5, shown.Received)
		})
	}
}

func TestTheSameAlertsAtTheSameInstantAreOneIncident(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.source(t, alert.Alertmanager, a.system(t, "Shop"))
	var wait sync.WaitGroup
	answers := make([]apitest.Answer, 8)
	for i := range answers {
		wait.Go(func() { answers[i] = s.post(t, alert.Example(alert.Alertmanager)) })
	}
	wait.Wait()
	opened := 0
	for _, one := range answers {
		opened += apitest.Decode[intake.Received](t, one).Opened
	}
	require.Equal(t, 1, opened)
	require.Len(t, a.all(t), 1)
	require.Equal(t, 1, a.Count(t, `SELECT count(*) FROM intake_payloads`))
}

func TestARequestWithoutTheSecretWritesNothing(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	body := alert.Example(alert.Grafana)
	s := a.source(t, alert.Grafana, a.system(t, "Shop"))
	mac := func(secret, text string) string {
		sum := hmac.New(sha256.New, []byte(secret))
		sum.Write([]byte(text))
		return hex.EncodeToString(sum.Sum(nil))
	}
	now := strconv.FormatInt(time.Now().Unix(), 10)
	old := strconv.FormatInt(time.Now().Add(-time.Hour).Unix(), 10)
	basic := func(password string) string {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte("countersign:"+password))
	}
	const signature, timestamp = "X-Grafana-Alerting-Signature", "X-Grafana-Alerting-Timestamp"
	for name, headers := range map[string][]string{
		"nothing":         {"Authorization", ""},
		"another token":   {"Authorization", "Bearer whsec_other"},
		"empty token":     {"Authorization", "Bearer "},
		"password":        {"Authorization", basic("other")},
		"no base64":       {"Authorization", "Basic ###"},
		"another scheme":  {"Authorization", "Digest " + s.Secret},
		"signature":       {signature, mac("other", body)},
		"signature other": {signature, mac(s.Secret, body+" ")},
		"old signature":   {signature, mac(s.Secret, old+":"+body), timestamp, old},
		"no hex":          {signature, "zz"},
	} {
		require.Equal(t, http.StatusUnauthorized, s.post(t, body, headers...).Status, name)
	}
	require.Empty(t, a.all(t))
	require.Zero(t, a.Count(t, `SELECT count(*) FROM intake_payloads`))
	shown := s.shown(t)
	require.NotNil(t, shown.RefusedAt)
	require.Contains(t, shown.RefusedWhy, "not known")
	require.NotContains(t, shown.RefusedWhy, s.Secret)

	for name, headers := range map[string][]string{
		"bearer":          {},
		"basic":           {"Authorization", basic(s.Secret)},
		"signature":       {"Authorization", "", signature, mac(s.Secret, body)},
		"timed signature": {"Authorization", "", signature, mac(s.Secret, now+":"+body), timestamp, now},
	} {
		require.Equal(t, http.StatusOK, s.post(t, body, headers...).Status, name)
	}
	require.Len(t, a.all(t), 1)
}

func TestAWebhookIsSignedAsStandardWebhooksSay(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.source(t, alert.Webhook, a.system(t, "Shop"))
	body := alert.Example(alert.Webhook)
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(s.Secret, "whsec_"))
	require.NoError(t, err)
	headers := func(at time.Time, body string) []string {
		seconds := strconv.FormatInt(at.Unix(), 10)
		sum := hmac.New(sha256.New, key)
		sum.Write([]byte("msg_1." + seconds + "." + body))
		return []string{
			"Authorization", "", "Webhook-Id", "msg_1", "Webhook-Timestamp", seconds,
			"Webhook-Signature", "v1,AAAA v1," + base64.StdEncoding.EncodeToString(sum.Sum(nil)),
		}
	}
	s.post(t, body, headers(time.Now().Add(-time.Hour), body)...).Refused(t, problem.Unauthorized)
	s.post(t, body, headers(time.Now(), body+" ")...).Refused(t, problem.Unauthorized)
	require.Equal(t, http.StatusOK, s.post(t, body, headers(time.Now(), body)...).Status)
	require.Equal(t, incident.Major, a.only(t).Severity, "the label severity is error")
}

func TestASecretIsReplacedWithoutAGap(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.source(t, alert.Alertmanager, a.system(t, "Shop"))
	path := sources + "/" + s.ID.String() + "/rotate"
	body := alert.Example(alert.Alertmanager)
	rotated := apitest.Decode[intake.CreatedSource](t, a.Do(t, "ada", http.MethodPost, path, object{}))
	require.NotEqual(t, s.Secret, rotated.Secret)
	require.Empty(t, rotated.URL, "the address stays")
	require.NotNil(t, rotated.FormerUntil)
	require.Equal(t, http.StatusOK, s.post(t, body).Status, "the secret before counts too")
	require.Equal(t, http.StatusOK, s.post(t, body, "Authorization", "Bearer "+rotated.Secret).Status)
	last := apitest.Decode[intake.CreatedSource](t, a.Do(t, "ada", http.MethodPost, path, object{"atOnce": true, "address": true}))
	s.post(t, body).Refused(t, problem.NotFound)
	s.URL = last.URL
	for _, secret := range []string{s.Secret, rotated.Secret} {
		s.post(t, body, "Authorization", "Bearer "+secret).Refused(t, problem.Unauthorized)
	}
	require.Equal(t, http.StatusOK, s.post(t, body, "Authorization", "Bearer "+last.Secret).Status)
	for _, secret := range []string{s.Secret, last.Secret} {
		require.Zero(t, a.Count(t, `SELECT count(*) FROM intake_sources WHERE position($1::bytea IN keys_sealed) > 0`, []byte(secret)))
	}
	newest, err := a.keys.Rotate()
	require.NoError(t, err)
	sealed := intake.New(intake.Options{DB: a.DB, Sealer: newest}).Sealed()[0]
	n, err := sealed.Reseal(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
	n, err = sealed.Reseal(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
}

func TestWhatIsNoPayloadIsRefusedWithAReason(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.source(t, alert.Alertmanager, a.system(t, "Shop"))
	body := alert.Example(alert.Alertmanager)
	s.post(t, body, "Content-Type", "text/plain").Refused(t, problem.NotAcceptable)
	s.post(t, body, "Content-Type", "multipart/form-data; boundary=x").Refused(t, problem.NotAcceptable)
	s.post(t, `{"alerts": []}`).Refused(t, problem.Invalid)
	require.Contains(t, s.shown(t).RefusedWhy, "no alerts")
	s.post(t, body+strings.Repeat(" ", alert.MaxBody)).Refused(t, problem.TooLarge)
	a.Do(t, "", http.MethodPost, "/api/alerts/unknown", body).Refused(t, problem.NotFound)
	a.Do(t, "ada", http.MethodPatch, sources+"/"+s.ID.String(), object{"enabled": false})
	s.post(t, body).Refused(t, problem.Forbidden)
	s.post(t, body, "Authorization", "Bearer other").Refused(t, problem.Unauthorized)
	require.Empty(t, a.all(t))
	require.Zero(t, a.Count(t, `SELECT count(*) FROM intake_payloads`))
	a.Do(t, "ada", http.MethodDelete, sources+"/"+s.ID.String(), nil)
	s.post(t, body).Refused(t, problem.NotFound)
}

func TestALateReportDoesNotCountAgainstANewerOne(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.source(t, alert.Alertmanager, a.system(t, "Shop"))
	// A resolve that comes before its firing leaves nothing to open.
	require.Zero(t, s.sends(t, over(s.Kind)...).Opened)
	require.Equal(t, 2, s.sends(t).Late)
	require.Empty(t, a.all(t))
	newer := []string{"2026-01-02T03:04:05.678Z", "2026-02-02T03:04:05.678Z", "2026-01-02T03:05:05.678Z", "2026-02-02T03:05:05.678Z"}
	require.Equal(t, 1, s.sends(t, newer...).Opened)
	require.Equal(t, 2, s.sends(t, over(s.Kind)...).Late)
	require.Equal(t, incident.Investigating, a.only(t).Status, "the resolve is that of an older firing")
	require.Equal(t, 2, s.sends(t).Late)
	require.Equal(t, 1, s.sends(t, append(newer, over(s.Kind)...)...).Resolved)

	// The same firing again is late for five minutes, and then another one: its sender may have lost it for a while.
	require.Equal(t, 2, s.sends(t, newer...).Late)
	a.Exec(t, `UPDATE intake_alerts SET turned_at = turned_at - interval '6 minutes'`)
	require.Equal(t, 1, s.sends(t, newer...).Reopened)
}

func TestAnAlertThatFiresLaterOpensAnotherIncident(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.source(t, alert.Webhook, a.system(t, "Shop"), object{"reopenWithinMinutes": 10})
	const fires, ends = `{"alerts":[{"key":"k","status":"firing","title":"It burns"}]}`, `{"alerts":[{"key":"k","status":"resolved"}]}`
	send := func(body string) intake.Received { return apitest.Decode[intake.Received](t, s.post(t, body)) }
	require.Equal(t, 1, send(fires).Opened)
	require.Equal(t, 1, send(ends).Resolved)
	require.Equal(t, 1, send(fires).Reopened)
	require.Equal(t, 1, send(ends).Resolved)
	a.Exec(t, `UPDATE incidents SET started_at = started_at - interval '1 hour', resolved_at = resolved_at - interval '11 minutes'`)
	require.Equal(t, 1, send(fires).Opened)
	require.Len(t, a.all(t), 2)

	// A person resolves it while it burns: a repeat opens nothing, another firing does.
	last := a.all(t)[0]
	a.Do(t, "ada", http.MethodPost, incidents+"/"+last.ID.String()+"/resolve", object{})
	require.Zero(t, send(fires).Reopened)
	require.Zero(t, send(ends).Resolved)
	require.Equal(t, 1, send(fires).Reopened)

	// An incident that was merged stays merged.
	target := apitest.Decode[incident.Opened](t, a.Do(t, "ada", http.MethodPost, incidents,
		object{"title": "All", "severity": "major", "systemIds": []uuid.UUID{a.system(t, "All")}}))
	a.Do(t, "ada", http.MethodPost, incidents+"/"+last.ID.String()+"/merge", object{"into": target.ID})
	send(ends)
	got := send(fires)
	require.Zero(t, got.Opened+got.Reopened)
	require.Len(t, a.all(t), 3)
}

func TestAnIncidentFollowsTheAlertsOfItsGroup(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop, web := a.system(t, "Shop"), a.system(t, "Web")
	rules := object{
		"systems": []object{{"label": "instance", "value": "web-2:9090", "systemIds": []uuid.UUID{web}}},
		"severities": []object{
			{"label": "severity", "value": "critical", "severity": "critical"},
			{"label": "severity", "value": "warning", "severity": "minor"},
		},
	}
	s := a.source(t, alert.Alertmanager, shop, rules)
	s.sends(t)
	one := a.only(t)
	require.Equal(t, incident.Critical, one.Severity)
	require.Equal(t, "Shop answers with errors and 1 more", one.Title)
	require.Len(t, one.Systems, 2)
	// The critical one ends: what is left is minor.
	first := strings.Replace(alert.Example(s.Kind), `"status": "firing",
      "labels": {"alertname": "HighErrorRate", "service": "shop", "instance": "web-1`, `"status": "resolved",
      "labels": {"alertname": "HighErrorRate", "service": "shop", "instance": "web-1`, 1)
	require.Equal(t, 1, apitest.Decode[intake.Received](t, s.post(t, first)).Updated)
	one = a.only(t)
	require.Equal(t, incident.Minor, one.Severity)
	require.Equal(t, "Shop answers with a few errors", one.Title)
	// Texts of people stay.
	a.Do(t, "ada", http.MethodPatch, incidents+"/"+one.ID.String(), object{"title": "The shop is slow", "severity": "major"})
	s.sends(t, worse(s.Kind)...)
	one = a.only(t)
	require.Equal(t, "The shop is slow", one.Title)
	require.Equal(t, incident.Major, one.Severity)
	require.Contains(t, one.Description, "Worse")

	each := a.source(t, alert.Alertmanager, shop, object{"name": "Each", "groupBy": "alert"})
	require.Equal(t, 2, each.sends(t).Opened)
}

func TestASystemThatIsGoneLeavesTheIncidentToManagers(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	system := a.system(t, "Shop")
	s := a.source(t, alert.Webhook, system)
	a.Do(t, "root", http.MethodDelete, "/api/catalog/systems/"+system.String(), nil)
	require.Equal(t, 1, s.sends(t).Opened, "an alert is never lost")
	require.Empty(t, a.only(t).Systems)
	one := a.only(t)
	a.Do(t, "root", http.MethodDelete, incidents+"/"+one.ID.String(), nil)
	require.Zero(t, a.Count(t, `SELECT count(*) FROM intake_receipts`)+a.Count(t, `SELECT count(*) FROM intake_incidents`))
	require.Zero(t, s.sends(t).Opened, "it still fires, and the incident was deleted")
}

func TestRulesThatWouldDoNothingAreRefused(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	system := a.system(t, "Shop")
	rule := object{"label": "severity", "value": "page", "severity": "critical"}
	for path, in := range map[string]object{
		"groupBy":             input("a", alert.UptimeKuma, system, object{"groupBy": "group"}),
		"topicArn":            input("a", alert.Grafana, system, object{"topicArn": intaketest.TopicARN}),
		"severities[1]":       input("a", alert.Grafana, system, object{"severities": []object{rule, rule}}),
		"severities[0].label": input("a", alert.UptimeKuma, system, object{"severities": []object{rule}}),
		"systems[0].label": input("a", alert.CloudWatch, system, object{
			"systems": []object{{"label": "service", "value": "shop", "systemIds": []uuid.UUID{system}}},
		}),
		"systemIds[0]":            input("a", alert.Grafana, uuid.New()),
		"systemIds":               input("a", alert.Grafana, system, object{"systemIds": []uuid.UUID{}}),
		"systems[0].systemIds[0]": input("a", alert.Grafana, system, object{"systems": []object{{"label": "a", "value": "b", "systemIds": []uuid.UUID{uuid.New()}}}}),
		"teamId":                  input("a", alert.Grafana, system, object{"teamId": uuid.New()}),
	} {
		e := a.Do(t, "ada", http.MethodPost, sources, in).Refused(t, problem.Invalid)
		require.Contains(t, encoded(t, e.Issues), `"`+strings.Split(path, "[")[0], path)
	}
	e := a.Do(t, "ada", http.MethodPost, sources, input("a", alert.CloudWatch, system, object{"topicArn": "arn:aws:sns:x"}))
	e.Refused(t, problem.Invalid)
	require.Zero(t, a.Count(t, `SELECT count(*) FROM intake_sources`))
}

func TestASourceOpensNothingThatWhoSetsItUpMayNot(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop := a.system(t, "Shop")
	a.Person("setter", "catalog.system.read", intake.Manage)
	a.Person("blind", intake.Manage, incident.Manage)
	member := a.Person("member", "catalog.system.read", intake.Read, incident.Manage)
	member.TeamIDs = []uuid.UUID{a.team}
	a.SignIn("member", member)
	a.Do(t, "setter", http.MethodPost, sources, input("s", alert.Grafana, shop)).Refused(t, problem.Forbidden)
	a.Do(t, "blind", http.MethodPost, sources, input("s", alert.Grafana, shop)).Refused(t, problem.Invalid)
	a.Do(t, "reader", http.MethodPost, sources, input("s", alert.Grafana, shop)).Refused(t, problem.Forbidden)
	a.Do(t, "member", http.MethodPost, sources, input("s", alert.Grafana, shop)).Refused(t, problem.Forbidden)
	owned := apitest.Decode[intake.CreatedSource](t, a.Do(t, "member", http.MethodPost, sources,
		input("s", alert.Grafana, shop, object{"teamId": a.team})))
	require.Equal(t, "Shop", owned.TeamName)
	path := sources + "/" + owned.ID.String()
	a.Do(t, "member", http.MethodPatch, path, object{"name": "t"})
	a.Do(t, "reader", http.MethodPatch, path, object{"name": "u"}).Refused(t, problem.Forbidden)
	require.NoError(t, a.module.OnRemoved(t.Context(), "auth.team", a.team))
	a.Do(t, "member", http.MethodPatch, path, object{"name": "v"}).Refused(t, problem.Forbidden)
	read := a.Do(t, "reader", http.MethodGet, path, nil)
	require.NotContains(t, read.Body, owned.Secret)
	require.NotContains(t, read.Body, strings.TrimPrefix(owned.URL, "https://countersign.example.com/api/alerts/"))
	a.Do(t, "outsider", http.MethodGet, path, nil).Refused(t, problem.Forbidden)
}

func TestWhatWasSentIsShownToThoseWhoMaySeeIt(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.source(t, alert.Alertmanager, a.system(t, "Shop"))
	s.sends(t)
	one := a.only(t)
	path := "/api/intake/alerts?incidentId=" + one.ID.String()
	list := apitest.Decode[struct{ Alerts []intake.Alert }](t, a.Do(t, "reader", http.MethodGet, path, nil)).Alerts
	require.Len(t, list, 2)
	require.Equal(t, "web-1:9090", list[1].Labels["instance"])
	a.Do(t, "outsider", http.MethodGet, path, nil).Refused(t, problem.NotFound)
	payloads := sources + "/" + s.ID.String() + "/payloads"
	kept := apitest.Decode[struct{ Payloads []intake.Payload }](t, a.Do(t, "reader", http.MethodGet, payloads, nil)).Payloads
	require.Len(t, kept, 1)
	full := apitest.Decode[intake.FullPayload](t, a.Do(t, "reader", http.MethodGet, payloads+"/"+kept[0].ID.String(), nil))
	require.Equal(t, alert.Example(s.Kind), full.Body)
	a.Do(t, "outsider", http.MethodGet, payloads, nil).Refused(t, problem.Forbidden)

	tried := apitest.Decode[intake.Tried](t, a.Do(t, "reader", http.MethodPost, sources+"/"+s.ID.String()+"/try", object{}))
	require.Len(t, tried.Alerts, 2)
	require.Equal(t, "critical", tried.Alerts[0].Severity)
	require.Equal(t, "Shop", tried.Alerts[0].Systems[0].Name)
	a.Do(t, "reader", http.MethodPost, sources+"/"+s.ID.String()+"/try", object{"payload": "{}"}).Refused(t, problem.Invalid)
	require.Len(t, a.all(t), 1)

	a.Exec(t, `UPDATE intake_payloads SET last_at = last_at - interval '31 days'`)
	require.NoError(t, a.module.Chores()[0].Do(t.Context()))
	a.Do(t, "reader", http.MethodGet, payloads+"/"+kept[0].ID.String(), nil).Refused(t, problem.NotFound)
	require.Equal(t, 2, a.Count(t, `SELECT count(*) FROM intake_alerts`), "alerts that fire are kept")
}

// Each source has limits of its own: one in a loop holds up no other, and a wrong sender does not hold up the right one.
func TestASourceThatSendsTooMuchIsHeldBack(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.source(t, alert.Grafana, a.system(t, "Shop"))
	other := a.source(t, alert.Alertmanager, a.system(t, "Other"))
	for range 30 {
		s.post(t, "{}", "Authorization", "Bearer wrong").Refused(t, problem.Unauthorized)
	}
	answer := s.post(t, "{}", "Authorization", "Bearer wrong")
	answer.Refused(t, problem.Throttled)
	require.NotEmpty(t, answer.Header.Get("Retry-After"))

	var sending sync.WaitGroup
	var accepted, held atomic.Int64
	body := alert.Example(alert.Grafana)
	for range 8 {
		sending.Go(func() {
			for range 20 {
				switch answer := s.post(t, body); answer.Status {
				case http.StatusOK:
					accepted.Add(1)
				case http.StatusTooManyRequests:
					if answer.Header.Get("Retry-After") == "1" {
						held.Add(1)
					}
				}
			}
		})
	}
	sending.Wait()
	require.GreaterOrEqual(t, accepted.Load(), int64(120))
	require.Equal(t, int64(160), accepted.Load()+held.Load())
	require.Positive(t, held.Load())
	require.Contains(t, s.shown(t).RefusedWhy, "sends too much")
	require.Equal(t, 1, other.sends(t).Opened)
}
