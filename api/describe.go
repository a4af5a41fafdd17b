package api

import (
	"net/http"
	"reflect"
	"slices"

	"countersign/chat/stream"
	"countersign/chat/turn"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/chat/conversation"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/tool"
	"countersign/tool/proposal"
)

// problemDocument is a problem document with the optional members of refusals.
type problemDocument struct {
	problem.Document
	Diff           []tool.Change   `json:"diff,omitempty" nullable:"false" doc:"What a proposal would change as things are now"`
	ProposalID     *uuid.UUID      `json:"proposalId,omitempty" doc:"The proposal whose apply was refused"`
	ProposalStatus proposal.Status `json:"proposalStatus,omitempty" doc:"Where it stands"`
	PlanID         *uuid.UUID      `json:"planId,omitempty" doc:"The plan that was decided instead"`
	PlanStatus     proposal.Status `json:"planStatus,omitempty" doc:"Where it stands"`
}

// storedMessage is the wire form of conversation.Message. Its parts are stored JSON.
type storedMessage struct {
	ID       string               `json:"id"`
	Role     string               `json:"role" enum:"user,assistant"`
	Parts    []stream.Part        `json:"parts" nullable:"false"`
	Metadata turn.MessageMetadata `json:"metadata"`
}

// describeWire adds schemas for types with custom JSON encoding.
func describeWire(schemas huma.Registry) {
	schemas.RegisterTypeAlias(reflect.TypeFor[problem.Error](), reflect.TypeFor[problemDocument]())
	schemas.RegisterTypeAlias(reflect.TypeFor[conversation.Message](), reflect.TypeFor[storedMessage]())
}

// describeIdempotencyKeys adds the header to every operation that honours it.
func describeIdempotencyKeys(document *huma.OpenAPI) {
	most := maxKeyLength
	key := &huma.Param{
		Name: IdempotencyHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString, MaxLength: &most},
		Description: "Makes the write happen once: a repeat with the same key gets the first answer.",
	}
	once := *key
	once.Description = "Makes the write happen once: a repeat with the same key is refused, as the answer holds a secret that is shown once."
	for _, path := range document.Paths {
		for _, op := range []*huma.Operation{path.Post, path.Put, path.Patch, path.Delete} {
			if op == nil || op.Method == http.MethodGet || rest.IsPublic(op) || rest.IsSelfIdempotent(op) {
				continue
			}
			key := key
			if rest.IsShownOnce(op) {
				key = &once
			}
			if !slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool { return p.Name == key.Name }) {
				op.Parameters = append(op.Parameters, key)
			}
		}
	}
}
