package strictjson

// Depth is the nesting depth of a JSON text, computed before it is decoded: 0 for a number, 1 for {}.
// Of a text that is no JSON it says something, which bounds a decoder all the same.
func Depth[T ~string | ~[]byte](text T) int {
	deepest, now, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}
