package chat

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTasksOfChatProgramsAreKnownByTheirShape(t *testing.T) {
	t.Parallel()
	user := func(text string) []sentMessage { return []sentMessage{{role: "user", text: text}} }
	system := func(text string) []sentMessage { return []sentMessage{{role: "system", text: text}} }
	tasks := map[string][]sentMessage{
		"title": user(
			"### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.\n### Chat History:\n<chat_history>\nUSER: Hi\n</chat_history>",
		),
		"title, bare": user("### Task: Generate a concise, 3-5 word title ..."),
		"tags": user(
			"### Task:\nGenerate 1-3 broad tags categorizing the main themes of the chat history.\n<chat_history>\nx</chat_history>",
		),
		"next": user(
			"### Task:\nSuggest 3-5 relevant follow-up questions or prompts.\n### Chat History:\n<chat_history>x</chat_history>",
		),
		"search": user(
			"### Task:\nAnalyze the chat history to determine the necessity of generating search queries.\n<chat_history>x</chat_history>",
		),
		"picture": user("### Task:\nGenerate a detailed prompt for am image generation task.\n<chat_history>x</chat_history>"),
		"completion": user(
			"### Task:\nYou are an autocompletion system. Continue the text in `<text>`.\n<type>General</type>\n<text>The pay</text>",
		),
		"emoji": user(
			"Your task is to reflect the speaker's likely facial expression through a fitting emoji. Message: \"\"\"Hi\"\"\"",
		),
		"LibreChat": system(
			"Please generate a concise, 5-word-or-less title for the conversation, using its same language.\n\n||>User:\n\"Hi\"\n||>Response:\n\"Hello\"",
		),
		"LibreChat 2": user(
			"Provide a concise, 5-word-or-less title for the conversation, using title case conventions. Only return the title itself.\n\nConversation:\nUser: Hi",
		),
		"of the system": system("generate a title ... User: Hi Response: Hello"),
		"German title": user(
			"### Aufgabe:\nErzeuge einen prägnanten Titel mit 3-5 Wörtern.\n### Chatverlauf:\n<chat_history>\nUSER: Hallo\nASSISTANT: Guten Tag\n</chat_history>",
		),
		"Chinese title": user("### 任务：\n生成一个简洁的标题\n<chat_history>\nUSER: 你好\n</chat_history>"),
		"own tags":      user("Answer tags of the chat below as JSON.\r\n<chat_history>\r\nUSER: Hi\r\n</chat_history>"),
		"own title":     user("Gib dem Gespräch einen kurzen Titel.\n\nUser: Hallo\nAI: Guten Tag"),
		"Spanish title": system("Genera un título conciso para la conversación.\n\n||>User:\n\"Hola\"\n||>Response:\n\"Hola\""),
		"Russian title": user("Придумай короткий заголовок.\n\nUser: a\nAI: b"),
		"two messages":  append(system("Summarize the conversation into a title of at most 10 words."), user("user: Hi\nassistant: Hello")...),
		"early title": user(
			"Here is the query:\nHi\n\nCreate a concise, 3-5 word phrase as a title for the previous query. RESPOND ONLY WITH THE TITLE TEXT.",
		),
		"early LibreChat": system(
			"Detect user language and write in the same language an extremely concise title for this conversation.\n\n||>User:\n\"Hi\"\n||>Response:\n\"Hello\"\n||>Title:",
		),
		"analysis":       user("Analyze this conversation and provide:\n1. The detected language\n2. A concise title\n\nUser: a\nAI: b"),
		"several models": user("You have been provided with a set of responses from various models to the latest user query: \"Hi\""),
	}
	for name, sent := range tasks {
		require.NotEmpty(t, taskOf(sent, false), name)
		require.Empty(t, taskOf(sent, true), name)
	}
	require.NotEmpty(t, taskOf(append(system("You are helpful."), tasks["title"]...), false))
	for name, sent := range map[string][]sentMessage{
		"documents":     user("### Task:\nRespond to the user query using the provided context.\n<context>x</context>\nwhat is slow?"),
		"documents 2":   user("### Task: Respond using context ... what is slow?"),
		"of a person":   user("Create a maintenance window with the title \"Database\" for this evening"),
		"of a person 2": user("Write a title for the incident of last night"),
		"instructions":  system("Obey"),
		"a quoted chat": user("Here is what the customer wrote:\nUser: it is down\nAI: since when?\nWhich system is that?"),
		"a persona":     append(system("You give each incident a title. The user decides."), user("Which systems are down?")...),
		"under way":     append(append(user("Hi"), sentMessage{role: "assistant", text: "Hello"}), tasks["title"]...),
	} {
		require.Empty(t, taskOf(sent, false), name)
	}
}
