package apptest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/chat/stream"
	"countersign/model/demo"
)

// Conversation is a chat of the client's person.
type Conversation struct {
	ID uuid.UUID `json:"id"`

	client *Client
}

// Settings is the body of POST /api/ai/conversations.
type Settings map[string]any

// Conversation creates a conversation. settings may be nil.
func (c *Client) Conversation(t testing.TB, settings Settings) *Conversation {
	t.Helper()
	if settings == nil {
		settings = Settings{}
	}
	conversation := &Conversation{client: c}
	c.Post(t, "/api/ai/conversations", settings, conversation)
	return conversation
}

// As returns the same conversation for another client.
func (v *Conversation) As(c *Client) *Conversation { return &Conversation{ID: v.ID, client: c} }

// Message is a message to the assistant; an empty ID is generated.
type Message struct {
	ID      string
	Text    string
	Model   string
	SkillID string
	// TimeZone is the browser's IANA time zone.
	TimeZone string
	// Connection switches to this connection.
	Connection uuid.UUID
}

// Scripted is a message with directives for the scripted demo model: see demo.ParseScript. Faults are counted by
// message, so each has a unique id.
func Scripted(directives string) Message {
	return Message{Text: "script: " + directives + " id=" + uuid.NewString(), Model: demo.Scripted}
}

func (m Message) body(conversation uuid.UUID) map[string]any {
	if m.ID == "" {
		m.ID = uuid.NewString()
	}
	body := map[string]any{"conversationId": conversation, "messageId": m.ID, "message": m.Text}
	if m.Model != "" {
		body["model"] = m.Model
	}
	if m.Connection != uuid.Nil {
		body["connectionId"] = m.Connection
	}
	if m.SkillID != "" {
		body["skillId"] = m.SkillID
	}
	if m.TimeZone != "" {
		body["timeZone"] = m.TimeZone
	}
	return body
}

// Send sends a message and returns the stream of the turn that answers it.
func (v *Conversation) Send(t testing.TB, m Message) *Stream {
	t.Helper()
	return v.client.open(t, http.MethodPost, "/api/ai/chat", m.body(v.ID))
}

// Refused sends a message that must be refused.
func (v *Conversation) Refused(t testing.TB, m Message) Answer {
	t.Helper()
	return v.client.Call(t, http.MethodPost, "/api/ai/chat", m.body(v.ID))
}

// Say sends a message and reads the complete answer.
func (v *Conversation) Say(t testing.TB, text string) *Turn {
	t.Helper()
	return v.Send(t, Message{Text: text}).Rest(t)
}

// Perform sends directives to the scripted demo model and reads the complete answer.
func (v *Conversation) Perform(t testing.TB, directives string) *Turn {
	t.Helper()
	return v.Send(t, Scripted(directives)).Rest(t)
}

// Decide starts the turn in which the model acknowledges a decision: "apply" or "decline".
func (v *Conversation) Decide(t testing.TB, proposal uuid.UUID, kind string) *Turn {
	t.Helper()
	return v.client.open(t, http.MethodPost, "/api/ai/chat", map[string]any{
		"conversationId": v.ID, "decision": map[string]any{"proposalId": proposal, "kind": kind},
	}).Rest(t)
}

// DecidePlan starts the turn in which the model acknowledges the decision about a plan.
func (v *Conversation) DecidePlan(t testing.TB, plan uuid.UUID, kind string) *Turn {
	t.Helper()
	return v.client.open(t, http.MethodPost, "/api/ai/chat", map[string]any{
		"conversationId": v.ID, "decision": map[string]any{"planId": plan, "kind": kind},
	}).Rest(t)
}

// Resume follows the running turn, after the event with this id if not empty.
func (v *Conversation) Resume(t testing.TB, after string) *Stream {
	t.Helper()
	var headers []Header
	if after != "" {
		headers = append(headers, Header{"Last-Event-ID", after})
	}
	return v.client.open(t, http.MethodGet, "/api/ai/chat/"+v.ID.String()+"/stream", nil, headers...)
}

// Stop stops the running turn.
func (v *Conversation) Stop(t testing.TB) Answer {
	t.Helper()
	return v.client.Post(t, "/api/ai/chat/"+v.ID.String()+"/stop", nil, nil)
}

// Messages returns the stored messages.
func (v *Conversation) Messages(t testing.TB) []stream.Message {
	t.Helper()
	var transcript struct {
		Messages []stream.Message `json:"messages"`
	}
	v.client.Get(t, "/api/ai/conversations/"+v.ID.String(), &transcript)
	return transcript.Messages
}

// Last returns the newest stored message.
func (v *Conversation) Last(t testing.TB) stream.Message {
	t.Helper()
	messages := v.Messages(t)
	require.NotEmpty(t, messages)
	return messages[len(messages)-1]
}

// Idle waits until no turn runs.
func (v *Conversation) Idle(t testing.TB) {
	t.Helper()
	Eventually(t, "the conversation is idle", func() bool {
		var c struct {
			ActiveTurnID *uuid.UUID `json:"activeTurnId"`
		}
		v.client.Get(t, "/api/ai/conversations/"+v.ID.String(), &c)
		return c.ActiveTurnID == nil
	})
}

// Known is an existing conversation of the client's person.
func (c *Client) Known(id uuid.UUID) *Conversation { return &Conversation{ID: id, client: c} }

// Event is one server-sent event of a stream.
type Event struct {
	// ID is the id for Last-Event-ID; the first chunk has none.
	ID string
	// Name is the event name, "" in the stream of a turn.
	Name  string
	Type  string
	Chunk string
}

// Stream is an open event stream.
type Stream struct {
	Header http.Header
	// Events are those read so far.
	Events []Event

	lines *bufio.Reader
	close func()
}

// Stream makes a request that must be answered by a turn's stream.
func (c *Client) Stream(t testing.TB, method, path string, in any, headers ...Header) *Stream {
	t.Helper()
	return c.open(t, method, path, in, headers...)
}

func (c *Client) open(t testing.TB, method, path string, in any, headers ...Header) *Stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), eventTimeout)
	response, err := c.do(ctx, method, path, in, headers) //nolint:bodyclose // the stream closes it
	if err != nil {
		cancel()
		require.NoError(t, err)
	}
	s := &Stream{Header: response.Header, lines: bufio.NewReader(response.Body), close: func() {
		cancel()
		_ = response.Body.Close()
	}}
	t.Cleanup(s.close)
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(response.Body)
		require.FailNow(t, "no stream", "%s %s: status %d: %s", method, path, response.StatusCode, body)
	}
	require.Equal(t, "text/event-stream", s.Header.Get("Content-Type"))
	return s
}

// Close drops the connection, as a closing browser does.
func (s *Stream) Close() { s.close() }

// Next reads one event; ok is false at the end marker.
func (s *Stream) Next(t testing.TB) (e Event, ok bool) {
	t.Helper()
	for {
		line, err := s.lines.ReadString('\n')
		require.NoError(t, err, "the stream broke off after %d events", len(s.Events))
		line = strings.TrimSuffix(line, "\n")
		name, value, _ := strings.Cut(line, ": ")
		switch {
		case line == "" && e.Chunk == "[DONE]":
			return e, false
		case line == "" && e.Chunk != "":
			e.decode(t)
			s.Events = append(s.Events, e)
			return e, true
		case line == "" || name == "":
			// Comment lines and their ends.
		case name == "id":
			e.ID = value
		case name == "event":
			e.Name = value
		case name == "data":
			e.Chunk = value
		case name == "retry":
		default:
			require.FailNow(t, "not a line of a stream", "%q after %q", line, e.Chunk)
		}
	}
}

// BreaksOff reads on and reports whether the stream ends without its end marker.
func (s *Stream) BreaksOff(t testing.TB) bool {
	t.Helper()
	for {
		line, err := s.lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return true
		}
		require.NoError(t, err)
		if strings.TrimSpace(line) == "data: [DONE]" {
			return false
		}
	}
}

func (e *Event) decode(t testing.TB) {
	t.Helper()
	var head struct {
		Type string `json:"type"`
	}
	require.NoError(t, json.Unmarshal([]byte(e.Chunk), &head), e.Chunk)
	e.Type = head.Type
}

// Until reads up to the first matching event and returns it.
func (s *Stream) Until(t testing.TB, fits func(Event) bool) Event {
	t.Helper()
	for {
		e, ok := s.Next(t)
		require.True(t, ok, "the stream ended before the expected event: %v", s.Events)
		if fits(e) {
			return e
		}
	}
}

// UntilType reads up to the first event of this type.
func (s *Stream) UntilType(t testing.TB, kind string) Event {
	t.Helper()
	return s.Until(t, func(e Event) bool { return e.Type == kind })
}

// Drain reads to the end marker and returns the events.
func (s *Stream) Drain(t testing.TB) []Event {
	t.Helper()
	defer s.Close()
	before := len(s.Events)
	for {
		if _, ok := s.Next(t); !ok {
			return s.Events[before:]
		}
	}
}

// Rest reads to the end marker and reduces all events to a turn. The stream must have been read from its start.
func (s *Stream) Rest(t testing.TB) *Turn {
	t.Helper()
	s.Drain(t)
	return TurnOf(t, s.Events)
}
