// Package question lets the assistant ask the person it works for: one question with up to six answers to pick from.
// The answer is an ordinary message, so there is nothing to store here: the question is a part of the assistant's
// message, and it is answered as soon as the person writes again.
package question

import (
	"embed"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"countersign/problem"
	"countersign/text"
	"countersign/tool"
)

//go:embed tool_*.md
var texts embed.FS

const rule = "ai.chat.read"

// Module is the question card: its tool. It has no operations, as a question makes sense in a chat only.
type Module struct{}

// New makes the module.
func New() *Module { return &Module{} }

// Routes declares nothing.
func (m *Module) Routes(huma.API) {}

// Tools are the tools of the module.
func (m *Module) Tools() []tool.Tool { return []tool.Tool{askOperatorTool()} }

// Option is one answer to pick. What is sent is what is read: an answer of its own behind the label would be words that the
// person has not seen, in their name.
type Option struct {
	Label string `json:"label" jsonschema:"minLength=1,maxLength=120,description=What the operator reads; it is sent as their answer when they click it."`
}

// StatusAwaiting is the status of a question that has been put to the operator.
const StatusAwaiting = "awaiting_operator"

// Question is what the operator sees, and what the model gets back.
type Question struct {
	Question      string   `json:"question"`
	Options       []Option `json:"options" nullable:"false"`
	AllowFreeText bool     `json:"allowFreeText"`
	Status        string   `json:"status"`
	Note          string   `json:"note"`
}

const note = "The question is on the operator's screen and this turn ends here. The answer comes as the operator's next message; do not assume one."

// The limits of the schema, in characters.
const (
	maxText  = 500
	maxLabel = 120
)

// ask checks what a schema cannot say: texts that are more than blanks and look like what they are, and answers that can
// be told apart.
func ask(in askInput) (Question, error) {
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
