package model

// ParseChunk exposes the chunk parser to be compared with encoding/json.
func ParseChunk(data []byte) (content, reasoning, finish string, usage Usage, ok bool) {
	var c chunk
	ok = c.parse(data)
	return string(c.content), string(c.reasoning), string(c.finish), c.usage, ok
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

// Quirks returns all quirks.
func Quirks() []Quirk {
	all := make([]Quirk, len(quirkRules))
	for i, d := range quirkRules {
		all[i] = d.quirk
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
