package feedback

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/internal/rest"
)

const ofTurn = "/api/ai/turns/{id}/feedback"

type saying struct {
	ID   uuid.UUID `path:"id" format:"uuid"`
	Body Said
}

type given struct {
	Feedback
	Changed bool `json:"changed" doc:"False when you had said just this before"`
}

type takenBack struct {
	Removed bool `json:"removed" doc:"False when there was none"`
}

type feedbackList struct {
	Feedback []Feedback `json:"feedback" nullable:"false" doc:"At most one for each answer, the oldest first"`
}

// Routes declares the operations of feedback.
func (m *Module) Routes(api huma.API) {
	huma.Register(api, rest.Op(
		"give-feedback",
		http.MethodPut,
		ofTurn,
		"Say whether an answer helped",
		rest.Rules(ChatRead),
		rest.Doc(
			"About an answer in a chat of your own, in place of what you said before. "+
				"Users with "+TurnRead+" read it with your name; no model does. It goes with the chat.",
		),
	),
		func(ctx context.Context, in *saying) (*rest.Body[given], error) {
			f, changed, err := m.Give(ctx, in.ID, in.Body)
			return rest.With(given{f, changed}, err)
		})
	huma.Register(
		api,
		rest.Op(
			"take-back-feedback",
			http.MethodDelete,
			ofTurn,
			"Take feedback on an answer back",
			rest.Rules(ChatRead),
			rest.Status(http.StatusOK),
		),
		func(ctx context.Context, in *rest.ByID) (*rest.Body[takenBack], error) {
			removed, err := m.TakeBack(ctx, in.ID)
			return rest.With(takenBack{removed}, err)
		},
	)
	huma.Register(
		api,
		rest.Op(
			"list-feedback",
			http.MethodGet,
			"/api/ai/conversations/{id}/feedback",
			"List your feedback on the answers of a conversation",
			rest.Rules(ChatRead),
		),
		func(ctx context.Context, in *rest.ByID) (*rest.Body[feedbackList], error) {
			list, err := m.Given(ctx, in.ID)
			return rest.With(feedbackList{list}, err)
		},
	)
	huma.Register(
		api,
		rest.Op("count-feedback", http.MethodGet, "/api/ai/feedback", "Count what people said about answers", rest.Rules(TurnRead),
			rest.Doc("In the last 30 days, in all and by model. GET /api/ai/turns has the turns with it.")),
		func(ctx context.Context, _ *struct{}) (*rest.Body[Summary], error) {
			return rest.With(m.Summary(ctx))
		},
	)
}
