package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/chat/assistant"
	"countersign/chat/conversation"
	"countersign/chat/stream"
	"countersign/chat/turn"
	"countersign/crash"
	"countersign/principal"
	"countersign/problem"
	"countersign/rest/sse"
	"countersign/store"
	"countersign/store/quota"
	"countersign/tool/proposal"
)

// TurnEngine starts and stops the workflows of turns.
type TurnEngine interface {
	StartTurnOf(ctx context.Context, id uuid.UUID, set turn.Settings) error
	StopTurn(ctx context.Context, id uuid.UUID) error
}

// Principals load a principal as it is now; problem.Unauthorized when its session has ended.
type Principals interface {
	Load(ctx context.Context, kind principal.Kind, id, sessionID uuid.UUID) (principal.Principal, error)
}

// Skills finds the skill that a person wants to work with; problem.NotFound, Invalid or Forbidden otherwise.
type Skills interface {
	Active(ctx context.Context, p principal.Principal, id string) (assistant.Skill, error)
}

// Chat serves the event streams of turns. The server keeps a turn's message before it answers, so a client that loses
// the connection, or the whole process, finds the turn again.
type Chat struct {
	DB            *store.DB
	Conversations *conversation.Service
	Turns         *turn.Store
	Proposals     *proposal.Service
	Hub           *stream.Hub
	Engine        TurnEngine
	Skills        Skills
	Log           *slog.Logger
	// Places bound how many streams a person has open, as Streams says; Principals tell at each Heartbeat whether the person's
	// session still stands.
	Places     *quota.Places
	Streams    quota.Kind
	Principals Principals
	Heartbeat  time.Duration
	// Admit is conversation.Connections.Settle for p, whom the connection's spend cap may not allow a turn.
	Admit func(ctx context.Context, p principal.Principal, connection *uuid.UUID, model string) (uuid.UUID, string, error)
	// Ahead begins to load what a turn with these settings needs, before it is accepted with those that come back;
	// begin makes its first model call ahead of the workflow, once it is. Nil in a process that runs no turns.
	Ahead func(ctx context.Context, set turn.Settings) (own turn.Settings, begin func(ctx context.Context, id uuid.UUID))
}

// accepted is a turn that is to be answered.
type accepted struct {
	turn.Turn

	set turn.Settings
	// created is false for one that was accepted before, which nobody begins.
	created bool
	// counted says that its row counts the stream of this request already.
	counted bool
	begin   func(ctx context.Context, id uuid.UUID)
}

// accepting accepts a turn by accept while what it needs is loaded.
func (h *Chat) accepting(
	ctx context.Context,
	set turn.Settings,
	accept func(set turn.Settings) (turn.Turn, bool, error),
) (accepted, error) {
	a := accepted{set: set}
	if h.Ahead != nil {
		a.set, a.begin = h.Ahead(ctx, set)
	}
	var err error
	a.Turn, a.created, err = accept(a.set)
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
	request, conv, err := h.read(c.Request(), p)
	if err != nil {
		return err
	}
	defer func() { h.withdraw(ctx, p, conv, err) }()
	if err := unarchived(conv); err != nil {
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
		return h.decision(c, p, conv, *in.Decision)
	default:
		return h.message(c, p, conv, in)
	}
}

// withdraw takes back a conversation that was made for a message that is refused. When the database is away nothing was
// refused, and waiting for it once more would keep the client as long again: whoever sends the message anew finds the
// conversation.
func (h *Chat) withdraw(ctx context.Context, p principal.Principal, conv conversation.Conversation, refusal error) {
	if refusal == nil || store.Away(refusal) {
		return
	}
	if err := h.Conversations.Withdraw(context.WithoutCancel(ctx), p, conv); err != nil {
		h.Log.Warn("Empty conversation not deleted", "conversation", conv.ID, "error", err)
	}
}

// conversationHeader tells a client that has a name of its own for the conversation which one that is.
const conversationHeader = "Countersign-Conversation"

// read reads a request of either form, with the conversation that it is about.
func (h *Chat) read(r *http.Request, p principal.Principal) (in clientRequest, conv conversation.Conversation, err error) {
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

// mayChat is whoever makes the request, if they may chat.
func mayChat(ctx context.Context) (principal.Principal, error) {
	p := principal.FromContext(ctx)
	if p.IsZero() {
		return p, RequireSignIn()
	}
	if missing := p.Missing(ChatRule); len(missing) > 0 {
		return p, problem.MissingRule("Chat with the assistant", missing...)
	}
	return p, nil
}

// message accepts a person's message once and streams the turn that answers it.
func (h *Chat) message(c echo.Context, p principal.Principal, conv conversation.Conversation, in chatRequest) error {
	ctx := c.Request().Context()
	set, err := h.settings(ctx, p, conv, in)
	if err != nil {
		// A message that was accepted before the cap was reached keeps its answer. One that is to be answered anew has none.
		if t, known, findErr := h.Turns.OfMessage(ctx, conv.ID, in.MessageID); findErr == nil && known && in.again == nil {
			return h.run(c, accepted{Turn: t})
		}
		return err
	}
	crash.Point("chat.before-accept", conv.ID)
	busy := RefuseBusy
	if in.stock {
		busy = stopLeft
	}
	var a accepted
	err = h.inTurn(c.Request(), p, conv.ID, busy, func() error {
		a, err = h.acceptSaid(ctx, set, in)
		return err
	})
	if err != nil {
		return err
	}
	return h.run(c, a)
}

// settings are how a message is to be answered; an error when it cannot be.
func (h *Chat) settings(ctx context.Context, p principal.Principal, conv conversation.Conversation, in chatRequest) (turn.Settings, error) {
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
	a, err := h.accepting(ctx, set, func(set turn.Settings) (turn.Turn, bool, error) {
		if in.again != nil {
			return h.Turns.AcceptAgain(ctx, set, m, *in.again)
		}
		return h.Turns.AcceptMessage(ctx, set, m)
	})
	a.counted = a.created
	return a, err
}

// acceptDecision accepts the turn in which the model acknowledges what was decided about a proposal or a plan.
func (h *Chat) acceptDecision(ctx context.Context, set turn.Settings, subject uuid.UUID, kind turn.Decision) (accepted, error) {
	return h.accepting(ctx, set, func(set turn.Settings) (turn.Turn, bool, error) {
		return h.Turns.AcceptDecision(ctx, set, subject, kind)
	})
}

// checkSkill refuses a skill that the person cannot use, rather than answer without it.
func (h *Chat) checkSkill(ctx context.Context, p principal.Principal, id string) error {
	if id == "" {
		return nil
	}
	_, err := h.Skills.Active(ctx, p, id)
	return err
}

// decision streams the turn in which the model acknowledges what was decided about a proposal.
func (h *Chat) decision(c echo.Context, p principal.Principal, conv conversation.Conversation, d chatDecision) error {
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
	set, err := h.followed(ctx, *card.TurnID, d.Kind)
	if err != nil {
		return err
	}
	set.Principal = p
	crash.Point("chat.before-decision", id)
	a, err := h.acceptDecision(ctx, set, id, d.Kind)
	if err != nil {
		return err
	}
	return h.run(c, a)
}

// checkDecision refuses to let the model acknowledge what has not happened.
func checkDecision(card proposal.Card, kind turn.Decision) error {
	claimed := proposal.Applied
	if kind == turn.Decline {
		claimed = proposal.Declined
	}
	if card.Planned {
		return problem.Errorf(problem.Conflict, "This proposal was decided together with its plan, which is acknowledged as a whole.").
			With("planId", card.PlanID)
	}
	// Whoever applied a proposal hears of a failure too.
	if card.Status == claimed || kind == turn.Apply && card.Status == proposal.Failed {
		return nil
	}
	return problem.Errorf(problem.Conflict, "The proposal is %s, not %s, so there is nothing to acknowledge.", card.Status, claimed).
		With("proposalStatus", card.Status)
}

// followed are the settings of a turn for the one that acknowledges a decision about its proposals. What was withdrawn
// with the message that asked for it is not talked about.
func (h *Chat) followed(ctx context.Context, origin uuid.UUID, kind turn.Decision) (turn.Settings, error) {
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

// run starts an accepted turn and follows it. A turn that does not start now is started by the reconciler.
func (h *Chat) run(c echo.Context, a accepted) error {
	if a.Status.Final() {
		return h.finished(c, a.Turn)
	}
	return h.begin(c, a, stream.Start(a.AssistantMessageID, a.Metadata()))
}

// begin is run for a turn that is not over; opening are the chunks before its events.
func (h *Chat) begin(c echo.Context, a accepted, opening ...string) error {
	reader, leave := h.reader(c.Request().Context(), a)
	defer leave()
	if !a.counted {
		h.attach(c.Request().Context(), a.ID)
	}
	return h.follow(c, a.Turn, reader, 0, opening...)
}

// reader follows a turn, and starts one that has just been made. leave must be called: it waits until that was tried.
func (h *Chat) reader(ctx context.Context, a accepted) (reader *stream.Reader, leave func()) {
	reader = h.Hub.Follow(a.ID)
	if !a.created {
		return reader, reader.Close
	}
	crash.Point("chat.after-accept", a.ID)
	started := h.start(context.WithoutCancel(ctx), a)
	return reader, func() {
		<-started
		reader.Close()
	}
}

// watch is run for a client that knows another protocol: it hands what the turn says to a sink, and is an error when the sink, the request
// or the session has ended before.
func (h *Chat) watch(c echo.Context, a accepted, out stream.Sink) error {
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
	reader, leave := h.reader(ctx, a)
	defer leave()
	if !a.counted {
		h.attach(ctx, a.ID)
	}
	err := stream.Watch(ctx, out, reader, &stream.Replay{}, stream.Heartbeat{Every: h.Heartbeat, Check: h.alive(c)})
	if err != nil && ctx.Err() == nil && !endedByServer(err) {
		h.Log.Warn("Stream ended early", "turn", a.ID, "error", err)
	}
	return err
}

// start sets the turn going beside the stream, so that the client has its first bytes at once.
func (h *Chat) start(ctx context.Context, a accepted) <-chan struct{} {
	if a.begin != nil {
		a.begin(ctx, a.ID)
	}
	started := make(chan struct{})
	go func() {
		defer close(started)
		if err := h.Engine.StartTurnOf(ctx, a.ID, a.set); err != nil {
			h.Log.Warn("Turn did not start at once", "turn", a.ID, "error", err)
		}
		crash.Point("chat.after-start", a.ID)
	}()
	return started
}

func (h *Chat) follow(c echo.Context, t turn.Turn, reader *stream.Reader, since int64, opening ...string) error {
	beat := stream.Heartbeat{Every: h.Heartbeat, Check: h.alive(c)}
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

// endedByServer reports whether a stream ended because its session did, or this process does: its client has not closed it.
func endedByServer(err error) bool {
	return problem.Is(err, problem.Unauthorized) || errors.Is(err, sse.ErrDraining)
}

// unarchived refuses a conversation in which nothing is said any more.
func unarchived(conv conversation.Conversation) error {
	if conv.ArchivedAt != nil {
		return problem.Errorf(problem.Conflict, "This conversation is archived. Start a new one.")
	}
	return nil
}

// placeKey is where a request keeps its place among the streams of its person.
const placeKey = "stream place"

// takePlace takes a place among the streams of p for the request, which alive keeps.
func (h *Chat) takePlace(c echo.Context, p principal.Principal) (giveBack func(), err error) {
	ctx := c.Request().Context()
	place, err := h.Places.Take(ctx, p, h.Streams)
	if err != nil {
		return nil, err
	}
	c.Set(placeKey, place)
	return func() { place.GiveBack(ctx) }, nil
}

// alive keeps the place of a stream and is an error once the session has ended in which it was opened, or the person may
// not chat any more. When the database cannot be asked, the stream goes on.
func (h *Chat) alive(c echo.Context) func(context.Context) error {
	p := principal.FromContext(c.Request().Context())
	place, _ := c.Get(placeKey).(*quota.Place)
	return func(ctx context.Context) error {
		now, err := h.Principals.Load(ctx, p.Kind, p.ID, p.SessionID)
		if problem.Is(err, problem.Unauthorized) {
			return err
		}
		if err == nil && len(now.Missing(ChatRule)) > 0 {
			return problem.Errorf(problem.Unauthorized, "You may not chat any more.")
		}
		if err == nil && place != nil {
			err = place.Keep(ctx)
		}
		if err != nil && ctx.Err() == nil {
			h.Log.Warn("Stream not checked", "error", err)
		}
		return nil
	}
}

// finished replays a turn that is over, from its stored message.
func (h *Chat) finished(c echo.Context, t turn.Turn) error {
	m, err := h.stored(c.Request().Context(), t)
	if err != nil {
		return err
	}
	return stream.ServeMessage(c.Response(), m)
}

// resume follows the turn that runs in the conversation: from its beginning, or after Last-Event-ID.
func (h *Chat) resume(c echo.Context) error {
	ctx := c.Request().Context()
	conv, err := h.owned(c)
	if problem.Is(err, problem.NotFound) && isClientName(clientName(c)) {
		// A client asks before it has sent anything.
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
