package chat

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/chat/turn"
	"countersign/internal/principal"
	"countersign/internal/problem"
)

// Task is a background prompt of a chat program: a title, tags, follow-up questions.
type Task struct {
	Prompt string
	// Tokens bounds the answer.
	Tokens       int
	ConnectionID uuid.UUID
	Model        string
}

// TaskAnswer is the model's answer to a task.
type TaskAnswer struct {
	// ID is that of the model call in the ledger.
	ID   uuid.UUID
	Text string
	// Cut reports that the answer ended at the token limit.
	Cut   bool
	Usage turn.Usage
}

// taskTokens bounds the answer to a task.
const taskTokens = 1_000

// taskPrompts match the beginnings of background prompts that Open WebUI and LibreChat send by default. Open WebUI's
// template for documents begins alike, and is a message of the person.
var taskPrompts = []*regexp.Regexp{
	// Open WebUI: titles, tags, follow-up questions, search queries, image prompts, completions, the emoji of a call.
	regexp.MustCompile(`(?is)^\s*###\s*Task:\s*(?:Generate|Suggest|Create|Analy[sz]e|Determine|` +
		`You are an autocompletion)\b.*<(?:chat_history|type|text)>`),
	regexp.MustCompile(`(?is)^\s*###\s*Task:\s*(?:Generate (?:a )?(?:concise|[0-9]+-[0-9]+)|Suggest [0-9]+|You are an autocompletion)\b`),
	regexp.MustCompile(`(?is)^\s*Your task is to reflect the speaker.s likely facial expression through a fitting emoji\b`),
	// LibreChat: titles.
	regexp.MustCompile(`(?is)^\s*(?:Please )?(?:generate|provide|write|create) a concise\b[^\n]{0,80}` +
		`\btitle for (?:the|this)\b[^\n]{0,20}\bconversation\b.*\b(?:user|human|conversation)\W{0,4}:`),
	regexp.MustCompile(`(?is)^\s*Analyze this conversation and provide\b.*\btitle\b`),
	// Prompts that administrators have translated: the chat stands in Open WebUI's element, or in LibreChat's form
	// after the word title.
	regexp.MustCompile(`(?is)\S.*<chat_history>.*</chat_history>`),
	regexp.MustCompile(`(?is)^.{0,400}` + titleWord + `.*\n[|> ]*User:.*\n[|> ]*(?:AI|Assistant|Response):`),
	// Earlier versions of Open WebUI: the title of a query, and one answer merged from several.
	regexp.MustCompile(`(?is)\bas a title for the (?:previous query|chat history)\b.*\bRESPOND ONLY WITH THE TITLE\b`),
	regexp.MustCompile(`(?is)^\s*You have been provided with a set of responses from various models to the latest user query\b`),
}

// titleWord matches the word "title" in the languages of the prompts.
const titleWord = `(?:\b(?:title|titel|titre|t[íi]tulo|titolo|tytu[łl]|titul|rubrik|otsikko|tittel|başlık|cím|naslov|judul)|titlu|заголов|назв|τίτλο|标题|標題|タイトル|題名|제목|عنوان|כותרת|शीर्षक)`

var (
	// titlePrompt matches a title prompt in a system message that contains the conversation, without a user message.
	titlePrompt = regexp.MustCompile(`(?is)` + titleWord + `.*\b(?:user|human|response|assistant|ai|conversation)\b`)
	// choicePrompt matches Open WebUI's tool choice prompt, with the query in the user message.
	choicePrompt = regexp.MustCompile(`(?is)^\s*Available Tools:.*\bchoose and return the correct tool`)
	queryPrompt  = regexp.MustCompile(`(?is)^\s*Query: `)
	// chatText matches a user message that is a chat transcript, and titleInstructions the instructions that ask for
	// its title.
	chatText          = regexp.MustCompile(`(?is)^[|> ]*user:.*\n[|> ]*(?:AI|Assistant|Response):`)
	titleInstructions = regexp.MustCompile(`(?i)` + titleWord)
)

// taskOf returns the background prompt of a request, "" for any other request: a known prompt alone, not streamed and
// without tools. Only its shape identifies it, so a task gets nothing beyond a plain model call.
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
		// The prompt may be in the instructions, and the chat alone in the message.
		if chosen || titleInstructions.MatchString(instructions) && chatText.MatchString(user[0]) {
			return instructions + "\n\n" + user[0]
		}
	}
	return ""
}

func isTask(prompt string) bool {
	return slices.ContainsFunc(taskPrompts, func(known *regexp.Regexp) bool { return known.MatchString(prompt) })
}

// task answers a background prompt by one small model call: no turn, no tools, nothing stored in a conversation.
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
	answer.open(c, turn.Turn{ID: said.ID, CreatedAt: time.Now()})
	answer.setText(said.Text, reason, said.Usage)
	return answer.end(c)
}

// Tasks answers a task for p.
type Tasks func(ctx context.Context, p principal.Principal, t Task) (TaskAnswer, error)
