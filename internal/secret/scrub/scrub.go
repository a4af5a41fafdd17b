// Package scrub takes credentials out of text, so that they do not reach a stored message, a log, a workflow's history
// or a stream.
//
// A credential is a value under a key that names one (password, apiKey, Authorization), or a value that can be nothing
// else wherever it stands: a provider's key, a signed token, a private key, a password in a URL. Each is replaced by
// Marker; keys, user names and hosts stay. Text about passwords or tokens stays, and so do ids, digests and images.
//
// One scanner reads text from left to right and decides at each place with three answers: a credential, none, or not
// known before more text arrives. Text, which has all of it, and Stream, which gets it in pieces, therefore agree. All
// functions are idempotent, and none does I/O.
package scrub

import "strings"

// Marker replaces a credential.
const Marker = "[REDACTED]"

// Text returns text without credentials.
func Text(text string) string {
	var s scanner
	var out strings.Builder
	rest := s.scan(text, true, &out)
	if out.Len() == 0 && len(rest) == len(text) {
		return text
	}
	out.WriteString(rest)
	return out.String()
}

// Stream scrubs text that arrives in pieces. The pieces it returns add up to what Text makes of the pieces it was given,
// wherever those were cut. Its zero value is ready to use.
type Stream struct {
	scanner scanner
	held    string
}

// Write takes the next piece and returns what is known to be safe. Of ordinary prose that is everything; what could be
// the beginning of a credential is held back, usually no more than a word.
func (s *Stream) Write(delta string) string {
	return s.advance(delta, false)
}

// Close returns what was held back. The stream can be used again for another text.
func (s *Stream) Close() string {
	safe := s.advance("", true)
	*s = Stream{}
	return safe
}

func (s *Stream) advance(delta string, end bool) string {
	text := s.held + delta
	var out strings.Builder
	rest := s.scanner.scan(text, end, &out)
	if end {
		out.WriteString(rest)
		return out.String()
	}
	s.held = rest[s.scanner.safe:]
	if out.Len() == 0 {
		return rest[:s.scanner.safe]
	}
	out.WriteString(rest[:s.scanner.safe])
	return out.String()
}
