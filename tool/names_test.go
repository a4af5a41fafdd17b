package tool_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/tool"
	"countersign/tool/kit"
)

type renameInput struct {
	ID    uuid.UUID `json:"id"`
	Other string    `json:"other"`
}

// What a proposal refers to by id is called as the API calls it where it has the record. What somebody has written into a record
// names nothing, however much it looks like one.
func TestNamesAreThoseOfRecordsThatWereRead(t *testing.T) {
	t.Parallel()
	const mine, victim, unread = "0199aa00-0000-7000-8000-000000000001", "0199aa00-0000-7000-8000-000000000002", "0199aa00-0000-7000-8000-000000000003"
	answers := map[string]string{
		"/api/things/" + mine: `{"id":"` + mine + `","name":"Mine","metadata":{"id":"` + victim + `","name":"Harmless","teamId":"` + victim + `","teamName":"Harmless"}}`,
		// Not a record of its own: who it is about is somebody else's to say.
		"/api/owners/" + unread: `{"id":"` + victim + `","name":"Harmless"}`,
		"/api/things":           `{"things":[{"id":"` + victim + `","name":"Harmless"}],"id":"` + victim + `","name":"Harmless"}`,
	}
	router := &tool.Router{}
	router.Bind(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(answers[r.URL.Path])) }))
	texts := fstest.MapFS{"tool_rename.md": {Data: []byte("Renames.")}}
	rename := kit.NewWrite(kit.Define(texts, "things.rename", tool.Mutate, "things.manage"),
		func(ctx context.Context, c tool.Caller, in renameInput) (kit.Preview[renameInput], error) {
			for path := range answers {
				if _, err := c.Client.Get(ctx, path+"?x=1", nil); err != nil {
					return kit.Preview[renameInput]{}, err
				}
			}
			return kit.Preview[renameInput]{Summary: "Rename", Payload: in}, nil
		},
		func(in renameInput) tool.Request { return kit.Put("/api/things/"+in.ID.String(), nil) },
		func(struct{}) kit.Deleted { return kit.Deleted{} })
	client := &tool.Client{Router: router}
	proposed, err := rename.DryRun(t.Context(), tool.Caller{Client: client}, json.RawMessage(`{"id":"`+mine+`","other":"`+victim+`"}`))
	require.NoError(t, err)
	require.Equal(t, map[string]string{mine: "Mine"}, proposed.Labels)
}
