package chat

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"countersign/api/openai"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/chat/conversation"
	"countersign/chat/stream"
	"countersign/chat/turn"
	"countersign/internal/crash"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/tool/disposition"
	"countersign/tool/proposal"
)

// AssistantModel is the model name of the assistant without a skill; skillModel and an id name a skill or an agent.
const (
	AssistantModel = "countersign"
	skillModel     = AssistantModel + "/"
)

// chatHeaders name the conversation of a request to /v1: ours, and the one in which Open WebUI forwards its chat id.
var chatHeaders = []string{conversationHeader, "X-OpenWebUI-Chat-Id"}

// ChatSkill is a skill or an agent that a principal can chat with.
type ChatSkill struct {
	ID   string
	Made time.Time
}

// Completions serve clients of the OpenAI protocol over the turns of Chat: the same conversations, limits and cards. An
// application chats as itself here: it owns its conversations, and a person decides its proposals.
type Completions struct {
	Chat *Chat
	// Skills lists the skills and agents that p can chat with.
	Skills func(ctx context.Context, p principal.Principal) ([]ChatSkill, error)
	// URL is the public address of the product, without a trailing slash.
	URL string
	// Kind is the turn policy of these clients.
	Kind ClientKind
	// Tasks answers background requests of chat programs, such as titles.
	Tasks Tasks
	// RetryKey is the HMAC key for request hashes, the same in every process.
	RetryKey []byte
}

// Mount adds the routes.
func (h *Completions) Mount(e *echo.Echo) {
	e.POST("/v1/chat/completions", h.refusals(h.complete))
	e.POST("/v1/responses", h.refusals(h.respond))
	e.POST("/v1/responses/:id/cancel", h.refusals(h.cancel))
	e.GET("/v1/models", h.refusals(h.models))
	e.GET("/v1/models/*", h.refusals(h.model))
}

// authorize returns the chatting principal: a person, or an application as itself. Tools cannot chat.
func (h *Completions) authorize(ctx context.Context) (principal.Principal, error) {
	p, err := mayChat(ctx)
	switch {
	case err != nil:
		return p, err
	case p.Kind != principal.User && p.Kind != principal.Application:
		return p, problem.Errorf(problem.Forbidden, "Only people and applications can chat.")
	case p.TurnID != uuid.Nil:
		return p, problem.Errorf(problem.Forbidden, "A tool cannot chat with the assistant.")
	}
	return p, nil
}

// refusals converts errors to the form of the protocol.
func (h *Completions) refusals(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		err := next(c)
		if err == nil || c.Response().Committed {
			return err
		}
		if problem.CodeOf(err) == problem.Internal {
			h.Chat.Log.Error("Request failed", "error", err)
		}
		openai.WriteError(c.Response(), err)
		return nil
	}
}

// authorizedBody returns the caller and the body of a request.
func (h *Completions) authorizedBody(c echo.Context) (p principal.Principal, body []byte, err error) {
	if p, err = h.authorize(c.Request().Context()); err != nil {
		return p, nil, err
	}
	body, err = readBody(c.Request(), "Start a new chat.")
	return p, body, err
}

func (h *Completions) complete(c echo.Context) error {
	p, body, err := h.authorizedBody(c)
	if err != nil {
		return err
	}
	in, err := readCompletion(body)
	if err != nil {
		return err
	}
	return h.serve(c, p, in, body, &completion{in: in, rendered: h.textOf(p)})
}

// answerForm writes the response to a request. Its Chunk, Flush and Ping are those of a stream.
type answerForm interface {
	stream.Sink
	// open is called once the turn is known, before anything is written.
	open(c echo.Context, t turn.Turn)
	// streams reports whether the response has begun.
	streams() bool
	text() string
	// setText sets an answer that is known as a whole.
	setText(text, reason string, used turn.Usage)
	end(c echo.Context) error
}

// serve answers a client's message by a turn, or a task by one small model call.
func (h *Completions) serve(c echo.Context, p principal.Principal, in completionAsk, body []byte, answer answerForm) error {
	ctx := c.Request().Context()
	skill, err := h.skillOf(ctx, p, in.model)
	if err != nil {
		return err
	}
	giveBack, err := h.Chat.takePlace(c, p)
	if err != nil {
		return err
	}
	defer giveBack()
	if in.task != "" {
		return h.task(c, p, in, answer)
	}
	try, err := h.attemptOf(c.Request(), p, body, in.stream)
	if err != nil {
		return err
	}
	found, err := h.claimRequest(ctx, try)
	if err != nil {
		return err
	}
	var a accepted
	var message string
	by := turn.Request{Key: try.key, Attempts: 1}
	if found != nil {
		a, message, by = accepted{Turn: found.turn}, found.message, found.by
		c.Response().Header().Set(conversationHeader, a.ConversationID.String())
	} else if a, message, err = h.accept(c, p, in, skill, try); err != nil {
		h.releaseRequest(ctx, try)
		return err
	}
	answer.open(c, a.Turn)
	ended := h.Chat.relay(c, a, answer)
	if said := answer.text(); ended == nil || said != "" && answer.streams() {
		// A client that closed the stream will send the received part of the answer as history.
		if err := h.Chat.Conversations.RecordClientAnswer(context.WithoutCancel(ctx), a.ConversationID, message, said); err != nil {
			h.Chat.Log.Warn("Answer to a client not kept", "turn", a.ID, "error", err)
		}
	}
	if ended != nil {
		if !try.willRetry {
			by = turn.Request{}
		}
		h.Chat.streamClosed(c, a, ended, h.Kind, by)
		if answer.streams() {
			return nil // the client has gone, or its session has ended
		}
		return ended
	}
	return answer.end(c)
}

// accept finds the conversation that a client continues and accepts its message there.
func (h *Completions) accept(c echo.Context, p principal.Principal, in completionAsk, skill string,
	try attempt,
) (a accepted, message string, err error) {
	ctx := c.Request().Context()
	request := chatRequest{MessageID: "v1-" + uuid.NewString(), Message: messageText{Text: in.text}, SkillID: skill}
	conv, place, err := h.conversation(ctx, c.Request(), p, in.history)
	if err != nil {
		return a, "", err
	}
	defer func() { h.Chat.withdraw(ctx, p, conv, err) }()
	if err := requireUnarchived(conv); err != nil {
		return a, "", err
	}
	if place.NextMessageID != "" {
		// The client has gone back in the chat: it regenerates the answer or replaces the message.
		request.MessageID, request.again = place.NextMessageID, &turn.Replacement{Regenerate: place.RepeatsNext}
	}
	set, err := h.Chat.turnSettings(ctx, p, conv, request)
	if err != nil {
		return a, "", err
	}
	// Content from a program may not be the person's own, so every change needs approval.
	set.PermissionMode = disposition.Approve
	crash.Point("chat.before-accept", conv.ID)
	err = h.Chat.acceptWhileRunning(c.Request(), p, conv.ID, h.Kind.WhileRunning, func() error {
		return h.Chat.DB.InTx(ctx, func(ctx context.Context) error {
			if a, err = h.Chat.accept(ctx, set, request); err != nil {
				return err
			}
			err := h.Chat.Conversations.RecordClientMessage(ctx, p, conv.ID, a.ID, request.MessageID, in.history, place.ClientHistory)
			if err != nil {
				return err
			}
			return h.recordTurn(ctx, try, a.ID, request.MessageID)
		})
	})
	if err != nil {
		return a, "", err
	}
	c.Response().Header().Set(conversationHeader, conv.ID.String())
	return a, request.MessageID, nil
}

// conversation returns the conversation that a header names, or the one that matches the client's history, or a new
// one.
func (h *Completions) conversation(
	ctx context.Context,
	r *http.Request,
	p principal.Principal,
	said conversation.ClientInput,
) (conv conversation.Conversation, place conversation.Continuation, err error) {
	conversations := h.Chat.Conversations
	for _, header := range chatHeaders {
		name := r.Header.Get(header)
		if name == "" {
			continue
		}
		if conv, err = conversations.ForClient(ctx, p, name); err != nil {
			return conv, place, err
		}
		place, _, err = conversations.Continue(ctx, p, said, &conv.ID)
		return conv, place, err
	}
	place, known, err := conversations.Continue(ctx, p, said, nil)
	if err != nil {
		return conv, place, err
	}
	if known {
		conv, err = conversations.Get(ctx, p, place.Conversation)
		return conv, place, err
	}
	conv, err = conversations.ForMessage(ctx, p)
	return conv, place, err
}

// textOf returns the text rendering of an answer for p.
func (h *Completions) textOf(p principal.Principal) plainText {
	return plainText{link: h.link, program: p.Kind == principal.Application}
}

func (h *Completions) link(card proposal.Card) string {
	return h.URL + proposal.Path(card.ProposalID)
}

// skillOf returns the skill that a model name stands for, "" for the assistant itself.
func (h *Completions) skillOf(ctx context.Context, p principal.Principal, model string) (string, error) {
	if model == AssistantModel {
		return "", nil
	}
	all, err := h.Skills(ctx, p)
	if err != nil {
		return "", err
	}
	id, is := strings.CutPrefix(model, skillModel)
	if !is || !slices.ContainsFunc(all, func(s ChatSkill) bool { return s.ID == id }) {
		return "", problem.Errorf(
			problem.NotFound,
			"There is no such model here. Use %s, or another one of GET /v1/models.",
			AssistantModel,
		).With(
			"param",
			"model",
		)
	}
	return id, nil
}

type completionModel struct {
	ID      string `json:"id" doc:"What a request names as its model"`
	Object  string `json:"object" enum:"model"`
	Created int64  `json:"created" doc:"In seconds since 1970; 0 for what comes with the product"`
	OwnedBy string `json:"owned_by"`
}

type completionModels struct {
	Object string            `json:"object" enum:"list"`
	Data   []completionModel `json:"data" nullable:"false"`
}

func (h *Completions) list(ctx context.Context) ([]completionModel, error) {
	p, err := h.authorize(ctx)
	if err != nil {
		return nil, err
	}
	skills, err := h.Skills(ctx, p)
	if err != nil {
		return nil, err
	}
	models := []completionModel{{ID: AssistantModel, Object: "model", OwnedBy: AssistantModel}}
	for _, s := range skills {
		m := completionModel{ID: skillModel + s.ID, Object: "model", OwnedBy: AssistantModel}
		if !s.Made.IsZero() {
			m.Created = s.Made.Unix()
		}
		models = append(models, m)
	}
	return models, nil
}

func (h *Completions) models(c echo.Context) error {
	models, err := h.list(c.Request().Context())
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, completionModels{Object: "list", Data: models})
}

func (h *Completions) model(c echo.Context) error {
	models, err := h.list(c.Request().Context())
	if err != nil {
		return err
	}
	id, err := url.PathUnescape(c.Param("*"))
	i := slices.IndexFunc(models, func(m completionModel) bool { return m.ID == id })
	if err != nil || i < 0 {
		return problem.Errorf(problem.NotFound, "There is no such model here. GET /v1/models lists those that there are.").With("param", "model")
	}
	return c.JSON(http.StatusOK, models[i])
}
