package model

// ParseChunk exposes the chunk parser to be compared with encoding/json.
func ParseChunk(data []byte) (content, reasoning, finish string, usage Usage, ok bool) {
	var c chunk
	ok = c.parse(data)
	return string(c.content), string(c.reasoning), string(c.finish), c.usage, ok
}

// StorableJSON exposes the cleaning of tool arguments.
var StorableJSON = storableJSON

// ValidHistory exposes what a provider is sent of a conversation, by the lessons that it has taught.
func ValidHistory(messages []Message, id, model string, lessons ...Lesson) []Message {
	var d dialect
	for _, l := range lessons {
		d |= l.deviation().bit
	}
	return validHistory(messages, id, model, d)
}

// Lessons are all that can be taught.
func Lessons() []Lesson {
	lessons := make([]Lesson, len(deviations))
	for i, d := range deviations {
		lessons[i] = d.lesson
	}
	return lessons
}

// PlainSchema exposes the schemas that Gemini is told.
var PlainSchema = plainSchema

// EndpointOf exposes where a base URL leads.
func EndpointOf(base string) (chat, models string) {
	e := endpointOf(base)
	return e.chat, e.models
}
