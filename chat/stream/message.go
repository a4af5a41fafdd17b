package stream

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Message is the AI SDK's UIMessage.
type Message struct {
	ID       string          `json:"id"`
	Role     string          `json:"role"`
	Metadata json.RawMessage `json:"metadata,omitempty"`
	Parts    []Part          `json:"parts"`
}

// Part is one part of a message, in the field names of the AI SDK. Absent fields are left out.
type Part struct {
	Type       string          `json:"type"`
	ID         string          `json:"id,omitempty"`
	Text       *string         `json:"text,omitempty"`
	State      string          `json:"state,omitempty"`
	ToolName   string          `json:"toolName,omitempty"`
	ToolCallID string          `json:"toolCallId,omitempty"`
	Input      json.RawMessage `json:"input,omitempty"`
	Output     json.RawMessage `json:"output,omitempty"`
	ErrorText  string          `json:"errorText,omitempty"`
	Approval   *Approval       `json:"approval,omitempty"`
	// Timing is the timing of a tool part.
	Timing *Timing         `json:"toolMetadata,omitempty"`
	Data   json.RawMessage `json:"data,omitempty"`
}

// Approval is the decision about the call of a tool part, awaited or made.
type Approval struct {
	ID       string `json:"id"`
	Approved *bool  `json:"approved,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

// The states of a tool part that needs a decision.
const (
	ApprovalRequested = "approval-requested"
	ApprovalResponded = "approval-responded"
	OutputAvailable   = "output-available"
	OutputError       = "output-error"
	OutputDenied      = "output-denied"
)

// chunk has the members of every chunk type of this package.
type chunk struct {
	Type       string          `json:"type"`
	ID         string          `json:"id"`
	MessageID  string          `json:"messageId"`
	Metadata   json.RawMessage `json:"messageMetadata"`
	Delta      string          `json:"delta"`
	ToolCallID string          `json:"toolCallId"`
	ToolName   string          `json:"toolName"`
	Input      json.RawMessage `json:"input"`
	Output     json.RawMessage `json:"output"`
	ErrorText  string          `json:"errorText"`
	ApprovalID string          `json:"approvalId"`
	Timing     *Timing         `json:"toolMetadata"`
	Data       json.RawMessage `json:"data"`
	Transient  bool            `json:"transient"`
}

// Reduce folds a whole stream into the message that the AI SDK's client reduces it to. A chunk that the client would
// refuse, such as a delta without its start, is an error.
func Reduce(chunks []string) (Message, error) {
	m := Message{Role: "assistant", Parts: []Part{}}
	r := reducer{message: &m}
	for i, text := range chunks {
		var c chunk
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			return m, fmt.Errorf("chunk %d: %w", i, err)
		}
		if err := r.apply(c); err != nil {
			return m, fmt.Errorf("chunk %d: %w", i, err)
		}
	}
	return m, nil
}

// Chunks is a stream that clients reduce to m, the inverse of Reduce.
func (m Message) Chunks() []string {
	chunks := []string{Start(m.ID, m.Metadata)}
	for i, p := range m.Parts {
		id := strconv.Itoa(i)
		switch {
		case p.Type == "step-start":
			chunks = append(chunks, StartStep())
		case p.Type == "text" && p.Text != nil:
			chunks = append(chunks, TextStart(id), TextDelta(id, *p.Text), TextEnd(id))
		case p.Type == "reasoning" && p.Text != nil:
			chunks = append(chunks, ReasoningStart(p.ID), ReasoningDelta(p.ID, *p.Text), ReasoningEnd(p.ID))
		case p.Type == "dynamic-tool":
			chunks = append(chunks, p.toolChunks()...)
		case strings.HasPrefix(p.Type, "data-"):
			chunks = append(chunks, Data(strings.TrimPrefix(p.Type, "data-"), p.ID, p.Data))
		}
	}
	return append(chunks, Finish("stop", json.RawMessage("{}")))
}

func (p Part) toolChunks() []string {
	input := ToolInput(p.ToolCallID, p.ToolName, p.Input)
	var timing Timing
	if p.Timing != nil {
		timing = *p.Timing
	}
	asked := []string{Timed(input, timing)}
	// A change that is being applied needs no approval any more.
	if p.Approval != nil && p.State != ApprovalResponded {
		asked = append(asked, ToolApprovalRequest(p.Approval.ID, p.ToolCallID))
	}
	switch p.State {
	case OutputAvailable, OutputError:
		output := ToolOutput(p.ToolCallID, p.Output)
		if p.State == OutputError {
			output = ToolOutputError(p.ToolCallID, p.ErrorText)
		}
		if p.Approval == nil {
			return []string{input, Timed(output, timing)}
		}
		return append(asked, output)
	case OutputDenied:
		return append(asked, ToolOutputDenied(p.ToolCallID))
	default:
		return asked
	}
}

type reducer struct {
	message *Message
	// open maps the id of an open text or reasoning part to its index.
	open map[string]int
}

func (r *reducer) apply(c chunk) error {
	m := r.message
	switch c.Type {
	case typeStart:
		m.ID = c.MessageID
		return r.merge(c.Metadata)
	case typeFinish, typeMetadata:
		return r.merge(c.Metadata)
	case typeStartStep:
		m.Parts = append(m.Parts, Part{Type: "step-start"})
	case typeFinishStep, typeAbort:
	case typeResetStep:
		m.Parts = m.Parts[:r.stepStart()]
		r.open = nil
	case typeTextStart:
		r.start(c.ID, Part{Type: "text", Text: new(string), State: "streaming"})
	case typeReasoningStart:
		r.start(c.ID, Part{Type: "reasoning", ID: c.ID, Text: new(string), State: "streaming"})
	case typeTextDelta, typeReasoningDelta, typeTextEnd, typeReasoningEnd:
		return r.extend(c)
	case typeToolInputStart, typeToolInput, typeToolInputError:
		r.toolInput(c)
	case typeToolInputDelta:
		// The input chunk has the whole arguments; a part without one is reset or gets an error.
	case typeToolOutput, typeToolOutputError, typeApprovalRequest, typeOutputDenied:
		return r.toolOutput(c)
	default:
		if !strings.HasPrefix(c.Type, "data-") {
			return fmt.Errorf("unknown type %q", c.Type)
		}
		r.data(c)
	}
	return nil
}

// stepStart is the index after the last step-start part, 0 when there is none.
func (r *reducer) stepStart() int {
	for i, p := range slices.Backward(r.message.Parts) {
		if p.Type == "step-start" {
			return i + 1
		}
	}
	return 0
}

func (r *reducer) start(id string, p Part) {
	if r.open == nil {
		r.open = map[string]int{}
	}
	r.open[id] = len(r.message.Parts)
	r.message.Parts = append(r.message.Parts, p)
}

func (r *reducer) extend(c chunk) error {
	i, ok := r.open[c.ID]
	if !ok {
		return fmt.Errorf("%s for part %q, which is not open", c.Type, c.ID)
	}
	p := &r.message.Parts[i]
	if c.Type == typeTextEnd || c.Type == typeReasoningEnd {
		p.State = "done"
		delete(r.open, c.ID)
		return nil
	}
	*p.Text += c.Delta
	return nil
}

func (r *reducer) toolInput(c chunk) {
	state := map[string]string{
		typeToolInputStart: "input-streaming", typeToolInput: "input-available", typeToolInputError: "output-error",
	}[c.Type]
	part := Part{
		Type:       "dynamic-tool",
		ToolName:   c.ToolName,
		ToolCallID: c.ToolCallID,
		State:      state,
		Input:      c.Input,
		ErrorText:  c.ErrorText,
		Timing:     c.Timing,
	}
	for i := r.stepStart(); i < len(r.message.Parts); i++ {
		if r.message.Parts[i].ToolCallID == c.ToolCallID {
			r.message.Parts[i] = part
			return
		}
	}
	r.message.Parts = append(r.message.Parts, part)
}

var outputStates = map[string]string{
	typeToolOutput: OutputAvailable, typeToolOutputError: OutputError, typeApprovalRequest: ApprovalRequested, typeOutputDenied: OutputDenied,
}

func (r *reducer) toolOutput(c chunk) error {
	for i := len(r.message.Parts) - 1; i >= 0; i-- {
		p := &r.message.Parts[i]
		if p.ToolCallID != c.ToolCallID {
			continue
		}
		p.Output, p.ErrorText = c.Output, c.ErrorText
		p.State = outputStates[c.Type]
		if c.Timing != nil {
			p.Timing = c.Timing
		}
		if c.Type == typeApprovalRequest {
			p.Approval = &Approval{ID: c.ApprovalID}
		}
		return nil
	}
	return fmt.Errorf("%s for tool call %q, which is unknown", c.Type, c.ToolCallID)
}

func (r *reducer) data(c chunk) {
	if c.Transient {
		return
	}
	for i, p := range r.message.Parts {
		if c.ID != "" && p.Type == c.Type && p.ID == c.ID {
			r.message.Parts[i].Data = c.Data
			return
		}
	}
	r.message.Parts = append(r.message.Parts, Part{Type: c.Type, ID: c.ID, Data: c.Data})
}

func (r *reducer) merge(metadata json.RawMessage) error {
	if len(metadata) == 0 || string(metadata) == "null" {
		return nil
	}
	merged := map[string]any{}
	if len(r.message.Metadata) > 0 {
		if err := json.Unmarshal(r.message.Metadata, &merged); err != nil {
			return fmt.Errorf("metadata: %w", err)
		}
	}
	var added map[string]any
	if err := json.Unmarshal(metadata, &added); err != nil {
		return fmt.Errorf("metadata: %w", err)
	}
	mergeInto(merged, added)
	raw, err := json.Marshal(merged)
	r.message.Metadata = raw
	return err
}

func mergeInto(target, added map[string]any) {
	for name, value := range maps.All(added) {
		if nested, ok := value.(map[string]any); ok {
			if existing, ok := target[name].(map[string]any); ok {
				mergeInto(existing, nested)
				continue
			}
		}
		target[name] = value
	}
}
