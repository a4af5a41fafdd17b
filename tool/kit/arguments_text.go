package kit

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ArgumentsText formats the arguments of a call as the end of a sentence: ", with order 7". Long values are cut; the card
// shows them in full.
func ArgumentsText(args map[string]json.RawMessage) string {
	const mostArgs, mostText = 8, 60
	var words []string
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if len(words) == mostArgs {
			words = append(words, fmt.Sprintf("and %d more", len(args)-mostArgs))
			break
		}
		text := string(args[name])
		if runes := []rune(text); len(runes) > mostText {
			text = string(runes[:mostText]) + "…"
		}
		words = append(words, name+" "+text)
	}
	if len(words) == 0 {
		return ", without arguments"
	}
	return ", with " + strings.Join(words, ", ")
}
