package chat

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/chat/conversation"
	"countersign/chat/stream"
	"countersign/chat/turn"
	"countersign/internal/problem"
	"countersign/internal/text/strictjson"
)

// maxClientBody bounds the body of an AI SDK chat, which repeats all messages of the chat.
const maxClientBody = 4 << 20

// Triggers of the AI SDK's chat.
const (
	submitTrigger     = "submit-message"
	regenerateTrigger = "regenerate-message"
)

// clientChat is the default request of an AI SDK chat, versions 5 to 7, configured with nothing but the address. The
// server's history counts: earlier messages reach the model as data with the first message of a chat, and are ignored
// later. Members of libraries around the SDK are ignored.
type clientChat struct {
	_ struct{} `additionalProperties:"true"`

	ID           string          `json:"id" minLength:"1" maxLength:"128" doc:"What the client calls the chat: a name for one of your conversations, which the first message makes. The id of a conversation names that"`
	Messages     []clientMessage `json:"messages" doc:"UIMessages, of which the last one is answered; or message, which is that one. Those before it are told to the assistant as data, in a chat that it does not know"`
	Message      *clientMessage  `json:"message,omitempty"`
	Trigger      string          `json:"trigger,omitempty" enum:"submit-message,regenerate-message" doc:"regenerate-message asks for another answer to the last message"`
	MessageID    string          `json:"messageId,omitempty" doc:"The message that was edited, or the answer that is not wanted"`
	ConnectionID *uuid.UUID      `json:"connectionId,omitempty" format:"uuid"`
	Model        string          `json:"model,omitempty"`
	TimeZone     string          `json:"timeZone,omitempty"`
	SkillID      string          `json:"skillId,omitempty"`
}

// clientMessage is a UIMessage as far as the server reads it.
type clientMessage struct {
	_ struct{} `additionalProperties:"true"`

	ID    string       `json:"id"`
	Role  string       `json:"role" enum:"system,user,assistant"`
	Parts []clientPart `json:"parts" nullable:"false"`
}

type clientPart struct {
	_ struct{} `additionalProperties:"true"`

	Type string `json:"type"`
	Text string `json:"text,omitempty"`
	// Members of a tool part that a person has answered.
	State      string           `json:"state,omitempty"`
	ToolCallID string           `json:"toolCallId,omitempty"`
	Approval   *stream.Approval `json:"approval,omitempty"`
}

// clientRequest is a chatRequest made from a clientChat, whose conversation has the client's id.
type clientRequest struct {
	chatRequest

	chatID string
	// approvals are a person's answers in the last assistant message, whose id is continued.
	approvals []approval
	continued string
}

// isClientChat reports whether a body is a clientChat: it names a chat and no conversation.
func isClientChat(body []byte) bool {
	members := map[string]json.RawMessage{}
	if json.Unmarshal(body, &members) != nil || has(members, "conversationId") {
		return false
	}
	return has(members, "id") || has(members, "messages") || has(members, "trigger")
}

func has(members map[string]json.RawMessage, name string) bool {
	_, ok := members[name]
	return ok
}

// readClientChat decodes a body that isClientChat. Only the last message must be valid: earlier ones may hold anything,
// even JSON whose members differ only in case.
func readClientChat(body []byte) (clientRequest, error) {
	members, err := membersOf(body)
	if err != nil {
		return clientRequest{}, err
	}
	last, path, err := lastMessage(members)
	if err != nil {
		return clientRequest{}, err
	}
	var in clientChat
	for name, into := range map[string]any{
		"id": &in.ID, "trigger": &in.Trigger, "messageId": &in.MessageID, "connectionId": &in.ConnectionID, "model": &in.Model,
		"timeZone": &in.TimeZone, "skillId": &in.SkillID,
	} {
		if err := decodeMember(members[name], into); err != nil {
			return clientRequest{}, problem.InvalidInput(
				"The request is not one of an AI SDK chat.",
				problem.Issue{Path: name, Message: "cannot be read: " + decodeError(err)},
			)
		}
	}
	request, err := in.request(last, path)
	var list []json.RawMessage
	if err == nil && !has(members, "message") && decodeMember(members["messages"], &list) == nil {
		request.history, request.historyClient = clientHistory(list), sdkClient
	}
	return request, err
}

// membersOf returns the members of a body that every JSON parser reads alike.
func membersOf(body []byte) (map[string]json.RawMessage, error) {
	if err := strictjson.Check(body); err != nil {
		return nil, notValid(err)
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(body, &members); err != nil {
		return nil, notValid(err)
	}
	return members, nil
}

func decodeMember(data json.RawMessage, into any) error {
	if len(data) == 0 {
		return nil
	}
	return json.Unmarshal(data, into)
}

func notValid(err error) error {
	return problem.InvalidInput("The request is not valid: " + decodeError(err) + ".")
}

// lastMessage decodes the last message and returns its path.
func lastMessage(members map[string]json.RawMessage) (m clientMessage, path string, err error) {
	raw, path := members["message"], "message"
	if len(raw) == 0 {
		var list []json.RawMessage
		if err := decodeMember(members["messages"], &list); err != nil || len(list) == 0 {
			return m, "", problem.InvalidInput("The request holds no message.",
				problem.Issue{Path: "messages", Message: "must be the list of UIMessages that an AI SDK chat sends, or message the last one of them"})
		}
		raw, path = list[len(list)-1], fmt.Sprintf("messages[%d]", len(list)-1)
	}
	if err := strictjson.CheckFolded(raw); err != nil {
		return m, path, notValid(err)
	}
	var shape struct {
		Content json.RawMessage `json:"content"`
		Parts   json.RawMessage `json:"parts"`
	}
	if json.Unmarshal(raw, &shape) == nil && len(shape.Parts) == 0 && len(shape.Content) > 0 {
		return m, path, problem.InvalidInput("This is a message of AI SDK 4 or of the OpenAI API. Send UIMessages, as AI SDK 5, 6 and 7 do.",
			problem.Issue{Path: path + ".parts", Message: `must be [{"type": "text", "text": "..."}]; content is not read`})
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return m, path, problem.InvalidInput(
			"The last message is no UIMessage.",
			problem.Issue{Path: path, Message: "cannot be read: " + decodeError(err)},
		)
	}
	return m, path, nil
}

// request converts the chat to a request.
func (in clientChat) request(last clientMessage, path string) (clientRequest, error) {
	request := clientRequest{chatID: in.ID, chatRequest: chatRequest{
		MessageID: last.ID, ConnectionID: in.ConnectionID, Model: in.Model, TimeZone: in.TimeZone, SkillID: in.SkillID,
		again: &turn.Replacement{}, stock: true,
	}}
	var issues problem.Issues
	if !conversation.ClientID(in.ID) {
		issues.Report(
			"id",
			"must have 1 to %d printable ASCII characters: the id of the chat, which names a conversation of yours",
			conversation.MaxClientID,
		)
	}
	switch in.Trigger {
	case submitTrigger, "":
		if in.MessageID == "" {
			request.again = nil
		}
	case regenerateTrigger:
		*request.again = turn.Replacement{Regenerate: true, Answer: in.MessageID}
	default:
		issues.Report("trigger", "must be %q or %q", submitTrigger, regenerateTrigger)
	}
	switch answered := last.approvals(&issues, path); {
	case last.Role == "assistant" && len(answered) > 0:
		request.approvals, request.continued = answered, last.ID
		if len(last.ID) > maxMessageID {
			issues.Report(path+".id", "must have %d characters at most", maxMessageID)
		}
	case last.Role != "user":
		issues.Report(path+".role", `must be "user", or "assistant" with a tool part whose approval was answered`)
	default:
		request.Message.Text = last.text(&issues, path)
		request.checkMessage(&issues, path+".id", path+".parts")
	}
	request.checkSkill(&issues)
	return request, issues.Err()
}

// text returns a message's text. Files are reported as issues: ignoring one would look as if the model had read it.
func (m clientMessage) text(issues *problem.Issues, path string) string {
	var text strings.Builder
	for i, part := range m.Parts {
		switch part.Type {
		case "text":
			text.WriteString(part.Text)
		case "file":
			issues.Report(fmt.Sprintf("%s.parts[%d]", path, i), "is a file, and the assistant reads text alone; put its text into the message")
		}
	}
	return text.String()
}

// clientName is the conversation in the path of a request: its id, or the client's name for it.
func clientName(c echo.Context) string {
	name := c.Param("id")
	if c.Request().URL.RawPath == "" {
		return name
	}
	if plain, err := url.PathUnescape(name); err == nil {
		return plain
	}
	return name
}

// isClientName reports whether a name is surely a client's and no id.
func isClientName(name string) bool {
	_, err := uuid.Parse(name)
	return err != nil && conversation.ClientID(name)
}
