package model

import (
	"bufio"
	"compress/gzip"
	"io"
)

// unzipped decompresses a body that is compressed without a request for it: some proxies do so, partly without a
// header.
type unzipped struct {
	source io.ReadCloser
	in     io.Reader
}

// peekBuffer is smaller than a read, so that nothing is copied twice.
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
