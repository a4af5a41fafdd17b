package model

import "bytes"

// lineEnd is how the lines of a stream end. The standard allows a carriage return alone, but there are providers that
// send one within a line, so that it ends lines only where the first line ends with it.
type lineEnd uint8

const (
	endUnknown lineEnd = iota
	endReturn          // a carriage return has come, which may have a line feed behind it
	endFeed
	endReturns
)

// line returns the next line without its end. At the end of the body it returns what is left together with the error.
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

// lineEnd returns where the line at the beginning of have ends, less than zero when it goes on.
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
