package app_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/sashabaranov/go-openai"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// Of two programs of one person, neither goes on in what the other has begun by saying the same: it would read there, and take out
// of it, what is none of its business. A header still names any conversation of the person.
func TestAProgramGoesOnInWhatItHasBegunItself(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	ada := p.Person(t)
	editor, other := goClient(p, newChatToken(t, ada).Token), goClient(p, newChatToken(t, ada).Token)
	history := asks(nil, `script: text="One."`)
	_, chat := completed(t, editor, history)
	said := answers(history, "One.")

	t.Log("the other program says all of it, and gets a conversation of its own in which it then goes on")
	_, second := completed(t, other, asks(said, `script: text="Two of the other."`))
	require.NotEqual(t, chat, second)
	require.Len(t, ada.Known(chat).Messages(t), 2)
	_, same := completed(
		t,
		other,
		asks(answers(asks(said, `script: text="Two of the other."`), "Two of the other."), `script: text="Three of the other."`),
	)
	require.Equal(t, second, same)
	_, same = completed(t, editor, asks(said, `script: text="Two."`))
	require.Equal(t, chat, same)
	require.Len(t, ada.Known(chat).Messages(t), 4)

	t.Log("with the header it goes on in a conversation of the person, and only there")
	named := apptest.Header{Name: "Countersign-Conversation", Value: chat.String()}
	body := func(messages []openai.ChatCompletionMessage) map[string]any {
		return map[string]any{"model": "countersign", "messages": messages}
	}
	said = answers(asks(said, `script: text="Two."`), "Two.")
	renewed := p.Bearer(ada.ID, newChatToken(t, ada).Token)
	answer := renewed.Post(t, "/v1/chat/completions", body(asks(said, `script: text="Three, by name."`)), nil, named)
	require.Equal(t, chat.String(), answer.Header.Get("Countersign-Conversation"))
	require.Len(t, ada.Known(chat).Messages(t), 6)
	bob := p.Person(t)
	answer = p.Bearer(bob.ID, newChatToken(t, bob).Token).Post(t, "/v1/chat/completions", body(asks(said, `script: text="Mine."`)), nil, named)
	require.NotEqual(t, chat.String(), answer.Header.Get("Countersign-Conversation"))

	t.Log("what came by another way since is not replaced by who does not know of it")
	_, apart := completed(t, editor, asks(said, `script: text="Three."`))
	require.NotEqual(t, chat, apart)
	require.Len(t, ada.Known(chat).Messages(t), 6)
	require.Contains(t, encode(t, ada.Known(chat).Messages(t)), "Three, by name.")

	t.Log("nor is what the person has written in the app")
	ada.Known(apart).Perform(t, `text="In the app."`)
	before := len(ada.Known(apart).Messages(t))
	_, third := completed(t, editor, asks(answers(asks(said, `script: text="Three."`), "Three."), `script: text="Four."`))
	require.NotEqual(t, apart, third)
	require.Len(t, ada.Known(apart).Messages(t), before)
}

// An application is one program: with a new token it goes on where it was.
func TestAnApplicationGoesOnWithANewToken(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	c := p.Application(t, p.Role(t, "ai.chat.read"))
	history := asks(nil, `script: text="One."`)
	_, chat := completed(t, goClient(p, c.Token()), history)
	var replaced struct{ Token string }
	p.Admin.Post(t, "/api/applications/"+c.ID.String()+"/token", map[string]any{}, &replaced)
	_, same := completed(t, goClient(p, replaced.Token), asks(answers(history, "One."), `script: text="Two."`))
	require.Equal(t, chat, same)
	require.NotEqual(t, uuid.Nil, same)
}
