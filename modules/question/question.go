// Package question lets the assistant ask its user one question with up to six answers to pick from. The answer is an
// ordinary message and the question a part of the assistant's message, so nothing is stored here; the next message
// answers it.
package question

import (
	"embed"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/problem"
	"countersign/internal/text"
	"countersign/tool"
)

//go:embed tool_*.md
var texts embed.FS

const rule = "ai.chat.read"

// Module provides the question tool. It has no operations, as a question exists in a chat only.
type Module struct{}

// New makes the module.
func New() *Module { return &Module{} }

// Routes declares nothing.
func (m *Module) Routes(huma.API) {}

// Tools are the tools of the module.
func (m *Module) Tools() []tool.Tool { return []tool.Tool{askOperatorTool()} }

// Option is one answer to pick. Its label is the sent text: a separate value would be words in the person's name that
// they have not seen.
type Option struct {
	Label string `json:"label" jsonschema:"minLength=1,maxLength=120,description=What the operator reads; it is sent as their answer when they click it."`
}

// StatusAwaiting is the status of a question shown to the operator.
const StatusAwaiting = "awaiting_operator"

// Question is the question as the operator and the model see it.
type Question struct {
	Question      string   `json:"question"`
	Options       []Option `json:"options" nullable:"false"`
	AllowFreeText bool     `json:"allowFreeText"`
	Status        string   `json:"status"`
	Note          string   `json:"note"`
}

const note = "The question is on the operator's screen and this turn ends here. The answer comes as the operator's " +
	"next message; do not assume one."

// The limits of the schema, in characters.
const (
	maxText  = 500
	maxLabel = 120
)

// validate checks what a schema cannot: texts that are not blank or disguised, and answers that differ.
func validate(in askInput) (Question, error) {
	var issues problem.Issues
	q := Question{
		Question:      text.Lines(&issues, "question", in.Question, maxText),
		AllowFreeText: in.AllowFreeText == nil || *in.AllowFreeText, Status: StatusAwaiting, Note: note,
	}
	if q.Question == "" {
		issues.Report("question", "must not be blank")
	}
	labels := map[string]bool{}
	for i, o := range in.Options {
		o.Label = text.Line(&issues, path(i, "label"), strings.Join(strings.Fields(o.Label), " "), maxLabel)
		switch {
		case o.Label == "":
			issues.Report(path(i, "label"), "must not be blank")
		case labels[strings.ToLower(o.Label)]:
			issues.Report(path(i, "label"), "is the label of an earlier option too")
		}
		labels[strings.ToLower(o.Label)] = true
		q.Options = append(q.Options, o)
	}
	if err := issues.Err(); err != nil {
		return Question{}, err
	}
	return q, nil
}
