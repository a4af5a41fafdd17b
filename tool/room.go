package tool

// Room is the space in a model's context for a call.
type Room struct {
	// Chars bounds the result in characters; longer ones are cut. 0 is DefaultRoom.
	Chars int
	// Schemas bounds the schemas in tokens; Costs are the tokens of each tool that the model does not know yet, by wire
	// name. Without Costs nothing is bounded.
	Schemas int
	Costs   map[string]int
}

// DefaultRoom bounds results outside of chats, in characters.
const DefaultRoom = 48_000

// ResultChars bounds the result of a call in characters. A tool with longer results returns a part that fits and says
// how to read the rest, because only the tool knows what to leave out.
func (c Caller) ResultChars() int {
	if c.Room.Chars <= 0 {
		return DefaultRoom
	}
	return c.Room.Chars
}

// ways are input members that read the rest of a result.
var ways = []string{"cursor", "offset", "section", "limit", "query"}

// Ways returns the members of the tool's input that read the rest of a cut result.
func (t Tool) Ways() []string {
	var found []string
	for _, name := range ways {
		if t.Input.Declares(name) {
			found = append(found, name)
		}
	}
	return found
}
