package memfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// Open opens a file with the flags of package os.
func (f *FS) Open(p string, flag int) (io.ReadWriteCloser, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.find(p)
	switch {
	case errors.Is(err, fs.ErrNotExist) && flag&os.O_CREATE != 0:
		parent, name, err := f.parent(p)
		if err != nil {
			return nil, failed("open", p, err)
		}
		n = &node{mode: 0o644, modified: time.Now()}
		parent.children[name] = n
		parent.modified = n.modified
	case err != nil:
		return nil, failed("open", p, err)
	case flag&os.O_EXCL != 0:
		return nil, failed("open", p, fs.ErrExist)
	}
	if n.device != nil {
		return n.device(flag), nil
	}
	writes := flag&(os.O_WRONLY|os.O_RDWR) != 0
	if n.mode.IsDir() {
		return nil, failed("open", p, syscall.EISDIR)
	}
	if writes && flag&os.O_TRUNC != 0 {
		n.data = nil
		n.modified = time.Now()
	}
	return &file{fs: f, node: n, reads: flag&os.O_WRONLY == 0, writes: writes, appends: flag&os.O_APPEND != 0}, nil
}

type file struct {
	fs                     *FS
	node                   *node
	at                     int
	reads, writes, appends bool
}

func (f *file) Read(b []byte) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if !f.reads {
		return 0, syscall.EBADF
	}
	if f.at >= len(f.node.data) {
		return 0, io.EOF
	}
	n := copy(b, f.node.data[f.at:])
	f.at += n
	return n, nil
}

func (f *file) Write(b []byte) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if !f.writes {
		return 0, syscall.EBADF
	}
	if f.appends {
		f.at = len(f.node.data)
	}
	if gap := f.at - len(f.node.data); gap > 0 {
		f.node.data = append(f.node.data, make([]byte, gap)...)
	}
	n := copy(f.node.data[f.at:], b)
	f.node.data = append(f.node.data, b[n:]...)
	f.at += len(b)
	f.node.modified = time.Now()
	return len(b), nil
}

func (f *file) Close() error { return nil }

// ReadFile returns what is in a file.
func (f *FS) ReadFile(p string) ([]byte, error) {
	r, err := f.Open(p, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	return io.ReadAll(r)
}

// WriteFile replaces what is in a file.
func (f *FS) WriteFile(p string, data []byte) error {
	w, err := f.Open(p, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return errors.Join(err, w.Close())
}
