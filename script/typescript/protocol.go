package typescript

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"countersign/script/sdk"
)

// maxFrame is the most bytes of one message: a source of MaxSource characters, or what is made of one, with its map.
const maxFrame = 32 << 20

// request is the work on one source.
type request struct {
	Source  string      `json:"source"`
	Context sdk.Context `json:"context"`
	// Emit asks for JavaScript, Types for a check of the types.
	Emit  bool `json:"emit"`
	Types bool `json:"types"`
	// Args are what the schema of a custom tool says of its arguments, as types.
	Args ArgsTypes `json:"args,omitzero"`
}

// stage is what an answer holds.
type stage string

const (
	// ready is what a child says once, when it has warmed up.
	ready stage = "ready"
	// outlined: syntax, imports and shape are known.
	outlined stage = "outlined"
	built    stage = "built"
	checked  stage = "checked"
	// finished comes last.
	finished stage = "finished"
)

// answer is one result about a request. It is sent as soon as it is there, so that a child that is killed loses only
// what it was working on.
type answer struct {
	Stage       stage        `json:"stage"`
	Diagnostics []Diagnostic `json:"diagnostics,omitempty"`
	// Broken is set when there are syntax errors.
	Broken    bool   `json:"broken,omitempty"`
	JS        string `json:"js,omitempty"`
	SourceMap []byte `json:"sourceMap,omitempty"`
	// Findings and Capabilities are about a custom tool.
	Findings     []ToolDiagnostic `json:"findings,omitempty"`
	Capabilities *Capabilities    `json:"capabilities,omitempty"`
	// Memory is what the child holds at the end, in bytes.
	Memory uint64 `json:"memory,omitempty"`
}

// writeFrame writes a message: its length in four bytes, the highest first, and the message as JSON.
func writeFrame(w io.Writer, message any) error {
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	if len(data) > maxFrame {
		return fmt.Errorf("a message of %d bytes is too long", len(data))
	}
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(data)), uint32(len(data)))
	_, err = w.Write(append(frame, data...))
	return err
}

func readFrame(r io.Reader, message any) error {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > maxFrame {
		return fmt.Errorf("a message of %d bytes is too long", n)
	}
	data := make([]byte, n)
	if _, err := io.ReadFull(r, data); err != nil {
		return err
	}
	return json.Unmarshal(data, message)
}
