package kit_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/tool/kit"
)

func TestAChangeComesUnderTheToolsOfWhatItsInputHas(t *testing.T) {
	t.Parallel()
	type box struct {
		Owner  string   `json:"owner"`
		Labels []string `json:"labels"`
	}
	under := kit.ConditionalCovers(
		kit.When(func(b box) bool { return b.Owner != "" }, "shelf.setOwner", "shelf.setGrants"),
		kit.When(func(b box) bool { return len(b.Labels) > 0 }, "shelf.addLabel"),
	)
	for input, want := range map[string][]string{
		`{}`:                             nil,
		`{"labels":[]}`:                  nil,
		`{"labels":["a"]}`:               {"shelf.addLabel"},
		`{"owner":"Ada"}`:                {"shelf.setOwner", "shelf.setGrants"},
		`{"owner":"Ada","labels":["a"]}`: {"shelf.setOwner", "shelf.setGrants", "shelf.addLabel"},
		`{"labels":"a"}`:                 {"shelf.setOwner", "shelf.setGrants", "shelf.addLabel"},
		``:                               {"shelf.setOwner", "shelf.setGrants", "shelf.addLabel"},
	} {
		require.Equal(t, want, under(json.RawMessage(input)), input)
	}
}
