package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/chat/conversation"
	"countersign/chat/stream"
	"countersign/chat/turn"
	"countersign/internal/calendar"
	"countersign/internal/problem"
	"countersign/internal/secret/scrub"
	"countersign/internal/text/strictjson"
	"countersign/tool/proposal"
)

const (
	maxMessageChars = 32_000
	maxChatBody     = 256 << 10
	maxMessageID    = 128
	maxSkillID      = 100
)

// chatRequest is a message or a decision.
type chatRequest struct {
	ConversationID uuid.UUID     `json:"conversationId" format:"uuid" doc:"One of POST /api/ai/conversations"`
	MessageID      string        `json:"messageId,omitempty" doc:"Made by the client; it makes a repeated request the same turn"`
	Message        messageText   `json:"message,omitempty"`
	ConnectionID   *uuid.UUID    `json:"connectionId,omitempty" format:"uuid" doc:"The conversation's, or the default one, when absent"`
	Model          string        `json:"model,omitempty" doc:"One that the connection allows"`
	TimeZone       string        `json:"timeZone,omitempty" doc:"IANA name, such as Europe/Berlin"`
	SkillID        string        `json:"skillId,omitempty" doc:"The skill to work with, see GET /api/ai/skills; or agent/ and the slug of an agent, whose tools alone there are then"`
	Decision       *chatDecision `json:"decision,omitempty" doc:"Instead of a message"`

	// again is set when an answered message is to be answered again.
	again *turn.Replacement
	// stock marks a client without our stop button.
	stock bool
	// history are the messages that the client sent before this one, and historyClient is the client's name.
	history       conversation.ClientInput
	historyClient string
	// program names the program that sent content beside the message.
	program string
}

type chatDecision struct {
	Token      string        `json:"token,omitempty" doc:"The proposal's token, instead of proposalId"`
	ProposalID *uuid.UUID    `json:"proposalId,omitempty" format:"uuid" doc:"The decided proposal"`
	PlanID     *uuid.UUID    `json:"planId,omitempty" format:"uuid" doc:"The decided plan, instead of a proposal"`
	Kind       turn.Decision `json:"kind" enum:"apply,decline"`
}

// messageText is a plain string, or a UIMessage of which the text parts count.
type messageText struct {
	ID   string
	Text string
}

// Schema describes the plain form.
func (messageText) Schema(huma.Registry) *huma.Schema {
	most := maxMessageChars
	return &huma.Schema{Type: huma.TypeString, MaxLength: &most, Description: "The message as text; a UIMessage is accepted too"}
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

func (d chatDecision) proposal() (uuid.UUID, error) {
	if d.Kind != turn.Apply && d.Kind != turn.Decline {
		return uuid.Nil, problem.InvalidInput(
			"The decision must say what was decided.",
			problem.Issue{Path: "decision.kind", Message: `must be "apply" or "decline"`},
		)
	}
	if d.ProposalID != nil {
		return *d.ProposalID, nil
	}
	id, _, ok := proposal.ParseToken(d.Token)
	if !ok {
		return uuid.Nil, problem.InvalidInput(
			"The decision must name its proposal.",
			problem.Issue{Path: "decision.proposalId", Message: "is required, or a token"},
		)
	}
	return id, nil
}

// readBody reads a request body of at most maxClientBody bytes.
func readBody(r *http.Request, instead string) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxClientBody+1))
	if err != nil {
		return nil, problem.Errorf(problem.NotAcceptable, "The request body could not be read.")
	}
	if len(body) > maxClientBody {
		return nil, problem.Errorf(problem.TooLarge, "The request body is larger than %d KB. %s", maxClientBody>>10, instead)
	}
	return body, nil
}

func readChatRequest(body []byte) (chatRequest, error) {
	var in chatRequest
	if len(body) > maxChatBody {
		return in, problem.Errorf(problem.TooLarge, "The request body is larger than %d KB. Send a shorter message.", maxChatBody>>10)
	}
	if err := strictjson.CheckFolded(body); err != nil {
		return in, problem.InvalidInput("The request is not valid: " + decodeError(err) + ".")
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&in); err != nil {
		return in, problem.InvalidInput("The request is not valid: " + decodeError(err) + ".")
	}
	return in, in.check()
}

// decodeError describes a decoding error in terms of JSON instead of Go.
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
	var issues problem.Issues
	if in.ConversationID == uuid.Nil {
		issues.Report(
			"conversationId",
			"is required; POST /api/ai/conversations makes one. A chat of the AI SDK sends id, messages and trigger instead",
		)
	}
	in.checkSkill(&issues)
	if in.Decision == nil {
		if in.MessageID == "" {
			in.MessageID = in.Message.ID
		}
		in.checkMessage(&issues, "messageId", "message")
	} else if in.Message.Text != "" || in.MessageID != "" {
		issues.Report("decision", "cannot come together with a message")
	}
	return issues.Err()
}

func (in *chatRequest) checkSkill(issues *problem.Issues) {
	if len(in.SkillID) > maxSkillID {
		issues.Report("skillId", "must have %d characters at most", maxSkillID)
	}
}

// checkMessage validates and normalises the message; id and text are the paths of its parts in the request.
func (in *chatRequest) checkMessage(issues *problem.Issues, id, text string) {
	if in.MessageID == "" || len(in.MessageID) > maxMessageID ||
		strings.ContainsFunc(in.MessageID, func(r rune) bool { return r <= ' ' || r > '~' }) {
		issues.Report(id, "must have 1 to 128 printable ASCII characters; it makes a repeated request the same turn")
	} else if strings.HasPrefix(
		in.MessageID,
		turn.ReplacedPrefix,
	) {
		issues.Report(id, "must not begin with %s, as the ids of messages do that others have taken the place of", turn.ReplacedPrefix)
	}
	in.Message.Text = scrub.Text(strings.TrimSpace(stream.Clean(in.Message.Text)))
	if n := utf8.RuneCountInString(in.Message.Text); n == 0 || n > maxMessageChars {
		issues.Report(text, "must have 1 to %d characters", maxMessageChars)
	}
}

// validZone returns an IANA time zone that this process knows, and "" for anything else.
func validZone(name string) string {
	if _, err := calendar.Zone(name); err != nil {
		return ""
	}
	return name
}
