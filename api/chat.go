package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/assistant"
	"countersign/conversation"
	"countersign/crash"
	"countersign/principal"
	"countersign/problem"
	"countersign/stream"
	"countersign/tool/proposal"
	"countersign/turn"
)

const (
	maxMessageChars = 32_000
	maxChatBody     = 256 << 10
	maxMessageID    = 128
)

// TurnEngine starts and stops the workflows of turns.
type TurnEngine interface {
	StartTurnOf(ctx context.Context, id uuid.UUID, set turn.Settings) error
	StopTurn(ctx context.Context, id uuid.UUID) error
}

// Chat serves the event streams of turns. The server keeps a turn's message before it answers, so a client that loses
// the connection, or the whole process, finds the turn again.
type Chat struct {
	Conversations *conversation.Service
	Connections   conversation.Connections
	Turns         *turn.Store
	Proposals     *proposal.Service
	Hub           *stream.Hub
	Engine        TurnEngine
	Log           *slog.Logger
	// Admit refuses a turn that the connection's spend cap does not allow.
	Admit func(ctx context.Context, p principal.Principal, connection uuid.UUID) error
	// Begin makes the first model call ahead of the workflow; nil in a process that runs no turns.
	Begin func(id uuid.UUID)
}

// Mount adds the routes.
func (h *Chat) Mount(e *echo.Echo) {
	e.POST("/api/ai/chat", h.post)
	e.GET("/api/ai/chat/:id/stream", h.resume)
	e.POST("/api/ai/chat/:id/stop", h.stop)
}

// chatRequest is a message or a decision.
type chatRequest struct {
	ConversationID uuid.UUID     `json:"conversationId"`
	MessageID      string        `json:"messageId"`
	Message        messageText   `json:"message"`
	ConnectionID   *uuid.UUID    `json:"connectionId"`
	Model          string        `json:"model"`
	TimeZone       string        `json:"timeZone"`
	SkillID        string        `json:"skillId"`
	Decision       *chatDecision `json:"decision"`
}

type chatDecision struct {
	Token      string        `json:"token"`
	ProposalID *uuid.UUID    `json:"proposalId"`
	Kind       turn.Decision `json:"kind"`
}

// messageText is a plain string, or a UIMessage of which the text parts count.
type messageText struct {
	ID   string
	Text string
}

// UnmarshalJSON takes either form.
func (m *messageText) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &m.Text)
	}
	var ui struct {
		ID    string        `json:"id"`
		Parts []stream.Part `json:"parts"`
	}
	if err := json.Unmarshal(data, &ui); err != nil {
		return err
	}
	m.ID = ui.ID
	for _, p := range ui.Parts {
		if p.Type == "text" && p.Text != nil {
			m.Text += *p.Text
		}
	}
	return nil
}

func (h *Chat) post(c echo.Context) error {
	ctx := c.Request().Context()
	p, err := h.authorize(ctx)
	if err != nil {
		return err
	}
	in, err := readChatRequest(c.Request())
	if err != nil {
		return err
	}
	conv, err := h.Conversations.Get(ctx, p, in.ConversationID)
	if err != nil {
		return err
	}
	if conv.ArchivedAt != nil {
		return problem.Errorf(problem.Conflict, "This conversation is archived. Start a new one.")
	}
	if in.Decision != nil {
		return h.decision(c, p, conv, *in.Decision)
	}
	return h.message(c, p, conv, in)
}

func (h *Chat) authorize(ctx context.Context) (principal.Principal, error) {
	p := principal.FromContext(ctx)
	if p.IsZero() {
		return p, RequireSignIn()
	}
	if missing := p.Missing(ChatRule); len(missing) > 0 {
		return p, problem.MissingRule("Chat with the assistant", missing...)
	}
	return person(ctx)
}

// message accepts a person's message once and streams the turn that answers it.
func (h *Chat) message(c echo.Context, p principal.Principal, conv conversation.Conversation, in chatRequest) error {
	ctx := c.Request().Context()
	connection, model := in.ConnectionID, in.Model
	if connection == nil {
		connection = conv.ConnectionID
	}
	if model == "" && conv.Model != nil {
		model = *conv.Model
	}
	connectionID, model, err := h.Connections.Settle(ctx, connection, model)
	if err != nil {
		return err
	}
	if err := h.Admit(ctx, p, connectionID); err != nil {
		// A message that was accepted before the cap was reached keeps its answer.
		if t, known, findErr := h.Turns.OfMessage(ctx, conv.ID, in.MessageID); findErr == nil && known {
			return h.run(c, t, turn.Settings{}, false)
		}
		return err
	}
	set := turn.Settings{
		ConversationID: conv.ID, Principal: p, ConnectionID: connectionID, Model: model,
		PermissionMode: conv.PermissionMode, TimeZone: validZone(in.TimeZone),
	}
	crash.Point("chat.before-accept", conv.ID)
	t, created, err := h.Turns.AcceptMessage(ctx, set, turn.Message{
		ID: in.MessageID, Text: in.Message.Text, Title: assistant.HeuristicTitle(in.Message.Text),
	})
	if err != nil {
		return err
	}
	return h.run(c, t, set, created)
}

// decision streams the turn in which the model acknowledges what was decided about a proposal.
func (h *Chat) decision(c echo.Context, p principal.Principal, conv conversation.Conversation, d chatDecision) error {
	ctx := c.Request().Context()
	id, err := d.proposal()
	if err != nil {
		return err
	}
	card, err := h.Proposals.Get(ctx, p, id)
	if err != nil {
		return err
	}
	if card.ConversationID == nil || *card.ConversationID != conv.ID {
		return problem.Errorf(problem.Conflict, "This proposal was not made in this conversation.")
	}
	if err := checkDecision(card, d.Kind); err != nil {
		return err
	}
	set, err := h.Turns.SettingsOf(ctx, *card.TurnID)
	if err != nil {
		return err
	}
	set.Principal = p
	crash.Point("chat.before-decision", id)
	t, created, err := h.Turns.AcceptDecision(ctx, set, id, d.Kind)
	if err != nil {
		return err
	}
	return h.run(c, t, set, created)
}

func (d chatDecision) proposal() (uuid.UUID, error) {
	if d.Kind != turn.Apply && d.Kind != turn.Decline {
		return uuid.Nil, problem.InvalidInput("The decision must say what was decided.", problem.Issue{Path: "decision.kind", Message: `must be "apply" or "decline"`})
	}
	if d.ProposalID != nil {
		return *d.ProposalID, nil
	}
	id, _, ok := proposal.ParseToken(d.Token)
	if !ok {
		return uuid.Nil, problem.InvalidInput("The decision must name its proposal.", problem.Issue{Path: "decision.proposalId", Message: "is required, or a token"})
	}
	return id, nil
}

// checkDecision refuses to let the model acknowledge what has not happened.
func checkDecision(card proposal.Card, kind turn.Decision) error {
	claimed := proposal.Applied
	if kind == turn.Decline {
		claimed = proposal.Declined
	}
	if card.Status == claimed {
		return nil
	}
	return problem.Errorf(problem.Conflict, "The proposal is %s, not %s, so there is nothing to acknowledge.", card.Status, claimed).
		With("proposalStatus", card.Status)
}

// run starts an accepted turn and follows it. A turn that does not start now is started by the reconciler.
func (h *Chat) run(c echo.Context, t turn.Turn, set turn.Settings, created bool) error {
	ctx := c.Request().Context()
	if t.Status.Final() {
		return h.finished(c, t)
	}
	reader := h.Hub.Follow(t.ID)
	defer reader.Close()
	if created {
		crash.Point("chat.after-accept", t.ID)
		started := h.start(context.WithoutCancel(ctx), t.ID, set)
		defer func() { <-started }()
	}
	return h.follow(c, t, reader, 0)
}

// start sets the turn going beside the stream, so that the client has its first bytes at once.
func (h *Chat) start(ctx context.Context, id uuid.UUID, set turn.Settings) <-chan struct{} {
	if h.Begin != nil {
		h.Begin(id)
	}
	started := make(chan struct{})
	go func() {
		defer close(started)
		if err := h.Engine.StartTurnOf(ctx, id, set); err != nil {
			h.Log.Warn("Turn did not start at once", "turn", id, "error", err)
		}
		crash.Point("chat.after-start", id)
	}()
	return started
}

func (h *Chat) follow(c echo.Context, t turn.Turn, reader *stream.Reader, since int64) error {
	err := stream.ServeSSE(c.Request().Context(), c.Response(), reader, &stream.Replay{Since: since}, t.AssistantMessageID, t.Metadata())
	if err != nil && c.Request().Context().Err() == nil {
		h.Log.Warn("Stream ended early", "turn", t.ID, "error", err)
	}
	return nil
}

// finished replays a turn that is over, from its stored message.
func (h *Chat) finished(c echo.Context, t turn.Turn) error {
	m, err := h.Conversations.Message(c.Request().Context(), t.ConversationID, t.AssistantMessageID)
	if err != nil {
		return err
	}
	return stream.ServeMessage(c.Response(), m)
}

// resume follows the turn that runs in the conversation: from its beginning, or after Last-Event-ID.
func (h *Chat) resume(c echo.Context) error {
	ctx := c.Request().Context()
	conv, err := h.owned(c)
	if err != nil {
		return err
	}
	t, ok, err := h.Turns.Active(ctx, conv.ID)
	if err != nil {
		return err
	}
	if !ok {
		return c.NoContent(http.StatusNoContent)
	}
	since, err := strconv.ParseInt(c.Request().Header.Get("Last-Event-ID"), 10, 64)
	if err != nil {
		since = 0
	}
	reader := h.Hub.Follow(t.ID)
	defer reader.Close()
	return h.follow(c, t, reader, max(since, 0))
}

// stop asks for the end of the running turn: its model call ends at once, and what it has said is kept.
func (h *Chat) stop(c echo.Context) error {
	ctx := c.Request().Context()
	conv, err := h.owned(c)
	if err != nil {
		return err
	}
	id, ok, err := h.Turns.RequestStop(ctx, conv.ID)
	if err != nil {
		return err
	}
	if !ok {
		return c.JSON(http.StatusOK, map[string]any{"stopping": false})
	}
	crash.Point("stop.after-request", id)
	if err := h.Engine.StopTurn(ctx, id); err != nil {
		h.Log.Warn("Turn was not signalled to stop", "turn", id, "error", err)
	}
	crash.Point("stop.after-signal", id)
	return c.JSON(http.StatusAccepted, map[string]any{"stopping": true, "turnId": id})
}

func (h *Chat) owned(c echo.Context) (conversation.Conversation, error) {
	ctx := c.Request().Context()
	p, err := h.authorize(ctx)
	if err != nil {
		return conversation.Conversation{}, err
	}
	id, err := uuid.Parse(c.Param("id"))
	if err != nil {
		return conversation.Conversation{}, problem.Errorf(problem.NotFound, "There is no such conversation.")
	}
	return h.Conversations.Get(ctx, p, id)
}

func readChatRequest(r *http.Request) (chatRequest, error) {
	var in chatRequest
	body, err := io.ReadAll(io.LimitReader(r.Body, maxChatBody+1))
	if err != nil {
		return in, problem.Errorf(problem.NotAcceptable, "The request body could not be read.")
	}
	if len(body) > maxChatBody {
		return in, problem.Errorf(problem.TooLarge, "The request body is larger than %d KB. Send a shorter message.", maxChatBody>>10)
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&in); err != nil {
		return in, problem.InvalidInput("The request is not valid: " + decodeError(err) + ".")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return in, problem.InvalidInput("The request is not valid: there is text after the JSON object.")
	}
	return in, in.check()
}

// decodeError says what is wrong in the words of JSON, not of Go.
func decodeError(err error) string {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return strings.TrimSpace(e.Field + " cannot be a JSON " + e.Value)
	}
	if _, ok := errors.AsType[*json.SyntaxError](err); ok || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "it is not JSON"
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

func (in *chatRequest) check() error {
	var issues []problem.Issue
	add := func(path, message string) { issues = append(issues, problem.Issue{Path: path, Message: message}) }
	if in.ConversationID == uuid.Nil {
		add("conversationId", "is required; POST /api/ai/conversations makes one")
	}
	if in.SkillID != "" {
		add("skillId", "this server has no skills")
	}
	if in.Decision == nil {
		if in.MessageID == "" {
			in.MessageID = in.Message.ID
		}
		if in.MessageID == "" || len(in.MessageID) > maxMessageID || strings.ContainsFunc(in.MessageID, func(r rune) bool { return r <= ' ' || r > '~' }) {
			add("messageId", "must have 1 to 128 printable ASCII characters; it makes a repeated request the same turn")
		}
		in.Message.Text = strings.TrimSpace(stream.Clean(in.Message.Text))
		if n := utf8.RuneCountInString(in.Message.Text); n == 0 || n > maxMessageChars {
			add("message", "must have 1 to "+strconv.Itoa(maxMessageChars)+" characters")
		}
	} else if in.Message.Text != "" || in.MessageID != "" {
		add("decision", "cannot come together with a message")
	}
	if len(issues) > 0 {
		return problem.InvalidInput("The request is not valid: "+issues[0].Path+" "+issues[0].Message+".", issues...)
	}
	return nil
}

// validZone keeps an IANA time zone that this process knows; anything else is as if none was sent.
func validZone(name string) string {
	if name == "" || name == "Local" || len(name) > 64 {
		return ""
	}
	if _, err := time.LoadLocation(name); err != nil {
		return ""
	}
	return name
}
