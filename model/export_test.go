package model

// ParseChunk exposes the chunk parser to be compared with encoding/json.
func ParseChunk(data []byte) (content, reasoning, finish string, usage Usage, ok bool) {
	var c chunk
	ok = c.parse(data)
	return string(c.content), string(c.reasoning), string(c.finish), c.usage, ok
}

// StorableJSON exposes the cleaning of tool arguments.
var StorableJSON = storableJSON
