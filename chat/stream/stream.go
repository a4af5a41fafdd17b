// Package stream is the durable event log of turns and its encoding as the AI SDK's UI message stream.
//
// What a turn emits are chunks of that protocol, one JSON text each. A Log is the one writer of a process: it gathers
// the chunks and step records of all turns that run here and commits them together, so that streaming costs one
// transaction per interval, not one per token. A Hub lets readers follow a turn: chunks committed here are handed over
// in memory, chunks of other processes are announced by a notification and re-read from rows. Replay turns rows into
// what a client has to see, also when a killed process has left half a step behind. Reduce folds chunks into the
// message that the client ends up with, which is the message that is stored.
//
// The order of chunks is their seq. Its high half is the claim of the process that wrote it, so a process that has
// lost a turn without noticing can only write rows that sort before those of its successor.
package stream

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
)

// Chunk types of the UI message stream that the product emits.
const (
	typeStart           = "start"
	typeStartStep       = "start-step"
	typeFinishStep      = "finish-step"
	typeResetStep       = "reset-step"
	typeTextStart       = "text-start"
	typeTextDelta       = "text-delta"
	typeTextEnd         = "text-end"
	typeReasoningStart  = "reasoning-start"
	typeReasoningDelta  = "reasoning-delta"
	typeReasoningEnd    = "reasoning-end"
	typeToolInputStart  = "tool-input-start"
	typeToolInputDelta  = "tool-input-delta"
	typeToolInput       = "tool-input-available"
	typeToolInputError  = "tool-input-error"
	typeToolOutput      = "tool-output-available"
	typeToolOutputError = "tool-output-error"
	typeApprovalRequest = "tool-approval-request"
	typeOutputDenied    = "tool-output-denied"
	typeMetadata        = "message-metadata"
	typeAbort           = "abort"
	typeFinish          = "finish"
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// member is a name with its value: a string, raw JSON or a bool.
type member struct {
	name  string
	value any
}

// encode writes a chunk with its members.
func encode(kind string, members ...member) string {
	b := buffers.Get().(*bytes.Buffer) //nolint:errcheck // the pool holds nothing else
	defer buffers.Put(b)
	b.Reset()
	b.WriteString(`{"type":`)
	writeString(b, kind)
	for _, m := range members {
		b.WriteByte(',')
		writeString(b, m.name)
		b.WriteByte(':')
		switch v := m.value.(type) {
		case string:
			writeString(b, v)
		case json.RawMessage:
			writeRaw(b, v)
		case bool:
			if v {
				b.WriteString("true")
			} else {
				b.WriteString("false")
			}
		}
	}
	b.WriteByte('}')
	return b.String()
}

// writeRaw writes JSON on one line: a model may spread the arguments of a call over several, and a line break would end
// the server-sent event.
func writeRaw(b *bytes.Buffer, raw json.RawMessage) {
	if len(raw) > 0 && !bytes.ContainsAny(raw, "\n\r") {
		b.Write(raw)
		return
	}
	if json.Compact(b, raw) != nil {
		b.WriteString("null")
	}
}

func writeString(b *bytes.Buffer, s string) {
	if isPlain(s) {
		b.WriteByte('"')
		b.WriteString(s)
		b.WriteByte('"')
		return
	}
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(Clean(s))
	b.Truncate(b.Len() - 1)
}

// isPlain reports whether s needs no escaping in JSON: the usual case, which skips the encoder.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// Clean drops what PostgreSQL and JSON cannot hold: NUL and invalid UTF-8.
func Clean(s string) string {
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "")
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// Start opens a message. metadata is a JSON object.
func Start(messageID string, metadata json.RawMessage) string {
	return encode(typeStart, member{"messageId", messageID}, member{"messageMetadata", metadata})
}

// StartStep opens one model call with its tool calls.
func StartStep() string { return `{"type":"start-step"}` }

// FinishStep closes a step.
func FinishStep() string { return `{"type":"finish-step"}` }

// ResetStep drops what a client has of the current step: the model call is made again.
func ResetStep() string { return `{"type":"reset-step"}` }

// TextStart opens a text part; ids are unique in a message.
func TextStart(id string) string { return encode(typeTextStart, member{"id", id}) }

// TextDelta adds to a text part.
func TextDelta(id, delta string) string {
	return encode(typeTextDelta, member{"id", id}, member{"delta", delta})
}

// TextEnd closes a text part.
func TextEnd(id string) string { return encode(typeTextEnd, member{"id", id}) }

// ReasoningStart opens a reasoning part.
func ReasoningStart(id string) string { return encode(typeReasoningStart, member{"id", id}) }

// ReasoningDelta adds to a reasoning part.
func ReasoningDelta(id, delta string) string {
	return encode(typeReasoningDelta, member{"id", id}, member{"delta", delta})
}

// ReasoningEnd closes a reasoning part.
func ReasoningEnd(id string) string { return encode(typeReasoningEnd, member{"id", id}) }

// ToolInputStart announces a tool call whose arguments are on their way. Tools are unknown to the client's types, so
// every call is dynamic.
func ToolInputStart(callID, tool string) string {
	return encode(typeToolInputStart, member{"toolCallId", callID}, member{"toolName", tool}, member{"dynamic", true})
}

// ToolInputDelta is a piece of the arguments' JSON text.
func ToolInputDelta(callID, delta string) string {
	return encode(typeToolInputDelta, member{"toolCallId", callID}, member{"inputTextDelta", delta})
}

// ToolInput is a complete tool call; input is JSON.
func ToolInput(callID, tool string, input json.RawMessage) string {
	return encode(typeToolInput, member{"toolCallId", callID}, member{"toolName", tool}, member{"input", input}, member{"dynamic", true})
}

// ToolInputError is a tool call that cannot be run, such as one with malformed arguments; input is what came, as JSON.
func ToolInputError(callID, tool string, input json.RawMessage, text string) string {
	return encode(
		typeToolInputError,
		member{"toolCallId", callID},
		member{"toolName", tool},
		member{"input", input},
		member{"errorText", text},
		member{"dynamic", true},
	)
}

// ToolOutput is the result of a tool call; output is JSON.
func ToolOutput(callID string, output json.RawMessage) string {
	return encode(typeToolOutput, member{"toolCallId", callID}, member{"output", output})
}

// ToolOutputError is the failure of a tool call.
func ToolOutputError(callID, text string) string {
	return encode(typeToolOutputError, member{"toolCallId", callID}, member{"errorText", text})
}

// ToolApprovalRequest says that a call waits for a person's decision. The id is that of what is decided; it gives no right.
func ToolApprovalRequest(approvalID, callID string) string {
	return encode(typeApprovalRequest, member{"approvalId", approvalID}, member{"toolCallId", callID})
}

// ToolOutputDenied is the end of a call that a person has declined, or that nobody has decided about in time.
func ToolOutputDenied(callID string) string {
	return encode(typeOutputDenied, member{"toolCallId", callID})
}

// Data is a part of the product's own kind, "data-<name>"; the same id replaces the part. data is JSON.
func Data(name, id string, data json.RawMessage) string {
	return encode("data-"+name, member{"id", id}, member{"data", data})
}

// Notice is a Data chunk that the client may show but does not keep.
func Notice(name string, data json.RawMessage) string {
	return encode("data-"+name, member{"data", data}, member{"transient", true})
}

// Metadata is merged into the message's metadata; it is a JSON object.
func Metadata(metadata json.RawMessage) string {
	return encode(typeMetadata, member{"messageMetadata", metadata})
}

// Abort ends a stream that the person stopped.
func Abort(reason string) string { return encode(typeAbort, member{"reason", reason}) }

// Finish ends a stream. reason is one of the protocol: stop, length, content-filter, error, other.
func Finish(reason string, metadata json.RawMessage) string {
	return encode(typeFinish, member{"finishReason", reason}, member{"messageMetadata", metadata})
}

// kindOf reads the type of a chunk without decoding it; chunks of this package start with it.
func kindOf(chunk string) string {
	rest, ok := strings.CutPrefix(chunk, `{"type":"`)
	if !ok {
		return ""
	}
	kind, _, _ := strings.Cut(rest, `"`)
	return kind
}

// Ends reports whether a chunk is the last one of its stream.
func Ends(chunk string) bool {
	kind := kindOf(chunk)
	return kind == typeFinish || kind == typeAbort
}
