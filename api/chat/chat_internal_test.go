package chat

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
)

const aConversation = "0199aa00-0000-7000-8000-000000000001"

func read(body string) (chatRequest, error) {
	return readChatRequest([]byte(body))
}

func TestAChatRequestIsAMessageOrADecision(t *testing.T) {
	t.Parallel()
	in, err := read(`{"conversationId":"` + aConversation + `","messageId":"m1","message":"  Hello\u0000 \n","timeZone":"Europe/Berlin"}`)
	require.NoError(t, err)
	require.Equal(t, uuid.MustParse(aConversation), in.ConversationID)
	require.Equal(t, "Hello", in.Message.Text)

	in, err = read(
		`{"conversationId":"` + aConversation + `","message":{"id":"ui-1","role":"user","metadata":{"x":1},"parts":[{"type":"text","text":"Hel"},{"type":"file","url":"x"},{"type":"text","text":"lo"}]}}`,
	)
	require.NoError(t, err)
	require.Equal(t, "Hello", in.Message.Text)
	require.Equal(t, "ui-1", in.MessageID)

	in, err = read(`{"conversationId":"` + aConversation + `","decision":{"proposalId":"` + aConversation + `","kind":"apply"}}`)
	require.NoError(t, err)
	require.NotNil(t, in.Decision)
}

func TestWhatIsNotAChatRequestIsExplained(t *testing.T) {
	t.Parallel()
	valid := func(rest string) string {
		return `{"conversationId":"` + aConversation + `","messageId":"m1",` + rest + `}`
	}
	for body, want := range map[string]struct {
		code problem.Code
		path string
	}{
		"":                               {problem.Invalid, ""},
		"null":                           {problem.Invalid, "conversationId"},
		"[]":                             {problem.Invalid, ""},
		`"text"`:                         {problem.Invalid, ""},
		`{"conversationId"`:              {problem.Invalid, ""},
		`{}`:                             {problem.Invalid, "conversationId"},
		`{"conversationId":"x"}`:         {problem.Invalid, ""},
		`{"conversationId":1}`:           {problem.Invalid, ""},
		valid(`"message":1`):             {problem.Invalid, ""},
		valid(`"message":" \n "`):        {problem.Invalid, "message"},
		valid(`"message":{"parts":"x"}`): {problem.Invalid, ""},
		valid(`"message":"` + strings.Repeat("é", maxMessageChars+1) + `"`):                                        {problem.Invalid, "message"},
		valid(`"message":"hi","skillId":"` + strings.Repeat("s", maxSkillID+1) + `"`):                              {problem.Invalid, "skillId"},
		valid(`"message":"hi","extra":1`):                                                                          {problem.Invalid, ""},
		valid(`"message":"hi","decision":{"kind":"apply"}`):                                                        {problem.Invalid, "decision"},
		valid(`"message":"hi"`) + ` {}`:                                                                            {problem.Invalid, ""},
		`{"conversationId":"` + aConversation + `","message":"hi"}`:                                                {problem.Invalid, "messageId"},
		`{"conversationId":"` + aConversation + `","messageId":"two words","message":"hi"}`:                        {problem.Invalid, "messageId"},
		`{"conversationId":"` + aConversation + `","messageId":"` + strings.Repeat("m", 129) + `","message":"hi"}`: {problem.Invalid, "messageId"},
		strings.Repeat(" ", maxChatBody+1):                                                                         {problem.TooLarge, ""},
	} {
		_, err := read(body)
		name := body[:min(len(body), 90)]
		require.Equal(t, want.code, problem.CodeOf(err), name)
		e := problem.As(err)
		if want.path != "" {
			require.Equal(t, want.path, e.Issues[0].Path, name)
		}
		requireShowable(t, e)
	}
}

// requireShowable checks that a message is a sentence without the names of Go's types.
func requireShowable(t *testing.T, e *problem.Error) {
	t.Helper()
	require.Regexp(t, `^[A-Z](?s:.*)\.$`, e.Detail)
	for _, internal := range []string{"uuid.", "api.", "Go struct", "Go value", "chatRequest", "json:"} {
		require.NotContains(t, e.Detail, internal)
	}
}

func FuzzReadChatRequest(f *testing.F) {
	f.Add(`{"conversationId":"` + aConversation + `","messageId":"m1","message":"Hello","model":"x","connectionId":"` + aConversation + `"}`)
	f.Add(`{"conversationId":"` + aConversation + `","message":{"id":"m","parts":[{"type":"text","text":"Hi"}]}}`)
	f.Add(`{"conversationId":"` + aConversation + `","decision":{"token":"propose:x","kind":"decline"}}`)
	f.Add(`{"conversationId":"` + aConversation + `","messageId":"m1","message":"\u0000\ud800"}`)
	f.Add(`{"conversationId":[[[[1]]]]}`)
	f.Fuzz(func(t *testing.T, body string) {
		in, err := read(body)
		if err != nil {
			require.Contains(t, []problem.Code{problem.Invalid, problem.TooLarge}, problem.CodeOf(err))
			requireShowable(t, problem.As(err))
			return
		}
		require.NotEqual(t, uuid.Nil, in.ConversationID)
		if in.Decision != nil {
			require.Empty(t, in.Message.Text)
			return
		}
		require.Regexp(t, `^[!-~]{1,128}$`, in.MessageID)
		n := utf8.RuneCountInString(in.Message.Text)
		require.True(t, n >= 1 && n <= maxMessageChars)
		require.NotContains(t, in.Message.Text, "\x00")
		require.True(t, utf8.ValidString(in.Message.Text))
	})
}

func TestAZoneThatIsNoneIsAsIfNoneWasSent(t *testing.T) {
	t.Parallel()
	require.Equal(t, "Europe/Berlin", validZone("Europe/Berlin"))
	for _, name := range []string{"", "Local", "Mars/Olympus", "../../etc/passwd", "/etc/passwd", strings.Repeat("x", 65), "Europe/Berlin\x00"} {
		require.Empty(t, validZone(name), name)
	}
}
