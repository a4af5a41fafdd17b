package chat

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"countersign/api"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"

	"countersign/chat/conversation"
	"countersign/chat/stream"
	"countersign/chat/turn"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/rest/sse"
)

// AGUI serves agent user interfaces, such as CopilotKit, over the turns of Chat, in the AG-UI protocol.
type AGUI struct {
	Chat *Chat
	Kind ClientKind
}

// Mount adds the route.
func (h *AGUI) Mount(e *echo.Echo) { e.POST("/api/ai/agui", h.run) }

// runInput is AG-UI's RunAgentInput as far as the server reads it. State, context and tools of the page are ignored:
// the assistant has its own. Earlier messages reach the model as data with the first message of a thread.
type runInput struct {
	_ struct{} `additionalProperties:"true"`

	ThreadID string       `json:"threadId" minLength:"1" maxLength:"128" doc:"What the page calls the chat, as id in POST /api/ai/chat"`
	RunID    string       `json:"runId" minLength:"1" maxLength:"128"`
	Messages []runMessage `json:"messages" minItems:"1" doc:"Of which the last one, of the user, is answered. Those before it are told to the assistant as data, in a thread that it does not know"`
}

type runMessage struct {
	_ struct{} `additionalProperties:"true"`

	ID      string `json:"id"`
	Role    string `json:"role"`
	Content any    `json:"content,omitempty" doc:"A text, or a list of parts of type text"`
}

// runRequest is a runInput that can be answered.
type runRequest struct {
	chatRequest

	threadID, runID string
}

func readRun(body []byte) (in runRequest, err error) {
	members, err := membersOf(body)
	if err != nil {
		return in, err
	}
	var issues problem.Issues
	var messages []json.RawMessage
	for name, into := range map[string]any{"threadId": &in.threadID, "runId": &in.runID, "messages": &messages} {
		if err := decodeMember(members[name], into); err != nil {
			issues.Report(name, "cannot be read: %s", decodeError(err))
		}
	}
	for name, id := range map[string]string{"threadId": in.threadID, "runId": in.runID} {
		if !conversation.ClientID(id) {
			issues.Report(name, "must have 1 to %d printable ASCII characters", conversation.MaxClientID)
		}
	}
	if len(messages) == 0 {
		issues.Report("messages", "must hold what the user has written last")
		return in, issues.Err()
	}
	at := fmt.Sprintf("messages[%d]", len(messages)-1)
	last := map[string]json.RawMessage{}
	var role string
	if json.Unmarshal(messages[len(messages)-1], &last) != nil || decodeMember(last["id"], &in.MessageID) != nil ||
		decodeMember(last["role"], &role) != nil ||
		role != "user" {
		issues.Report(at+".role", `must be "user": the last message is what is answered`)
		return in, issues.Err()
	}
	text, other := contentText(last["content"])
	if other {
		issues.Report(at+".content", "holds something else than text, and the assistant reads text alone")
	}
	in.Message.Text = text
	in.history, in.historyClient = clientHistory(messages), aguiClient
	in.checkMessage(&issues, at+".id", at+".content")
	return in, issues.Err()
}

func (h *AGUI) run(c echo.Context) (err error) {
	ctx := c.Request().Context()
	p, err := h.Chat.authorize(ctx)
	if err != nil {
		return err
	}
	body, err := readBody(c.Request(), "Send the last message alone: the server has the history.")
	if err != nil {
		return err
	}
	in, err := readRun(body)
	if err != nil {
		return err
	}
	giveBack, err := h.Chat.takePlace(c, p)
	if err != nil {
		return err
	}
	defer giveBack()
	conv, err := h.Chat.Conversations.ForClient(ctx, p, in.threadID)
	if err != nil {
		return err
	}
	defer func() { h.Chat.withdraw(ctx, p, conv, err) }()
	if err := requireUnarchived(conv); err != nil {
		return err
	}
	set, err := h.Chat.turnSettings(ctx, p, conv, in.chatRequest)
	if err != nil {
		return err
	}
	var a accepted
	err = h.Chat.acceptWhileRunning(c.Request(), p, conv.ID, h.Kind.WhileRunning, func() error {
		a, err = h.Chat.acceptWithHistory(ctx, set, in.chatRequest)
		return err
	})
	if err != nil {
		return err
	}
	c.Response().Header().Set(conversationHeader, conv.ID.String())
	events := &runEvents{in: in, turn: a.Turn, out: sse.Begin(c.Response())}
	events.event("RUN_STARTED", "threadId", in.threadID, "runId", in.runID)
	if err := h.Chat.relay(c, a, events); err != nil {
		h.Chat.streamClosed(c, a, err, h.Kind, turn.Request{})
		return nil // the client has gone, or its session has ended
	}
	return events.end()
}

// runEvents are the events of a run. They are a stream.Sink.
type runEvents struct {
	in   runRequest
	turn turn.Turn
	out  *sse.Writer

	open     string
	images   imageFilter
	metadata turn.MessageMetadata
	// pendingApproval is the latest approval request. The next chunk shows whether it still waits: a replayed run has
	// both the request and its outcome.
	pendingApproval runChunk
	// openCalls are tool calls without a result.
	openCalls []string
}

// runChunk has the members of the chunks that become events.
type runChunk struct {
	textChunk

	ToolCallID string          `json:"toolCallId"`
	ToolName   string          `json:"toolName"`
	Input      json.RawMessage `json:"input"`
	Output     json.RawMessage `json:"output"`
	ErrorText  string          `json:"errorText"`
	ApprovalID string          `json:"approvalId"`
}

func (r *runEvents) event(kind string, members ...any) {
	event := map[string]any{"type": kind}
	for i := 0; i+1 < len(members); i += 2 {
		if name, ok := members[i].(string); ok {
			event[name] = members[i+1]
		}
	}
	// Texts and stored JSON always marshal.
	raw, _ := json.Marshal(event)
	r.out.Event("", "", string(raw))
}

// threadUnique turns an id that is unique in its turn into one that is unique in the thread.
func (r *runEvents) threadUnique(id string) string { return r.turn.AssistantMessageID + "." + id }

// Chunk implements stream.Sink.
func (r *runEvents) Chunk(_, chunk string) {
	var c runChunk
	if json.Unmarshal([]byte(chunk), &c) != nil {
		return
	}
	r.reportPending(c)
	switch c.Type {
	case "text-delta":
		// Failures are sent as RUN_ERROR.
		if c.ID != failurePart && c.Delta != "" {
			r.openMessage(c.ID)
			r.appendText(r.images.push(c.Delta))
		}
	case "text-end", "reset-step", "finish-step":
		r.closeMessage()
	case "tool-input-available":
		r.closeMessage()
		call := r.threadUnique(c.ToolCallID)
		r.event("TOOL_CALL_START", "toolCallId", call, "toolCallName", c.ToolName)
		r.event("TOOL_CALL_ARGS", "toolCallId", call, "delta", string(c.Input))
		r.event("TOOL_CALL_END", "toolCallId", call)
		r.openCalls = append(r.openCalls, c.ToolCallID)
	case "tool-output-available":
		r.result(c.ToolCallID, string(c.Output))
	case "tool-output-error":
		r.result(c.ToolCallID, c.ErrorText)
	case "tool-output-denied":
		r.result(c.ToolCallID, `{"status":"denied"}`)
	case "tool-approval-request":
		r.pendingApproval = c
	case "finish", "message-metadata":
		r.metadata = c.Metadata
	default:
		if name, isOwn := strings.CutPrefix(c.Type, "data-"); isOwn {
			r.closeMessage()
			r.event("CUSTOM", "name", name, "value", c.Data)
		}
	}
}

// reportPending reports a call as waiting for an operator, unless the next chunk is its outcome.
func (r *runEvents) reportPending(next runChunk) {
	pending := r.pendingApproval
	r.pendingApproval = runChunk{}
	if pending.ToolCallID == "" || pending.ToolCallID == next.ToolCallID && strings.HasPrefix(next.Type, "tool-output-") {
		return
	}
	r.result(pending.ToolCallID, `{"status":"awaiting_operator","proposalId":"`+pending.ApprovalID+`"}`)
}

func (r *runEvents) openMessage(part string) {
	if r.open == part {
		return
	}
	r.closeMessage()
	r.open = part
	r.event("TEXT_MESSAGE_START", "messageId", r.threadUnique(part), "role", "assistant")
}

// appendText adds a delta to the open message.
func (r *runEvents) appendText(text string) {
	if text != "" {
		r.event("TEXT_MESSAGE_CONTENT", "messageId", r.threadUnique(r.open), "delta", text)
	}
}

func (r *runEvents) closeMessage() {
	if r.open != "" {
		r.appendText(r.images.flush())
		r.event("TEXT_MESSAGE_END", "messageId", r.threadUnique(r.open))
		r.open = ""
	}
}

func (r *runEvents) result(call, content string) {
	r.openCalls = slices.DeleteFunc(r.openCalls, func(id string) bool { return id == call })
	r.event(
		"TOOL_CALL_RESULT",
		"messageId",
		r.threadUnique(call+".result"),
		"toolCallId",
		r.threadUnique(call),
		"role",
		"tool",
		"content",
		content,
	)
}

// Flush implements stream.Sink.
func (r *runEvents) Flush() error { return r.out.Flush() }

// Ping implements stream.Sink.
func (r *runEvents) Ping() error {
	r.out.Comment("ping")
	return r.out.Flush()
}

func (r *runEvents) end() error {
	r.reportPending(runChunk{})
	r.closeMessage()
	// A finished turn's call without a result belongs to an approved change that is still being applied.
	for len(r.openCalls) > 0 {
		r.result(r.openCalls[0], `{"status":"applying"}`)
	}
	if failed := r.metadata.Error; failed != nil {
		r.event("RUN_ERROR", "message", failed.Message, "code", string(failed.Code))
	} else {
		r.event("RUN_FINISHED", "threadId", r.in.threadID, "runId", r.in.runID)
	}
	return r.out.Flush()
}

// Describe adds the route to the OpenAPI document.
func (h *AGUI) Describe(to huma.API) {
	op := rest.Op(
		"run-agent",
		http.MethodPost,
		"/api/ai/agui",
		"Chat with the assistant as an agent user interface",
		rest.Rules(api.ChatRule),
		rest.SelfIdempotent(),
		rest.Doc(
			"A turn of a conversation, as in POST /api/ai/chat, in the AG-UI protocol. The thread names the conversation, and "+
				"the last message is answered.",
		),
	)
	op.Parameters = []*huma.Param{runningParameter()}
	op.RequestBody = &huma.RequestBody{Required: true, Content: body[runInput](to)}
	op.Responses = map[string]*huma.Response{
		"200": {Description: "The run as it happens", Content: map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{
			Type: huma.TypeString, Description: "Events of AG-UI",
		}}}},
		"default": {
			Description: "A problem document",
			Content:     map[string]*huma.MediaType{"application/problem+json": {Schema: component[problem.Error](to)}},
		},
	}
	to.OpenAPI().AddOperation(&op)
}

var _ stream.Sink = (*runEvents)(nil)
