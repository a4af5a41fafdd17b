package command

import (
	"crypto/rand"
	"io"
)

func devices() map[string]func() io.ReadWriteCloser {
	null := func() io.ReadWriteCloser { return device(func([]byte) (int, error) { return 0, io.EOF }) }
	zero := func() io.ReadWriteCloser {
		return device(func(b []byte) (int, error) {
			clear(b)
			return len(b), nil
		})
	}
	random := func() io.ReadWriteCloser { return device(rand.Read) }
	return map[string]func() io.ReadWriteCloser{
		"null": null, "zero": zero, "random": random, "urandom": random, "stdin": null, "stdout": null, "stderr": null,
	}
}

// A device reads as its function does and takes whatever is written.
type device func([]byte) (int, error)

func (d device) Read(b []byte) (int, error) { return d(b) }
func (device) Write(b []byte) (int, error)  { return len(b), nil }
func (device) Close() error                 { return nil }
