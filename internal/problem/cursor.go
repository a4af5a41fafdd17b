package problem

// UnknownCursor refuses the cursor of a page that no list has given.
func UnknownCursor() *Error {
	return InvalidInput("The cursor is not one that a list has given. Start again without it.", Issue{Path: "cursor", Message: "is unknown"})
}
