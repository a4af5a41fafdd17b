package tool_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/tool"
)

func TestARecordIsToldOfWhereAnObjectNamesIt(t *testing.T) {
	t.Parallel()
	id := func(n byte) uuid.UUID { return uuid.UUID{15: n} }
	document := `{"systems":[
		{"id":"` + id(1).String() + `","name":"Payments","owners":[{"teamId":"` + id(2).String() + `","teamName":"Platform"}],"groups":[{"id":"` + id(3).String() + `","name":"Shop"}]},
		{"id":"` + id(4).String() + `"},
		{"groupId":"` + id(1).String() + `","systemIds":["` + id(5).String() + `"],"note":"see ` + id(6).String() + `","name":7}],
		"nextCursor":"{` + id(7).String() + `}"}`
	var told tool.DisclosedRecords
	told.Note(json.RawMessage(document))
	told.Note(json.RawMessage(`no JSON`))
	told.Note(nil)
	ids := told.IDs()
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return int(a[15]) - int(b[15]) })
	require.Equal(t, []uuid.UUID{id(1), id(2), id(3), id(4)}, ids, "an id alone in a list, or in a text, comes without the text of its record")
	for n, name := range map[byte]string{1: "Payments", 2: "Platform", 3: "Shop", 4: "", 9: ""} {
		require.Equal(t, name, told.Name(id(n)))
	}
	var none *tool.DisclosedRecords
	none.Note(json.RawMessage(document))
	require.Empty(t, none.IDs())
}

// FuzzTold takes whatever an answer may be.
func FuzzTold(f *testing.F) {
	f.Add([]byte(`{"id":"00000000-0000-0000-0000-000000000001","name":"a"}`))
	f.Add([]byte(`[[{"xId":"urn:uuid:00000000-0000-0000-0000-000000000001","xName":[]}]]`))
	f.Fuzz(func(_ *testing.T, document []byte) {
		var told tool.DisclosedRecords
		told.Note(document)
		for _, id := range told.IDs() {
			_ = told.Name(id)
		}
	})
}
