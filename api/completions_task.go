package api

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/chat/turn"
	"countersign/principal"
	"countersign/problem"
)

// Task is what a chat program asks a model for its own sake: a title, tags, next questions.
type Task struct {
	Prompt string
	// Tokens bounds the answer.
	Tokens       int
	ConnectionID uuid.UUID
	Model        string
}

// TaskAnswer is what the model has said to it.
type TaskAnswer struct {
	// ID is that of the model call in the ledger.
	ID   uuid.UUID
	Text string
	// Cut says that the answer ended at its bound.
	Cut   bool
	Usage turn.Usage
}

// taskTokens bounds the answer to a task.
const taskTokens = 1_000

// taskPrompts are how the messages begin that Open WebUI and LibreChat send beside a chat, by their default prompts.
// Open WebUI's template for documents begins alike, and is a message of the person.
var taskPrompts = []*regexp.Regexp{
	// Open WebUI: titles, tags, next questions, search queries, prompts for pictures, completions, the emoji of a call.
	regexp.MustCompile(`(?is)^\s*###\s*Task:\s*(?:Generate|Suggest|Create|Analy[sz]e|Determine|` +
		`You are an autocompletion)\b.*<(?:chat_history|type|text)>`),
	regexp.MustCompile(`(?is)^\s*###\s*Task:\s*(?:Generate (?:a )?(?:concise|[0-9]+-[0-9]+)|Suggest [0-9]+|You are an autocompletion)\b`),
	regexp.MustCompile(`(?is)^\s*Your task is to reflect the speaker.s likely facial expression through a fitting emoji\b`),
	// LibreChat: titles.
	regexp.MustCompile(`(?is)^\s*(?:Please )?(?:generate|provide|write|create) a concise\b[^\n]{0,80}` +
		`\btitle for (?:the|this)\b[^\n]{0,20}\bconversation\b.*\b(?:user|human|conversation)\W{0,4}:`),
	regexp.MustCompile(`(?is)^\s*Analyze this conversation and provide\b.*\btitle\b`),
	// Prompts that administrators have written in their language: the chat stands in Open WebUI's element, or in
	// LibreChat's form behind the word title.
	regexp.MustCompile(`(?is)\S.*<chat_history>.*</chat_history>`),
	regexp.MustCompile(`(?is)^.{0,400}` + titleWord + `.*\n[|> ]*User:.*\n[|> ]*(?:AI|Assistant|Response):`),
	// Earlier versions of Open WebUI: the title of a query, and one answer of several.
	regexp.MustCompile(`(?is)\bas a title for the (?:previous query|chat history)\b.*\bRESPOND ONLY WITH THE TITLE\b`),
	regexp.MustCompile(`(?is)^\s*You have been provided with a set of responses from various models to the latest user query\b`),
}

// titleWord is the word in which a prompt asks for a title.
const titleWord = `(?:\b(?:title|titel|titre|t[íi]tulo|titolo|tytu[łl]|titul|rubrik|otsikko|tittel|başlık|cím|naslov|judul)|titlu|заголов|назв|τίτλο|标题|標題|タイトル|題名|제목|عنوان|כותרת|शीर्षक)`

var (
	// titlePrompt is one that stands in a message of the system, with the conversation in it and no message of the person.
	titlePrompt = regexp.MustCompile(`(?is)` + titleWord + `.*\b(?:user|human|response|assistant|ai|conversation)\b`)
	// choicePrompt is that by which Open WebUI has a model choose a tool, for a query in the message of the person.
	choicePrompt = regexp.MustCompile(`(?is)^\s*Available Tools:.*\bchoose and return the correct tool`)
	queryPrompt  = regexp.MustCompile(`(?is)^\s*Query: `)
	// chatText is a message that is a chat, for which titleInstructions ask for a title.
	chatText          = regexp.MustCompile(`(?is)^[|> ]*user:.*\n[|> ]*(?:AI|Assistant|Response):`)
	titleInstructions = regexp.MustCompile(`(?i)` + titleWord)
)

// taskOf is the prompt of a request that a program makes for its own sake, "" for any other: a known prompt that stands
// alone, is not to be streamed and comes without tools. It is recognised by its shape alone, so it gets nothing that a
// model without the product could not say.
func taskOf(sent []sentMessage, interactive bool) string {
	if interactive {
		return ""
	}
	var system, user []string
	for _, m := range sent {
		switch {
		case m.file:
			return ""
		case m.role == "system" || m.role == "developer":
			system = append(system, m.text)
		case m.role == "user":
			user = append(user, m.text)
		default:
			return ""
		}
	}
	instructions := strings.Join(system, "\n\n")
	switch len(user) {
	case 0:
		if titlePrompt.MatchString(instructions) || isTask(instructions) {
			return instructions
		}
	case 1:
		if isTask(user[0]) {
			return user[0]
		}
		chosen := choicePrompt.MatchString(instructions) && queryPrompt.MatchString(user[0])
		// The prompt may stand in the instructions, and the chat alone in the message.
		if chosen || titleInstructions.MatchString(instructions) && chatText.MatchString(user[0]) {
			return instructions + "\n\n" + user[0]
		}
	}
	return ""
}

func isTask(prompt string) bool {
	return slices.ContainsFunc(taskPrompts, func(known *regexp.Regexp) bool { return known.MatchString(prompt) })
}

// task answers what a program asks for its own sake by one small model call: no turn, no tools, nothing that is stored
// in a conversation.
func (h *Completions) task(c echo.Context, p principal.Principal, in completionAsk, answer answerForm) error {
	ctx := c.Request().Context()
	connection, model, err := h.Chat.Admit(ctx, p, nil, "")
	if err != nil {
		return err
	}
	tokens := taskTokens
	if in.limit > 0 {
		tokens = min(tokens, in.limit)
	}
	said, err := h.Tasks(ctx, p, Task{Prompt: in.task, Tokens: tokens, ConnectionID: connection, Model: model})
	if err != nil {
		return err
	}
	if strings.TrimSpace(said.Text) == "" {
		return problem.Errorf(problem.ModelFailed, "The model has said nothing.")
	}
	reason := "stop"
	if said.Cut {
		reason = "length"
	}
	answer.begin(c, turn.Turn{ID: said.ID, CreatedAt: time.Now()})
	answer.tell(said.Text, reason, said.Usage)
	return answer.end(c)
}

// Tasks answers a task for p.
type Tasks func(ctx context.Context, p principal.Principal, t Task) (TaskAnswer, error)
