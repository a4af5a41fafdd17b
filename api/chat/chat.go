// Package chat serves turns to the web app and to clients of the AI SDK, AG-UI and OpenAI protocols, and conversations.
package chat

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"countersign/api"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/chat/assistant"
	"countersign/chat/conversation"
	"countersign/chat/stream"
	"countersign/chat/turn"
	"countersign/internal/crash"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest/sse"
	"countersign/internal/store"
	"countersign/internal/store/quota"
	"countersign/tool/proposal"
)

// TurnEngine starts and stops the workflows of turns.
type TurnEngine interface {
	StartTurnOf(ctx context.Context, id uuid.UUID, set turn.Settings) error
	StopTurn(ctx context.Context, id uuid.UUID) error
}

// Skills finds the skill that a person chose; problem.NotFound, Invalid or Forbidden otherwise.
type Skills interface {
	Active(ctx context.Context, p principal.Principal, id string) (assistant.Skill, error)
}

// Chat serves the event streams of turns. The message of a turn is stored before the response, so a client can resume
// after a lost connection or a crash of the process.
type Chat struct {
	DB            *store.DB
	Conversations *conversation.Service
	Turns         *turn.Store
	Proposals     *proposal.Service
	Hub           *stream.Hub
	Engine        TurnEngine
	Skills        Skills
	Log           *slog.Logger
	// Quota limits the open streams of a person to Streams. Principals reloads the person at each Heartbeat, to end
	// the stream with the session.
	Quota      *quota.Limiter
	Streams    quota.Kind
	Principals api.Principals
	Heartbeat  time.Duration
	// Admit resolves connection and model as conversation.Connections.Settle does, and refuses a turn over the
	// connection's spend cap.
	Admit func(ctx context.Context, p principal.Principal, connection *uuid.UUID, model string) (uuid.UUID, string, error)
	// Prefetch starts to load the context of a turn with these settings while the turn is accepted with the returned
	// settings. startModelCall makes its first model call ahead of the workflow, after acceptance. Nil in a process
	// that runs no turns.
	Prefetch func(ctx context.Context, set turn.Settings) (own turn.Settings, startModelCall func(ctx context.Context, id uuid.UUID))
}

// accepted is an accepted turn whose answer is to be streamed.
type accepted struct {
	turn.Turn

	settings turn.Settings
	// created is false for a turn of an earlier request, which is not started again.
	created bool
	// counted reports that the turn's row already counts the stream of this request.
	counted        bool
	startModelCall func(ctx context.Context, id uuid.UUID)
}

// acceptWithPrefetch accepts a turn while its context is loaded.
func (h *Chat) acceptWithPrefetch(
	ctx context.Context,
	set turn.Settings,
	accept func(set turn.Settings) (turn.Turn, bool, error),
) (accepted, error) {
	a := accepted{settings: set}
	if h.Prefetch != nil {
		a.settings, a.startModelCall = h.Prefetch(ctx, set)
	}
	var err error
	a.Turn, a.created, err = accept(a.settings)
	return a, err
}

// Mount adds the routes.
func (h *Chat) Mount(e *echo.Echo) {
	e.POST("/api/ai/chat", h.post)
	e.GET("/api/ai/chat/:id/stream", h.resume)
	e.POST("/api/ai/chat/:id/stop", h.stop)
}

func (h *Chat) post(c echo.Context) (err error) {
	ctx := c.Request().Context()
	p, err := h.authorize(ctx)
	if err != nil {
		return err
	}
	request, conv, err := h.readRequest(c.Request(), p)
	if err != nil {
		return err
	}
	defer func() { h.withdraw(ctx, p, conv, err) }()
	if err := requireUnarchived(conv); err != nil {
		return err
	}
	giveBack, err := h.takePlace(c, p)
	if err != nil {
		return err
	}
	defer giveBack()
	c.Response().Header().Set(conversationHeader, conv.ID.String())
	switch in := request.chatRequest; {
	case len(request.approvals) > 0:
		return h.approve(c, p, conv, request)
	case in.Decision != nil:
		return h.postDecision(c, p, conv, *in.Decision)
	default:
		return h.postMessage(c, p, conv, in)
	}
}

// withdraw deletes a conversation that was created for a refused message. During a database outage nothing was refused,
// and waiting again would double the client's delay: a retry finds the conversation.
func (h *Chat) withdraw(ctx context.Context, p principal.Principal, conv conversation.Conversation, refusal error) {
	if refusal == nil || store.Unavailable(refusal) {
		return
	}
	if err := h.Conversations.Withdraw(context.WithoutCancel(ctx), p, conv); err != nil {
		h.Log.Warn("Empty conversation not deleted", "conversation", conv.ID, "error", err)
	}
}

// conversationHeader tells a client that names conversations itself the server's id.
const conversationHeader = "Countersign-Conversation"

// readRequest decodes a request of either form and loads its conversation.
func (h *Chat) readRequest(r *http.Request, p principal.Principal) (in clientRequest, conv conversation.Conversation, err error) {
	body, err := readBody(r, "Send the last message alone: the server has the history.")
	if err != nil {
		return in, conv, err
	}
	if !isClientChat(body) {
		if in.chatRequest, err = readChatRequest(body); err == nil {
			conv, err = h.Conversations.Get(r.Context(), p, in.ConversationID)
		}
		return in, conv, err
	}
	if in, err = readClientChat(body); err != nil {
		return in, conv, err
	}
	if len(in.approvals) > 0 {
		conv, err = h.Conversations.Find(r.Context(), p, in.chatID)
	} else {
		conv, err = h.Conversations.ForClient(r.Context(), p, in.chatID)
	}
	return in, conv, err
}

func (h *Chat) authorize(ctx context.Context) (principal.Principal, error) {
	if p, err := mayChat(ctx); err != nil {
		return p, err
	}
	return person(ctx)
}

// mayChat returns the caller if they have the rule to chat.
func mayChat(ctx context.Context) (principal.Principal, error) {
	p := principal.FromContext(ctx)
	if p.IsZero() {
		return p, api.RequireSignIn()
	}
	if missing := p.Missing(api.ChatRule); len(missing) > 0 {
		return p, problem.MissingRule("Chat with the assistant", missing...)
	}
	return p, nil
}

// postMessage accepts a person's message once (idempotent by message id) and streams the turn that answers it.
func (h *Chat) postMessage(c echo.Context, p principal.Principal, conv conversation.Conversation, in chatRequest) error {
	ctx := c.Request().Context()
	set, err := h.turnSettings(ctx, p, conv, in)
	if err != nil {
		// A message accepted before the spend cap was reached keeps its answer. A regeneration has none yet.
		if t, known, findErr := h.Turns.OfMessage(ctx, conv.ID, in.MessageID); findErr == nil && known && in.again == nil {
			return h.serveTurn(c, accepted{Turn: t})
		}
		return err
	}
	crash.Point("chat.before-accept", conv.ID)
	busy := RefuseBusy
	if in.stock {
		busy = stopAbandoned
	}
	var a accepted
	err = h.acceptWhileRunning(c.Request(), p, conv.ID, busy, func() error {
		a, err = h.acceptWithHistory(ctx, set, in)
		return err
	})
	if err != nil {
		return err
	}
	return h.serveTurn(c, a)
}

// turnSettings resolves the settings of the turn that answers a message; an error when the message cannot be answered.
func (h *Chat) turnSettings(
	ctx context.Context,
	p principal.Principal,
	conv conversation.Conversation,
	in chatRequest,
) (turn.Settings, error) {
	connection, model := in.ConnectionID, in.Model
	if connection == nil {
		connection = conv.ConnectionID
	}
	if model == "" && conv.Model != nil {
		model = *conv.Model
	}
	connectionID, model, err := h.Admit(ctx, p, connection, model)
	if err != nil {
		return turn.Settings{}, err
	}
	if err := h.checkSkill(ctx, p, in.SkillID); err != nil {
		return turn.Settings{}, err
	}
	return turn.Settings{
		ConversationID: conv.ID, Principal: p, ConnectionID: connectionID, Model: model,
		PermissionMode: conv.PermissionMode, TimeZone: validZone(in.TimeZone), SkillID: in.SkillID,
	}, nil
}

func (h *Chat) accept(ctx context.Context, set turn.Settings, in chatRequest) (accepted, error) {
	m := turn.Message{ID: in.MessageID, Text: in.Message.Text, Title: assistant.HeuristicTitle(in.Message.Text), Program: in.program}
	a, err := h.acceptWithPrefetch(ctx, set, func(set turn.Settings) (turn.Turn, bool, error) {
		if in.again != nil {
			return h.Turns.AcceptReplacement(ctx, set, m, *in.again)
		}
		return h.Turns.AcceptMessage(ctx, set, m)
	})
	a.counted = a.created
	return a, err
}

// acceptDecision accepts the turn in which the model acknowledges a decision about a proposal or a plan.
func (h *Chat) acceptDecision(ctx context.Context, set turn.Settings, subject uuid.UUID, kind turn.Decision) (accepted, error) {
	return h.acceptWithPrefetch(ctx, set, func(set turn.Settings) (turn.Turn, bool, error) {
		return h.Turns.AcceptDecision(ctx, set, subject, kind)
	})
}

// checkSkill refuses a skill that the person cannot use, instead of answering without it.
func (h *Chat) checkSkill(ctx context.Context, p principal.Principal, id string) error {
	if id == "" {
		return nil
	}
	_, err := h.Skills.Active(ctx, p, id)
	return err
}

// postDecision streams the turn in which the model acknowledges a decision about a proposal.
func (h *Chat) postDecision(c echo.Context, p principal.Principal, conv conversation.Conversation, d chatDecision) error {
	ctx := c.Request().Context()
	if d.PlanID != nil {
		return h.planDecision(c, p, conv, d)
	}
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
	set, err := h.settingsAfterDecision(ctx, *card.TurnID, d.Kind)
	if err != nil {
		return err
	}
	set.Principal = p
	crash.Point("chat.before-decision", id)
	a, err := h.acceptDecision(ctx, set, id, d.Kind)
	if err != nil {
		return err
	}
	return h.serveTurn(c, a)
}

// checkDecision refuses to acknowledge a decision that was not made.
func checkDecision(card proposal.Card, kind turn.Decision) error {
	claimed := proposal.Applied
	if kind == turn.Decline {
		claimed = proposal.Declined
	}
	if card.Planned {
		return problem.Errorf(problem.Conflict, "This proposal was decided together with its plan, which is acknowledged as a whole.").
			With("planId", card.PlanID)
	}
	// The author of an apply also gets an answer about its failure.
	if card.Status == claimed || kind == turn.Apply && card.Status == proposal.Failed {
		return nil
	}
	return problem.Errorf(problem.Conflict, "The proposal is %s, not %s, so there is nothing to acknowledge.", card.Status, claimed).
		With("proposalStatus", card.Status)
}

// settingsAfterDecision returns the settings for the turn that acknowledges a decision, from the turn that proposed. A
// proposal that was declined because its message was replaced gets no acknowledgement.
func (h *Chat) settingsAfterDecision(ctx context.Context, origin uuid.UUID, kind turn.Decision) (turn.Settings, error) {
	if kind == turn.Decline {
		if replaced, err := h.Turns.Replaced(ctx, origin); err != nil {
			return turn.Settings{}, err
		} else if replaced {
			return turn.Settings{}, problem.Errorf(
				problem.Conflict,
				"The message that asked for this was edited or is answered again, so there is nothing to acknowledge.",
			)
		}
	}
	return h.Turns.SettingsOf(ctx, origin)
}

// serveTurn starts an accepted turn and streams it. The reconciler starts a turn that does not start now.
func (h *Chat) serveTurn(c echo.Context, a accepted) error {
	if a.Status.Final() {
		return h.serveStored(c, a.Turn)
	}
	return h.serveRunning(c, a, stream.Start(a.AssistantMessageID, a.Metadata()))
}

// serveRunning is serveTurn for an unfinished turn; opening are the chunks before its events.
func (h *Chat) serveRunning(c echo.Context, a accepted, opening ...string) error {
	reader, leave := h.openReader(c.Request().Context(), a)
	defer leave()
	if !a.counted {
		h.attach(c.Request().Context(), a.ID)
	}
	return h.follow(c, a.Turn, reader, 0, opening...)
}

// openReader opens a reader of a turn's events, and starts a new turn. The caller must call leave, which waits for the
// attempt to start.
func (h *Chat) openReader(ctx context.Context, a accepted) (reader *stream.Reader, leave func()) {
	reader = h.Hub.Follow(a.ID)
	if !a.created {
		return reader, reader.Close
	}
	crash.Point("chat.after-accept", a.ID)
	started := h.startWorkflow(context.WithoutCancel(ctx), a)
	return reader, func() {
		<-started
		reader.Close()
	}
}

// relay is serveTurn for clients of another protocol: it passes the turn's chunks to a sink. It fails when the sink,
// the request or the session ends first.
func (h *Chat) relay(c echo.Context, a accepted, out stream.Sink) error {
	ctx := c.Request().Context()
	if a.Status.Final() {
		m, err := h.stored(ctx, a.Turn)
		if err != nil {
			return err
		}
		chunks := m.Chunks()
		for _, chunk := range append(chunks[:len(chunks)-1], stream.Finish("stop", m.Metadata)) {
			out.Chunk("", chunk)
		}
		return out.Flush()
	}
	reader, leave := h.openReader(ctx, a)
	defer leave()
	if !a.counted {
		h.attach(ctx, a.ID)
	}
	err := stream.Watch(ctx, out, reader, &stream.Replay{}, stream.Heartbeat{Every: h.Heartbeat, Check: h.checkSession(c)})
	if err != nil && ctx.Err() == nil && !endedByServer(err) {
		h.Log.Warn("Stream ended early", "turn", a.ID, "error", err)
	}
	return err
}

// startWorkflow starts the turn's workflow concurrently, so that the client gets its first bytes at once.
func (h *Chat) startWorkflow(ctx context.Context, a accepted) <-chan struct{} {
	if a.startModelCall != nil {
		a.startModelCall(ctx, a.ID)
	}
	started := make(chan struct{})
	go func() {
		defer close(started)
		if err := h.Engine.StartTurnOf(ctx, a.ID, a.settings); err != nil {
			h.Log.Warn("Turn did not start at once", "turn", a.ID, "error", err)
		}
		crash.Point("chat.after-start", a.ID)
	}()
	return started
}

func (h *Chat) follow(c echo.Context, t turn.Turn, reader *stream.Reader, since int64, opening ...string) error {
	beat := stream.Heartbeat{Every: h.Heartbeat, Check: h.checkSession(c)}
	err := stream.ServeSSE(c.Request().Context(), c.Response(), reader, &stream.Replay{Since: since}, beat, opening...)
	if err == nil {
		return nil
	}
	h.detach(c, t.ID, !endedByServer(err))
	if problem.Is(err, problem.Unauthorized) {
		h.Log.Info("Stream ended with the session", "turn", t.ID)
		return nil
	}
	if c.Request().Context().Err() == nil && !errors.Is(err, sse.ErrDraining) {
		h.Log.Warn("Stream ended early", "turn", t.ID, "error", err)
	}
	return nil
}

// endedByServer reports whether a stream ended with its session or by graceful shutdown, and not by its client.
func endedByServer(err error) bool {
	return problem.Is(err, problem.Unauthorized) || errors.Is(err, sse.ErrDraining)
}

// requireUnarchived refuses messages in an archived conversation.
func requireUnarchived(conv conversation.Conversation) error {
	if conv.ArchivedAt != nil {
		return problem.Errorf(problem.Conflict, "This conversation is archived. Start a new one.")
	}
	return nil
}

// placeKey is the context key of a request's place in its person's stream quota.
const placeKey = "stream place"

// takePlace reserves a stream in the quota of p for the request; checkSession renews the reservation.
func (h *Chat) takePlace(c echo.Context, p principal.Principal) (giveBack func(), err error) {
	ctx := c.Request().Context()
	place, err := h.Quota.Acquire(ctx, p, h.Streams)
	if err != nil {
		return nil, err
	}
	c.Set(placeKey, place)
	return func() { place.Release(ctx) }, nil
}

// checkSession renews the stream's place at each heartbeat. It fails once the session has ended or the person has lost
// the rule to chat; during a database outage the stream goes on.
func (h *Chat) checkSession(c echo.Context) func(context.Context) error {
	p := principal.FromContext(c.Request().Context())
	place, _ := c.Get(placeKey).(*quota.Lease)
	return func(ctx context.Context) error {
		now, err := h.Principals.Load(ctx, p.Kind, p.ID, p.SessionID)
		if problem.Is(err, problem.Unauthorized) {
			return err
		}
		if err == nil && len(now.Missing(api.ChatRule)) > 0 {
			return problem.Errorf(problem.Unauthorized, "You may not chat any more.")
		}
		if err == nil && place != nil {
			err = place.Renew(ctx)
		}
		if err != nil && ctx.Err() == nil {
			h.Log.Warn("Stream not checked", "error", err)
		}
		return nil
	}
}

// serveStored replays a finished turn from its stored message.
func (h *Chat) serveStored(c echo.Context, t turn.Turn) error {
	m, err := h.stored(c.Request().Context(), t)
	if err != nil {
		return err
	}
	return stream.ServeMessage(c.Response(), m)
}

// resume streams the running turn of the conversation: from its beginning, or after Last-Event-ID.
func (h *Chat) resume(c echo.Context) error {
	ctx := c.Request().Context()
	conv, err := h.owned(c)
	if problem.Is(err, problem.NotFound) && isClientName(clientName(c)) {
		// Clients try to resume before they have sent a first message.
		return c.NoContent(http.StatusNoContent)
	}
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
	giveBack, err := h.takePlace(c, principal.FromContext(ctx))
	if err != nil {
		return err
	}
	defer giveBack()
	last, err := strconv.ParseInt(c.Request().Header.Get("Last-Event-ID"), 10, 64)
	if err != nil {
		last = 0
	}
	reader := h.Hub.Follow(t.ID)
	defer reader.Close()
	h.attach(ctx, t.ID)
	since, err := reader.Since(ctx, last)
	if err != nil {
		return err
	}
	return h.follow(c, t, reader, since, stream.Start(t.AssistantMessageID, t.Metadata()))
}

// stop requests the end of the running turn: its model call ends at once, and the text so far is kept.
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
		return c.JSON(http.StatusOK, stopping{})
	}
	h.signalStop(ctx, id)
	return c.JSON(http.StatusAccepted, stopping{Stopping: true, TurnID: &id})
}

func (h *Chat) owned(c echo.Context) (conversation.Conversation, error) {
	ctx := c.Request().Context()
	p, err := h.authorize(ctx)
	if err != nil {
		return conversation.Conversation{}, err
	}
	return h.Conversations.Find(ctx, p, clientName(c))
}
