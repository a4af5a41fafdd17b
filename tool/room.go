package tool

// Room is what a model has left for a call.
type Room struct {
	// Chars is how many characters the result may take; what is longer is cut. 0 is DefaultRoom.
	Chars int
	// Schemas is how many tokens of schemas there is room for, Costs what each tool takes of it that the model is not told
	// about yet, by wire name. Without Costs there is room for all.
	Schemas int
	Costs   map[string]int
}

// DefaultRoom is that of callers that are no chat, in characters.
const DefaultRoom = 48_000

// ResultChars is how many characters the result of a call may take. A tool whose results can be longer returns a part that fits,
// and says how the rest is read: only it knows what is worth leaving out.
func (c Caller) ResultChars() int {
	if c.Room.Chars <= 0 {
		return DefaultRoom
	}
	return c.Room.Chars
}

// ways are members of inputs by which the rest of a result is read.
var ways = []string{"cursor", "offset", "section", "limit", "query"}

// Ways are the members of the tool's input by which the rest of a result is read that was cut.
func (t Tool) Ways() []string {
	var found []string
	for _, name := range ways {
		if _, ok := t.Input.shape.properties[name]; ok {
			found = append(found, name)
		}
	}
	return found
}
