package app_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// says is what a program sends with a chat token, in the conversation with this name, and the conversation.
func says(t *testing.T, program *apptest.Client, name, text string) uuid.UUID {
	t.Helper()
	answer := program.Post(t, "/v1/chat/completions", map[string]any{
		"model": "countersign", "messages": []any{map[string]any{"role": "user", "content": text}},
	}, nil, apptest.Header{Name: "Countersign-Conversation", Value: name})
	return uuid.MustParse(answer.Header.Get("Countersign-Conversation"))
}

// What a program has sent in the name of its person may come from a page that it has read. In auto mode nothing is done
// because of it without a click, in whatever client the conversation goes on.
func TestWhatAProgramSaysIsNotItsPersonsWord(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	ada := p.Person(t, p.Role(t, "catalog.system.read", "catalog.system.manage"))
	program := p.Bearer(ada.ID, newChatToken(t, ada).Token)
	own := ada.Conversation(t, apptest.Settings{"permissionMode": "auto"})
	own.Perform(t, `tool=catalog.createSystem input={"name":"Wanted"} text=Done.`).Card(t, "applied")

	begun := says(t, program, "desk", `script: text="Noted."`)
	ada.Patch(t, "/api/ai/conversations/"+begun.String(), map[string]any{"permissionMode": "auto"}, nil)
	require.Equal(t, own.ID, says(t, program, own.ID.String(), `script: text="Noted."`))
	for _, chat := range []*apptest.Conversation{ada.Known(begun), own} {
		held := outsideOf(t, ada, chat.ID).Outside
		require.Len(t, held, 1)
		require.Equal(t, "program", held[0].Kind)
		require.Equal(t, "Editor", held[0].Source)
		card := chat.Perform(t, `tool=catalog.createSystem input={"name":"Evil"} text=Done.`).Card(t, "proposal")
		require.Contains(t, card.WhyConfirm, "content from outside")
		require.Equal(t, []string{"Wanted"}, names(t, p.Admin))

		// Its person can say that they have seen it; the program cannot.
		through := map[string]any{"through": held[0].Seq}
		require.Equal(t, http.StatusUnauthorized, program.Call(t, http.MethodPost, acceptPath(chat.ID), through).Status)
		ada.Post(t, acceptPath(chat.ID), through, nil)
		require.Empty(t, outsideOf(t, ada, chat.ID).Outside)
	}
	own.Perform(t, `tool=catalog.createSystem input={"name":"Wanted too"} text=Done.`).Card(t, "applied")
	says(t, program, own.ID.String(), `script: text="Noted again."`)
	require.Len(t, outsideOf(t, ada, own.ID).Outside, 1, "what it sends after that counts again")
}
