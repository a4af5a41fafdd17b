package alert_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"countersign/modules/intake/alert"
)

func parse(t *testing.T, kind alert.Kind, change ...string) alert.Payload {
	t.Helper()
	p, err := alert.Parse(kind, []byte(strings.NewReplacer(change...).Replace(alert.Example(kind))))
	require.NoError(t, err)
	return p
}

func TestTheExampleOfEachKindIsRead(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 678000000, time.UTC)
	for _, c := range []struct {
		kind         alert.Kind
		title        string
		label, value string
		at           time.Time
	}{
		{alert.Alertmanager, "Shop answers with errors", "service", "shop", at},
		{alert.Grafana, "The disk of db-1 is almost full", "host", "db-1", at.Truncate(time.Second)},
		{alert.UptimeKuma, "Shop page is down", "tag.service", "shop", at},
		{alert.CloudWatch, "shop-5xx", "dimension.LoadBalancer", "app/shop/50dc6c495c0c9188", at},
		{alert.Webhook, "The backup of db-1 has failed", "severity", "error", at.Truncate(time.Second)},
	} {
		a := parse(t, c.kind).Alerts[0]
		require.Equal(t, c.title, a.Title, c.kind)
		require.Equal(t, c.value, a.Labels[c.label], c.kind)
		require.Equal(t, c.at, a.At, c.kind)
		require.True(t, a.Firing, c.kind)
		require.Equal(t, c.kind.Groups(), a.Group != "", c.kind)
	}
	require.Len(t, alert.Kinds(), 5)
}

func TestTheEndOfAnAlertIsRead(t *testing.T) {
	t.Parallel()
	end := time.Date(2026, 1, 2, 3, 14, 5, 678000000, time.UTC)
	for kind, change := range map[alert.Kind][]string{
		alert.Alertmanager: {`"status": "firing"`, `"status": "resolved"`, "0001-01-01T00:00:00Z", "2026-01-02T03:14:05.678Z"},
		alert.Grafana:      {`"status": "firing"`, `"status": "resolved"`, "0001-01-01T00:00:00Z", "2026-01-02T03:14:05.678Z"},
		alert.UptimeKuma:   {`"status": 0`, `"status": 1`, "03:04:05.678", "03:14:05.678"},
		alert.CloudWatch:   {`"ALARM"`, `"OK"`, "03:04:05.678", "03:14:05.678"},
		alert.Webhook:      {`"status": "firing"`, `"status": "resolved", "endedAt": "2026-01-02T03:14:05.678Z"`},
	} {
		for _, a := range parse(t, kind, change...).Alerts {
			require.False(t, a.Firing, kind)
			require.Equal(t, end, a.EndedAt, kind)
		}
	}
}

func TestWhatIsNoAlertHasANote(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind alert.Kind
		body string
	}{
		{alert.UptimeKuma, `{"heartbeat": null, "monitor": null, "msg": "Uptime Kuma Webhook Testing"}`},
		{alert.UptimeKuma, `{"heartbeat": {"status": 3, "time": "2026-01-02 03:04:05"}, "monitor": {"id": 1, "name": "Shop"}, "msg": ""}`},
		{alert.CloudWatch, "A message of another sender on the topic"},
		{alert.CloudWatch, `{"source": "aws.ec2"}`},
		{alert.CloudWatch, strings.Replace(alert.Example(alert.CloudWatch), `"ALARM"`, `"INSUFFICIENT_DATA"`, 1)},
	} {
		p, err := alert.Parse(c.kind, []byte(c.body))
		require.NoError(t, err, c.body)
		require.Empty(t, p.Alerts, c.body)
		require.NotEmpty(t, p.Note, c.body)
	}
}

func TestAPayloadThatCannotBeUnderstoodIsRefused(t *testing.T) {
	t.Parallel()
	many := `{"alerts": [` + strings.Repeat(`{"key": "%d", "status": "firing", "title": "x"},`, alert.MaxAlerts+1)
	n := 0
	for strings.Contains(many, "%d") {
		many = strings.Replace(many, "%d", fmt.Sprint(n), 1)
		n++
	}
	many = strings.TrimSuffix(many, ",") + `]}`
	for body, want := range map[string]string{
		``: "cannot be read", `[]`: "form", `null`: "no ", `{"alerts": [`: "cannot be read", `{"alerts": []}`: "no alerts",
		`{"alerts": [], "alerts": [{}]}`:                            "cannot be read",
		`{"alerts": [{"status": "melting"}]}`:                       "firing or resolved",
		"{\"alerts\": \"\xff\"}":                                    "UTF-8",
		strings.Repeat(`{"a":`, 40) + `1` + strings.Repeat(`}`, 40): "levels deep",
	} {
		for _, kind := range []alert.Kind{alert.Alertmanager, alert.Grafana, alert.Webhook} {
			_, err := alert.Parse(kind, []byte(body))
			require.Error(t, err, body)
			encoded, _ := json.Marshal(err)
			require.Contains(t, err.Error()+string(encoded), want, body)
		}
	}
	_, err := alert.Parse(alert.Webhook, []byte(many))
	require.ErrorContains(t, err, "501 alerts")
	_, err = alert.Parse(alert.UptimeKuma, []byte(`{"heartbeat": {"status": 0, "time": "yesterday"}, "monitor": {"id": 1}}`))
	require.Error(t, err)
}

func TestTextsOfAlertsAreBoundedAndShowWhatTheyHold(t *testing.T) {
	t.Parallel()
	a := parse(t, alert.Webhook, "The backup of db-1 has failed", "Evil\u202etitle\\u0000\\n<script>"+strings.Repeat("x", 500),
		"https://backup.example.com/jobs/db-1", "javascript:alert(1)").Alerts[0]
	require.Len(t, []rune(a.Title), alert.MaxTitle)
	require.NotContains(t, a.Title, "\u202e")
	require.NotContains(t, a.Title, "\n")
	require.Empty(t, a.URL)
}

func TestAlertsOfOneKeyAreOne(t *testing.T) {
	t.Parallel()
	p := parse(t, alert.Alertmanager, "8e5b7c90123f1d6a", "3f1d6a8e5b7c9012")
	require.Len(t, p.Alerts, 1)
	p = parse(
		t,
		alert.Alertmanager,
		`"fingerprint": "3f1d6a8e5b7c9012"`,
		`"fingerprint": ""`,
		`"fingerprint": "8e5b7c90123f1d6a"`,
		`"fingerprint": ""`,
	)
	require.Len(t, p.Alerts, 2, "labels tell them apart")
}

// check requires what holds for each payload that is taken.
func check(t *testing.T, p alert.Payload, err error) {
	t.Helper()
	if err != nil {
		return
	}
	if len(p.Alerts) > alert.MaxAlerts || len(p.Alerts) == 0 && p.Note == "" {
		t.Fatalf("%d alerts and the note %q", len(p.Alerts), p.Note)
	}
	for _, a := range p.Alerts {
		texts := []string{a.Title, a.Description, a.URL}
		for name, value := range a.Labels {
			texts = append(texts, name, value)
		}
		if len(a.Labels) > alert.MaxLabels || a.Key == "" {
			t.Fatalf("%+v", a)
		}
		for _, one := range texts {
			if strings.ContainsFunc(one, unicode.IsControl) || len([]rune(one)) > 1000 {
				t.Fatalf("%q", one)
			}
		}
	}
}

func fuzz(f *testing.F, kind alert.Kind, more ...string) {
	f.Helper()
	f.Add([]byte(alert.Example(kind)))
	for _, one := range more {
		f.Add([]byte(one))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		p, err := alert.Parse(kind, body)
		check(t, p, err)
	})
}

func FuzzAlertmanager(f *testing.F) {
	fuzz(f, alert.Alertmanager, `{"alerts":[{"status":"resolved","labels":{"":""}}]}`)
}
func FuzzGrafana(f *testing.F)    { fuzz(f, alert.Grafana, `{"alerts":[],"version":"1"}`) }
func FuzzUptimeKuma(f *testing.F) { fuzz(f, alert.UptimeKuma, `{"heartbeat":null,"msg":"x"}`) }
func FuzzCloudWatch(f *testing.F) { fuzz(f, alert.CloudWatch, `{"AlarmName":"x"}`, `x`) }
func FuzzWebhook(f *testing.F) {
	fuzz(f, alert.Webhook, `{"alerts":[{"key":"a","status":"resolved"}]}`)
}
