package typescript

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"countersign/script/sdk"
)

// maxFrame bounds one message: a source of MaxSource characters, or its compiled form with the map.
const maxFrame = 32 << 20

// request is a request to compile one source.
type request struct {
	Source  string      `json:"source"`
	Context sdk.Context `json:"context"`
	// Emit requests JavaScript, Types a type check.
	Emit  bool `json:"emit"`
	Types bool `json:"types"`
	// Args are the arguments' types by the schema of a custom tool.
	Args ArgsTypes `json:"args,omitzero"`
}

// stage is the kind of an answer.
type stage string

const (
	// ready is sent once, after the child's warm-up.
	ready stage = "ready"
	// outlined: syntax, imports and shape are known.
	outlined stage = "outlined"
	built    stage = "built"
	checked  stage = "checked"
	// finished is the last answer.
	finished stage = "finished"
)

// answer is one result of a request. It is sent immediately, so that killing a child loses only the current step.
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
	// Memory is the memory of the child at the end, in bytes.
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
