package model

import (
	"bufio"
	"compress/gzip"
	"io"
)

// unzipped reads a body that may have been compressed although nobody has asked for it: there are proxies that do so,
// some of them without a word in the headers.
type unzipped struct {
	source io.ReadCloser
	in     io.Reader
}

// peekBuffer is less than what is read at once, so that nothing is copied twice.
const peekBuffer = 512

func (u *unzipped) Read(p []byte) (int, error) {
	if u.in == nil {
		in := bufio.NewReaderSize(u.source, peekBuffer)
		u.in = in
		if magic, _ := in.Peek(2); string(magic) == "\x1f\x8b" {
			zipped, err := gzip.NewReader(in)
			if err != nil {
				return 0, err
			}
			u.in = zipped
		}
	}
	return u.in.Read(p)
}

func (u *unzipped) Close() error { return u.source.Close() }
