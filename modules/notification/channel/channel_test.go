package channel_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/egress"
	"countersign/internal/notice"
	"countersign/modules/notification/channel"
	"countersign/modules/notification/channel/channeltest"
)

// Texts of users mention nobody, link nowhere and format nothing in a chat.
func TestChatsGetForeignTextAsPlainText(t *testing.T) {
	t.Parallel()
	receiver := channeltest.NewReceiver(t)
	policy, err := egress.ParsePolicy("127.0.0.0/8")
	require.NoError(t, err)
	guard := egress.New(egress.Options{Policy: policy})
	sender := channel.Sender{
		Client: guard.Client(5 * time.Second), Dial: guard.DialContext, Base: "https://countersign.example.com", Timeout: 5 * time.Second,
	}
	message := channel.Message{Part: channel.Part{
		Delivery: uuid.New(), Phase: notice.Problem, Urgent: true, Facts: notice.Facts{
			Title: "<!channel> *down*", Text: "@everyone @channel <@U123> [here](javascript:alert(1))\u202e", Path: "/incidents/1",
			Severity: notice.Critical,
		},
	}}
	sent := map[channel.Kind]map[string]any{}
	for _, kind := range []channel.Kind{channel.Slack, channel.Discord, channel.Teams, channel.Ntfy} {
		outcome := sender.Send(t.Context(), kind, channel.Config{URL: receiver.URL + "/topic", Token: "secret"}, channel.Settings{}, message)
		require.Equal(t, channel.Sent, outcome.Result, outcome.Reason)
		posts := receiver.Posts()
		last := posts[len(posts)-1]
		var body map[string]any
		require.NoError(t, json.Unmarshal(last.Body, &body))
		sent[kind] = body
		require.NotContains(t, string(last.Body), "\u202e", kind)
		require.Equal(t, kind == channel.Ntfy, last.Header.Get("Authorization") == "Bearer secret", kind)
	}
	slack, ok := sent[channel.Slack]["text"].(string)
	require.True(t, ok)
	require.NotContains(t, slack, "<!channel>")
	require.NotContains(t, slack, "<@U123>")
	require.NotContains(t, slack, "@channel")
	require.NotContains(t, slack, "](")
	require.Contains(t, slack, "<https://countersign.example.com/incidents/1|Open>")
	require.Equal(t, map[string]any{"parse": []any{}}, sent[channel.Discord]["allowed_mentions"])
	require.Equal(t, "topic", sent[channel.Ntfy]["topic"])
	require.InDelta(t, 5, sent[channel.Ntfy]["priority"], 0)
}

func TestAnAddressIsNoSecondHeader(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"a@b.c\r\nBcc: d@e.f", "a@b.c,d@e.f", "Ada <a@b.c>", "a b@c.d", "@", "", "a@b.c\x00", `"a"@b.c`,
	} {
		_, ok := channel.Address(bad)
		require.False(t, ok, "%q", bad)
	}
	address, ok := channel.Address("ada@example.com")
	require.True(t, ok)
	require.Equal(t, "ada@example.com", address)
}

// Two keys sign while one replaces the other.
func TestAReplacedKeySignsForAWhile(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	later, earlier := now.Add(time.Hour), now.Add(-time.Hour)
	fresh, old := channel.Key{Secret: []byte("new")}, channel.Key{Secret: []byte("old"), Until: &later}
	both := channel.Sign([]channel.Key{fresh, old}, "id", now, []byte("{}"))
	require.Equal(
		t,
		channel.Sign([]channel.Key{fresh}, "id", now, []byte("{}"))+" "+channel.Sign([]channel.Key{old}, "id", now, []byte("{}")),
		both,
	)
	old.Until = &earlier
	require.Equal(t, channel.Sign([]channel.Key{fresh}, "id", now, []byte("{}")),
		channel.Sign([]channel.Key{fresh, old}, "id", now, []byte("{}")))
}
