package share

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/internal/rest"
)

const (
	ofConversation = "/api/ai/conversations/{id}/shares"
	shared         = "/api/ai/shared"
)

type sharing struct {
	ID   uuid.UUID `path:"id" format:"uuid"`
	Body struct {
		Email string `json:"email" minLength:"3" maxLength:"254" doc:"The address with which the person signs in"`
	}
}

type sharedWith struct {
	Reader
	Shared bool `json:"shared" doc:"False when it was shared with them before"`
}

type takingBack struct {
	ID       uuid.UUID `path:"id" format:"uuid"`
	PersonID uuid.UUID `path:"personId" format:"uuid"`
}

type takenBack struct {
	Removed bool `json:"removed" doc:"False when it was not shared with them"`
}

type readerList struct {
	People []Reader `json:"people" nullable:"false"`
}

type chatList struct {
	Chats []Chat `json:"chats" nullable:"false"`
	rest.Next
}

// Routes declares the operations of sharing.
func (m *Module) Routes(api huma.API) {
	huma.Register(api, rest.Op("list-shares", http.MethodGet, ofConversation, "List with whom you share a conversation", rest.Rules(ChatRead)),
		func(ctx context.Context, in *rest.ByID) (*rest.Body[readerList], error) {
			people, err := m.Readers(ctx, in.ID)
			return rest.With(readerList{people}, err)
		})
	// Attempts are counted outside of the request's transaction, which a refusal rolls back.
	huma.Register(
		api,
		rest.Op(
			"share-conversation",
			http.MethodPost,
			ofConversation,
			"Share a conversation with a colleague, to read",
			rest.Rules(ChatRead),
			rest.SelfIdempotent(),
			rest.Status(http.StatusOK),
			rest.Doc(
				"With 20 people at most. What they see of it is decided each time they look: up to the first answer that tells "+
					"of something that they may not see.",
			),
		),
		func(ctx context.Context, in *sharing) (*rest.Body[sharedWith], error) {
			r, did, err := m.Share(ctx, in.ID, in.Body.Email)
			return rest.With(sharedWith{r, did}, err)
		},
	)
	huma.Register(
		api,
		rest.Op(
			"unshare-conversation",
			http.MethodDelete,
			ofConversation+"/{personId}",
			"Stop sharing a conversation with a colleague",
			rest.Rules(ChatRead),
			rest.Status(http.StatusOK),
		),
		func(ctx context.Context, in *takingBack) (*rest.Body[takenBack], error) {
			removed, err := m.TakeBack(ctx, in.ID, in.PersonID)
			return rest.With(takenBack{removed}, err)
		},
	)
	huma.Register(api, rest.Op("list-shared", http.MethodGet, shared, "List conversations that others share with you", rest.Rules(ChatRead),
		rest.Doc("What was shared last first.")),
		func(ctx context.Context, in *struct{ rest.Page }) (*rest.Body[chatList], error) {
			chats, next, err := m.With(ctx, in.Page)
			return rest.With(chatList{chats, next}, err)
		})
	huma.Register(
		api,
		rest.Op(
			"read-shared",
			http.MethodGet,
			shared+"/{id}",
			"Read a conversation that a colleague shares with you",
			rest.Rules(ChatRead),
			rest.Doc(
				"Its texts and which tools were used, without arguments and results, as far as you may see all that they tell of at this moment.",
			),
		),
		func(ctx context.Context, in *rest.ByID) (*rest.Body[Transcript], error) {
			return rest.With(m.Read(ctx, in.ID))
		},
	)
}
