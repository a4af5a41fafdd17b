package model

import "countersign/model/internal/jsonscan"

// whole joins a piece whose halves of characters are not in the next one.
func whole(piece []byte) string {
	var halves jsonscan.Halves
	return string(halves.Join(piece)) + string(halves.End())
}

// ParseChunk exposes the chunk parser to be compared with encoding/json.
func ParseChunk(data []byte) (content, reasoning, finish string, usage Usage, ok bool) {
	var c chunk
	ok = c.parse(data)
	return whole(c.content), whole(c.reasoning), string(c.finish), c.usage, ok
}

// StorableJSON exposes the cleaning of tool arguments.
var StorableJSON = storableJSON

// ValidHistory exposes the history of a conversation for a provider with these quirks that it has.
func ValidHistory(messages []Message, id, model string, list ...Quirk) []Message {
	var d quirks
	for _, l := range list {
		d |= l.rule().bit
	}
	return validHistory(messages, id, model, d)
}

// Quirks returns all quirks that refusals reveal.
func Quirks() []Quirk {
	var all []Quirk
	for _, d := range quirkRules {
		if len(d.groups) > 0 {
			all = append(all, d.quirk)
		}
	}
	return all
}

// PlainSchema exposes simplified tool schemas.
var PlainSchema = plainSchema

// EndpointOf exposes the parsing of base URLs.
func EndpointOf(base string) (chat, models string) {
	e := endpointOf(base)
	return e.chat, e.models
}
