package model

import (
	"bytes"
	"unicode/utf8"
)

// A model can fall into a loop from which only a limit frees it. Lines that differ, as those of a table, are no repetition:
// only the same bytes count, over and over.
const (
	// leastRepeated is the length of a repetition in bytes, leastRepeats the number of its rounds. A ruler, an empty table
	// and a list of equal states are shorter.
	leastRepeated = 16 << 10
	leastRepeats  = 8
	// repeatStep is the growth after which a text is examined again.
	repeatStep = 4 << 10
	// repeatWindow is the examined end of a text, so the longest unit has an eighth of it.
	repeatWindow = 64 << 10
)

// repetition watches one growing text for a loop.
type repetition struct{ examined int }

// keep returns the length of the text with one round of the loop at its end; false without a loop.
func (r *repetition) keep(text []byte) (length int, loops bool) {
	if len(text) < r.examined {
		r.examined = 0 // the text has begun again
	}
	if len(text) < leastRepeated || len(text)-r.examined < repeatStep {
		return 0, false
	}
	r.examined = len(text)
	length, loops = loopAtEnd(text)
	for loops && length < len(text) && !utf8.RuneStart(text[length]) {
		length++
	}
	return length, loops
}

// loopAtEnd finds the loop at the end of a text by earlier occurrences of its last bytes, the nearest first.
func loopAtEnd(text []byte) (length int, loops bool) {
	const sampleLength, maxCandidates = 32, 64
	window := text[max(len(text)-repeatWindow, 0):]
	sample := window[len(window)-sampleLength:]
	end := len(window) - 1
	for range maxCandidates {
		at := bytes.LastIndex(window[:end], sample)
		unit := len(window) - sampleLength - at
		if at < 0 || unit*leastRepeats > len(window) {
			return 0, false
		}
		begin := len(window) - unit
		for begin > 0 && window[begin-1] == window[begin-1+unit] {
			begin--
		}
		if same := len(window) - begin; same >= max(leastRepeated, unit*leastRepeats) {
			return len(text) - same + unit, true
		}
		end = at + sampleLength - 1
	}
	return 0, false
}

// repeats ends an answer that loops. Its text is sent again with one round of the loop.
func (a *answerReader) repeats() *Error {
	text, inText := a.loops.text.keep(a.text)
	thought, inThought := a.loops.thought.keep(a.reasoning)
	_, inHeld := a.loops.held.keep(a.written.held)
	inCall := false
	if n := len(a.calls.calls); n > 0 {
		call := a.calls.calls[n-1]
		_, inCall = call.loop.keep(call.arguments)
	}
	switch {
	case !inText && !inThought && !inHeld && !inCall:
		return nil
	case inHeld:
		a.written = textCalls{begun: true}
	case inText:
		a.sayAgain(len(a.reasoning), text)
	case inThought:
		a.sayAgain(thought, len(a.text))
	}
	return &Error{Class: TooLong, Reason: Repetition, Message: "The model repeated the same words without end, so its answer was stopped."}
}

// sayAgain sends the beginnings of thoughts and text in place of all of them.
func (a *answerReader) sayAgain(thoughtLength, textLength int) {
	thought, text := bytes.Clone(a.reasoning[:thoughtLength]), bytes.Clone(a.text[:textLength])
	a.reasoning, a.text = a.reasoning[:0], a.text[:0]
	a.onDelta(Delta{Restart: true})
	a.say(thought, nil)
	a.say(nil, text)
}
