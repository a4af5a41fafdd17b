package intake_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/modules/intake"
	"countersign/modules/intake/alert"
	"countersign/modules/intake/intaketest"
)

func TestASubscriptionToATopicIsConfirmedAtAWSAlone(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.source(t, alert.CloudWatch, a.system(t, "Shop"))
	require.Empty(t, s.Secret, "AWS signs")
	for _, elsewhere := range []string{
		"https://sns.eu-central-1.amazonaws.com.example.com/", "http://sns.eu-central-1.amazonaws.com/", "https://127.0.0.1/",
		"https://sns.us-east-1.amazonaws.com/", "https://sns.eu-central-1.amazonaws.com:8443/", "https://me@sns.eu-central-1.amazonaws.com/",
	} {
		s.post(t, a.aws.Message(t, "SubscriptionConfirmation", "Confirm", "SubscribeURL", elsewhere)).Refused(t, problem.Unauthorized)
	}
	for _, asked := range a.aws.Requests() {
		require.Equal(t, intaketest.CertURL, asked)
	}
	require.Nil(t, s.shown(t).ConfirmedAt)
	// SNS sends its JSON as text.
	text := []string{"Content-Type", "text/plain; charset=UTF-8"}
	got := apitest.Decode[intake.Received](t, s.post(t, a.aws.Message(t, "SubscriptionConfirmation", "Confirm"), text...))
	require.Contains(t, got.Detail, "confirmed")
	require.Contains(t, a.aws.Requests(), intaketest.Host+"/?Action=ConfirmSubscription&Token=token")
	require.NotNil(t, s.shown(t).ConfirmedAt)
}

func TestAMessageThatAWSHasNotSignedForTheTopicIsRefused(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.source(t, alert.CloudWatch, a.system(t, "Shop"))
	alarm := alert.Example(alert.CloudWatch)
	right := a.aws.Notification(t, alarm)
	for name, body := range map[string]string{
		"another topic":       a.aws.Notification(t, alarm, "TopicArn", "arn:aws:sns:eu-central-1:999999999999:alarms"),
		"another certificate": a.aws.Notification(t, alarm, "SigningCertURL", "https://example.com/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem"),
		"another path":        a.aws.Notification(t, alarm, "SigningCertURL", intaketest.Host+"/cert.pem"),
		"another message":     strings.Replace(right, "shop-5xx", "shop-6xx", 1),
		"another version":     a.aws.Notification(t, alarm, "SignatureVersion", "3"),
		"no message":          `{}`,
		"no JSON":             `hello`,
	} {
		require.Equal(t, http.StatusUnauthorized, s.post(t, body).Status, name)
	}
	require.Empty(t, a.all(t))
	require.Zero(t, a.Count(t, `SELECT count(*) FROM intake_payloads`))
	a.aws.GoAway(true)
	other := a.source(t, alert.CloudWatch, a.system(t, "Other"), object{"name": "Other"})
	require.Equal(t, http.StatusOK, other.post(t, right).Status, "the certificate is known")
	a.aws.GoAway(false)
}

// certAt is the address of another certificate.
func certAt(n int) string {
	return fmt.Sprintf("%s/SimpleNotificationService-%032x.pem", intaketest.Host, n)
}

// A source that names certificates without end, or slow ones, has one request to AWS at a time, and not without end.
func TestSlowCertificatesOfOneSourceHoldUpNoOther(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	slow := a.source(t, alert.CloudWatch, a.system(t, "Shop"))
	other := a.source(t, alert.CloudWatch, a.system(t, "Other"), object{"name": "Other"})
	release := a.aws.Hang()
	naming := func(n int) string {
		return a.aws.Notification(t, alert.Example(alert.CloudWatch), "SigningCertURL", certAt(n))
	}
	first := naming(0)
	var waiting sync.WaitGroup
	for range 2 {
		// Those for the same address share it.
		waiting.Go(func() { slow.post(t, first).Refused(t, problem.Unauthorized) })
	}
	require.Eventually(t, func() bool { return len(a.aws.Requests()) == 1 }, 30*time.Second, 10*time.Millisecond)
	for n := 1; n < 6; n++ {
		answer := slow.post(t, naming(n))
		answer.Refused(t, problem.Throttled)
		require.NotEmpty(t, answer.Header.Get("Retry-After"))
	}
	require.Equal(t, 1, other.sends(t).Opened)
	require.Equal(t, []string{certAt(0), intaketest.CertURL}, a.aws.Requests())
	release()
	waiting.Wait()

	throttled := 0
	for n := range 20 {
		if slow.post(t, naming(10+n)).Status == http.StatusTooManyRequests {
			throttled++
		}
	}
	require.Equal(t, 11, throttled, "ten certificates of a source in a row")
	require.Len(t, a.aws.Requests(), 11)
	require.Equal(t, 1, slow.sends(t, "shop-5xx", "shop-6xx").Opened, "the certificate of AWS is known")
}

func TestAMessageIsSentAgainWhileAWSIsAway(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.source(t, alert.CloudWatch, a.system(t, "Shop"))
	a.aws.GoAway(true)
	s.post(t, a.aws.Notification(t, alert.Example(alert.CloudWatch))).Refused(t, problem.Unavailable)
	require.Nil(t, s.shown(t).RefusedAt, "it is none of the sender's faults")
	a.aws.GoAway(false)
	require.Equal(t, 1, s.sends(t).Opened)
}
