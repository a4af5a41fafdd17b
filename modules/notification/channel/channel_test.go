package channel_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

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
			Title:    "<!channel> *down*",
			Text:     "@everyone @channel <@U123> [here](javascript:alert(1))\u202e https://evil.example",
			Path:     "/incidents/1",
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
	require.NotContains(t, slack, "https://evil", "chats make links of addresses")
	require.Contains(t, slack, "<https://countersign.example.com/incidents/1|Open>")
	require.Equal(t, map[string]any{"parse": []any{}}, sent[channel.Discord]["allowed_mentions"])
	require.Equal(t, "topic", sent[channel.Ntfy]["topic"])
	require.InDelta(t, 5, sent[channel.Ntfy]["priority"], 0)
}

// Discord refuses messages with more than 6,000 characters in all embeds together, and fields without a value.
func TestALongMessageFitsIntoDiscord(t *testing.T) {
	t.Parallel()
	receiver := channeltest.NewReceiver(t)
	policy, err := egress.ParsePolicy("127.0.0.0/8")
	require.NoError(t, err)
	sender := channel.Sender{
		Client: egress.New(
			egress.Options{Policy: policy},
		).Client(
			5 * time.Second,
		),
		Base:    "https://countersign.example.com",
		Timeout: 5 * time.Second,
	}
	part := func() channel.Part {
		return channel.Part{Delivery: uuid.New(), Phase: notice.Problem, Facts: notice.Facts{
			Title: "**Down**", Text: strings.Repeat("*_😀", 1000), Fields: []notice.Field{
				{Label: "Systems", Value: ""}, {Label: "", Value: "major"}, {Label: "Since", Value: "  "}, {Label: "Status", Value: "open"},
			},
		}}
	}
	message := channel.Message{Part: part()}
	for range 19 {
		message.Also = append(message.Also, part())
	}
	outcome := sender.Send(t.Context(), channel.Discord, channel.Config{URL: receiver.URL}, channel.Settings{}, message)
	require.Equal(t, channel.Sent, outcome.Result, outcome.Reason)
	var body struct {
		Content string
		Embeds  []struct {
			Title, Description string
			Fields             []struct{ Name, Value string }
		}
	}
	require.NoError(t, json.Unmarshal(receiver.Posts()[0].Body, &body))
	total := 0
	for _, e := range body.Embeds {
		texts := []string{e.Title, e.Description}
		for _, f := range e.Fields {
			require.Equal(t, "Status", f.Name)
			texts = append(texts, f.Name, f.Value)
		}
		for _, text := range texts {
			total += len(utf16.Encode([]rune(text)))
		}
	}
	require.Greater(t, len(body.Embeds[0].Description), 1000)
	require.Len(t, body.Embeds[0].Fields, 1)
	require.InDelta(t, 4500, total, 1500)
	require.Equal(t, fmt.Sprintf("And %d more.", 20-len(body.Embeds)), body.Content)
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
