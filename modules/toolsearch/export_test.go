package toolsearch

import (
	"encoding/json"

	"countersign/tool"
)

// Rank is how many tools a search finds among those of a listing, for as much room as there can be.
func Rank(listing []byte, query string) int {
	var all struct {
		Tools []Listing `json:"tools"`
	}
	if err := json.Unmarshal(listing, &all); err != nil {
		panic(err)
	}
	room := tool.Room{Schemas: 1 << 20}
	return len(Find(all.Tools, query, room).Tools)
}
