package chat

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"countersign/chat/turn"
	"countersign/internal/problem"
)

func sdk(messages, rest string) string {
	return `{"id":"chat-1","messages":[` + messages + `],"trigger":"submit-message"` + rest + `}`
}

const said = `{"id":"u1","role":"user","parts":[{"type":"text","text":"Hello"}]}`

func TestWhatAChatOfTheAISDKSendsIsRead(t *testing.T) {
	t.Parallel()
	earlier := `{"id":"a0","role":"assistant","parts":[{"type":"dynamic-tool","output":{"Date":1,"date":2}}]},`
	for body, want := range map[string]struct {
		again *turn.Replacement
	}{
		sdk(said, ""):                            {},
		sdk(earlier+said, ""):                    {},
		`{"id":"chat-1","message":` + said + `}`: {},
		sdk(said, `,"system":"Obey","tools":{"x":{}},"callSettings":{},"config":{},"metadata":null`): {},
		sdk(said, `,"messageId":"u1"`):                                                                 {&turn.Replacement{}},
		`{"id":"chat-1","messages":[` + said + `],"trigger":"regenerate-message"}`:                     {&turn.Replacement{Regenerate: true}},
		`{"id":"chat-1","messages":[` + said + `],"trigger":"regenerate-message","messageId":"msg_1"}`: {&turn.Replacement{Regenerate: true, Answer: "msg_1"}},
	} {
		require.True(t, isClientChat([]byte(body)), body)
		in, err := readClientChat([]byte(body))
		require.NoError(t, err, body)
		require.Equal(t, "chat-1", in.chatID)
		require.Equal(t, "u1", in.MessageID)
		require.Equal(t, "Hello", in.Message.Text)
		require.Equal(t, want.again, in.again, body)
	}
	in, err := readClientChat([]byte(sdk(said, `,"model":"m","timeZone":"Europe/Berlin","skillId":"s","connectionId":"`+aConversation+`"`)))
	require.NoError(t, err)
	require.Equal(
		t,
		"m Europe/Berlin s "+aConversation,
		strings.Join([]string{in.Model, in.TimeZone, in.SkillID, in.ConnectionID.String()}, " "),
	)
}

func TestOurOwnRequestsAreNoneOfTheAISDK(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "null", "[]", `"x"`, "{}", `{"conversationId":"x","id":"y"}`, `{"message":"hi"}`, `{"decision":{}}`} {
		require.False(t, isClientChat([]byte(body)), body)
	}
}

func TestWhatNoVersionOfTheAISDKSendsIsExplained(t *testing.T) {
	t.Parallel()
	for body, path := range map[string]string{
		`{"id":"chat-1"}`: "messages", `{"id":"chat-1","messages":[]}`: "messages", `{"id":"chat-1","messages":{}}`: "messages",
		`{"messages":[` + said + `]}`: "id", `{"id":"two words","messages":[` + said + `]}`: "id", `{"id":7,"messages":[` + said + `]}`: "id",
		`{"id":"` + strings.Repeat("x", 129) + `","messages":[` + said + `]}`:                                                            "id",
		`{"id":"chat-1","messages":[` + said + `],"trigger":"resume-stream"}`:                                                            "trigger",
		sdk(`{"id":"u1","role":"user","content":"Hello"}`, ""):                                                                           "messages[0].parts",
		sdk(said+`,{"id":"u2","role":"user","content":"Hello"}`, ""):                                                                     "messages[1].parts",
		sdk(`{"id":"u1","role":"assistant","parts":[]}`, ""):                                                                             "messages[0].role",
		sdk(`{"id":"u1","role":"system","parts":[]}`, ""):                                                                                "messages[0].role",
		sdk(`{"id":"u1","role":"user","parts":[]}`, ""):                                                                                  "messages[0].parts",
		sdk(`{"id":"u1","role":"user","parts":"Hello"}`, ""):                                                                             "messages[0]",
		sdk(`{"role":"user","parts":[{"type":"text","text":"x"}]}`, ""):                                                                  "messages[0].id",
		sdk(`{"id":"u1","role":"user","parts":[{"type":"file","mediaType":"text/plain","url":"data:"},{"type":"text","text":"x"}]}`, ""): "messages[0].parts[0]",
		sdk(said, `,"connectionId":"x"`):                                                                                                 "connectionId", sdk(said, `,"messageId":7`): "messageId",
		sdk(said, `,"skillId":"`+strings.Repeat("s", maxSkillID+1)+`"`): "skillId",
	} {
		require.True(t, isClientChat([]byte(body)), body)
		_, err := readClientChat([]byte(body))
		require.Equal(t, problem.Invalid, problem.CodeOf(err), body)
		e := problem.As(err)
		requireShowable(t, e)
		require.NotEmpty(t, e.Issues, body)
		require.Equal(t, path, e.Issues[0].Path, body)
	}
	for _, twice := range []string{
		`{"id":"chat-1","id":"chat-2","messages":[` + said + `]}`, sdk(`{"id":"u1","role":"user","parts":[{"type":"text","text":"a","Text":"b"}]}`, ""),
	} {
		_, err := readClientChat([]byte(twice))
		require.Equal(t, problem.Invalid, problem.CodeOf(err), twice)
	}
}

func FuzzReadClientChat(f *testing.F) {
	f.Add(sdk(said, ""))
	f.Add(`{"id":"chat-1","message":` + said + `,"trigger":"regenerate-message","messageId":"m"}`)
	f.Add(sdk(`{"id":"u1","role":"user","content":"Hello"}`, `,"model":1`))
	f.Add(`{"id":"\u0000","messages":[null]}`)
	f.Fuzz(func(t *testing.T, body string) {
		if !isClientChat([]byte(body)) {
			return
		}
		in, err := readClientChat([]byte(body))
		if err != nil {
			require.Equal(t, problem.Invalid, problem.CodeOf(err))
			requireShowable(t, problem.As(err))
			return
		}
		require.Regexp(t, `^[!-~]{1,128}$`, in.chatID)
		require.Regexp(t, `^[!-~]{1,128}$`, in.MessageID)
		n := utf8.RuneCountInString(in.Message.Text)
		require.True(t, n >= 1 && n <= maxMessageChars)
		require.True(t, utf8.ValidString(in.Message.Text))
	})
}
