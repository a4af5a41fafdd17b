package model

// Values of [Options.TextCalls].
const (
	TextCallsMade    = "on"
	TextCallsNotMade = "off"
)

const (
	textCallsQuirk Quirk = "text_calls"
	bareCallsQuirk Quirk = "bare_text_calls"
)

// madeCalls says which calls in the text of an answer are made. A text that shows a call must not make it, and only the model,
// after a correction, or a person can say which one it is. A request without calls makes none whatever is read.
func (c *Client) madeCalls(req Request) madeCalls {
	if len(req.Tools) == 0 || req.NoCalls || c.textCalls == TextCallsMade {
		return madeCalls{marked: true, bare: true, told: req.ToldOfTextCalls}
	}
	made := madeCalls{told: req.ToldOfTextCalls}
	if c.textCalls == "" {
		q := c.quirksOf(req.Model)
		made.bare = q&writesBareCalls != 0
		made.marked = made.bare || q&writesMarkedCalls != 0 || made.told
	}
	return made
}

// NoteTextCalls records that a model writes its calls into its text in this form ([Error.CallForm]), from where they are made
// from now on; "" is that of a template. A connection that decides about such calls learns nothing.
func (c *Client) NoteTextCalls(model, form string) {
	quirk := textCallsQuirk
	if isBareForm(form) {
		quirk = bareCallsQuirk
	}
	if rule := quirk.rule(); c.textCalls == "" && c.quirksOf(model)&rule.bit == 0 {
		c.record(model, []*quirkRule{rule})
	}
}

// isBareForm reports whether a form of calls has no marks of its own.
func isBareForm(form string) bool { return form == jsonForm || form == pythonForm || form == codeForm }

// callInText is the failure of an answer with a call in its text.
func callInText(form string) *Error {
	shown := ""
	if form != "" {
		shown = ", in the form of " + form
	}
	return &Error{
		Class: Malformed, Reason: ToolCallInText, CallForm: form,
		Message: "The model wrote a tool call into its text" + shown + ", where it is not read.",
	}
}
