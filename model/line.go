package model

import "bytes"

// lineEnd is the line terminator of a stream. The standard allows a lone carriage return, but some providers send one
// within a line, so that it counts only where the first line ends with it.
type lineEnd uint8

const (
	endUnknown lineEnd = iota
	endReturn          // a carriage return that a line feed may follow
	endFeed
	endReturns
)

// line returns the next line without its terminator. At the end of the body it returns the rest together with the
// error.
func (a *answerReader) line() ([]byte, error) {
	a.long = a.long[:0]
	for {
		if a.in.Buffered() == 0 {
			if _, err := a.in.Peek(1); err != nil {
				return bytes.TrimRight(a.long, "\r\n"), err
			}
		}
		have, err := a.in.Peek(a.in.Buffered())
		if err != nil {
			return bytes.TrimRight(a.long, "\r\n"), err
		}
		if a.endOfLine == endReturn {
			if have[0] == '\n' {
				a.endOfLine = endFeed
				_, _ = a.in.Discard(1)
				continue
			}
			a.endOfLine = endReturns
		}
		at := a.lineEnd(have)
		if at < 0 {
			a.long = append(a.long, have...)
			_, _ = a.in.Discard(len(have))
			if len(a.long) > a.maxRaw() {
				return a.long, nil
			}
			continue
		}
		line := have[:at]
		_, _ = a.in.Discard(at + 1)
		if len(a.long) > 0 {
			a.long = append(a.long, line...)
			line = a.long
		}
		return bytes.TrimRight(line, "\r\n"), nil
	}
}

// lineEnd returns the end of the line at the beginning of have, negative when the line continues.
func (a *answerReader) lineEnd(have []byte) int {
	feed := bytes.IndexByte(have, '\n')
	if a.endOfLine == endFeed {
		return feed
	}
	part := have
	if feed >= 0 {
		part = have[:feed]
	}
	back := bytes.IndexByte(part, '\r')
	if a.endOfLine == endReturns {
		if back >= 0 {
			return back
		}
		return feed
	}
	switch {
	case back < 0 && feed >= 0:
		a.endOfLine = endFeed
		return feed
	case back >= 0 && back == feed-1:
		a.endOfLine = endFeed
		return feed
	case back >= 0 && back == len(have)-1:
		a.endOfLine = endReturn
	case back >= 0:
		a.endOfLine = endReturns
	}
	return back
}
