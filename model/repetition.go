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
	// leastRethought is leastRepeated of thoughts, in which models repeat themselves before they come to an answer.
	leastRethought = 128 << 10
	// repeatStep is the growth after which a text is examined again.
	repeatStep = 4 << 10
	// repeatWindow is the examined end of a text, so the longest unit has an eighth of it.
	repeatWindow = 64 << 10
	// leastCounted is the length of a repetition that differs in its numbers alone, such as "Step 1: ... Step 2: ...", leastCounts
	// the number of its rounds. It is more than the tables, lists and logs of the longest replies, of some 64,000 tokens.
	leastCounted = 256 << 10
	leastCounts  = 64
	// countStep is the growth after which a text is examined for such a repetition.
	countStep = 32 << 10
)

// repetition watches one growing text for a loop.
type repetition struct{ examined, counted int }

// keep returns the length of the text with one round of the loop at its end; false without a loop of at least so many bytes.
func (r *repetition) keep(text []byte, least int) (length int, loops bool) {
	if len(text) < r.examined {
		*r = repetition{} // the text has begun again
	}
	if len(text) < least || len(text)-r.examined < repeatStep {
		return 0, false
	}
	r.examined = len(text)
	length, loops = loopAtEnd(text, least)
	if !loops && len(text) >= leastCounted && len(text)-r.counted >= countStep {
		r.counted = len(text)
		length, loops = countedLoopAtEnd(text)
	}
	for loops && length < len(text) && !utf8.RuneStart(text[length]) {
		length++
	}
	return length, loops
}

// loopAtEnd finds a loop of the same bytes at the end of a text.
func loopAtEnd(text []byte, least int) (length int, loops bool) {
	window := text[max(len(text)-repeatWindow, 0):]
	unit, same := loopOf(window, leastRepeats)
	if unit > 0 && same >= len(window)-unit {
		same = sameAtEnd(text, unit)
	}
	return len(text) - same + unit, same >= least
}

// countedLoopAtEnd finds a loop at the end of a text whose rounds differ in numbers alone.
func countedLoopAtEnd(text []byte) (length int, loops bool) {
	window, _ := withoutNumbers(text[len(text)-leastCounted:])
	unit, same := loopOf(window, leastCounts)
	if unit == 0 || same < len(window)-unit {
		return 0, false
	}
	plain, places := withoutNumbers(text)
	return places[len(plain)-sameAtEnd(plain, unit)+unit], true
}

// withoutNumbers returns a text with one zero for each number, and the place in the text of each of its bytes.
func withoutNumbers(text []byte) (plain []byte, places []int) {
	for i, c := range text {
		isDigit := c >= '0' && c <= '9'
		if isDigit && i > 0 && text[i-1] >= '0' && text[i-1] <= '9' {
			continue
		}
		if isDigit {
			c = '0'
		}
		plain, places = append(plain, c), append(places, i)
	}
	return plain, places
}

// loopOf finds the loop at the end of a window by earlier occurrences of its last bytes, the nearest first: the length of a round
// and of all of them, zeros without a loop of so many rounds.
func loopOf(window []byte, rounds int) (unit, same int) {
	const sampleLength, maxCandidates = 32, 64
	if len(window) < sampleLength {
		return 0, 0
	}
	sample := window[len(window)-sampleLength:]
	end := len(window) - 1
	for range maxCandidates {
		at := bytes.LastIndex(window[:end], sample)
		unit := len(window) - sampleLength - at
		if at < 0 || unit*rounds > len(window) {
			return 0, 0
		}
		if same := sameAtEnd(window, unit); same >= unit*rounds {
			return unit, same
		}
		end = at + sampleLength - 1
	}
	return 0, 0
}

// sameAtEnd is the length of the end of a text that repeats itself after so many bytes.
func sameAtEnd(text []byte, unit int) int {
	begin := len(text) - unit
	for begin > 0 && text[begin-1] == text[begin-1+unit] {
		begin--
	}
	return len(text) - begin
}

// repeats ends an answer that loops. Its text is sent again with one round of the loop.
func (a *answerReader) repeats() *Error {
	text, inText := a.loops.text.keep(a.text, leastRepeated)
	thought, inThought := a.loops.thought.keep(a.reasoning, leastRethought)
	_, inHeld := a.loops.held.keep(a.written.held, leastRepeated)
	inCall := false
	if n := len(a.calls.calls); n > 0 {
		call := a.calls.calls[n-1]
		_, inCall = call.loop.keep(call.arguments, leastRepeated)
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
