// Package memfs is the file system of one script: a tree in memory that begins with the usual folders and ends with the
// script. Paths are absolute and clean. There are no links, no owners and no permissions beyond the execute bit.
package memfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// FS is a file system. Its methods are safe for concurrent use.
type FS struct {
	mu   sync.Mutex
	root *node
}

type node struct {
	mode     fs.FileMode
	modified time.Time
	data     []byte
	children map[string]*node
	device   func(flag int) io.ReadWriteCloser
}

// New makes a file system with /tmp and /home/user in it.
func New() *FS {
	f := &FS{root: folder()}
	for _, p := range []string{"/bin", "/dev", "/home/user", "/tmp"} {
		_ = f.MkdirAll(p)
	}
	return f
}

func folder() *node {
	return &node{mode: fs.ModeDir | 0o755, modified: time.Now(), children: map[string]*node{}}
}

func failed(op, p string, err error) error { return &fs.PathError{Op: op, Path: p, Err: err} }

// find walks to a node; the lock is held.
func (f *FS) find(p string) (*node, error) {
	n := f.root
	for name := range strings.SplitSeq(strings.Trim(path.Clean(p), "/"), "/") {
		if name == "" {
			break
		}
		if n.children == nil {
			return nil, syscall.ENOTDIR
		}
		next := n.children[name]
		if next == nil {
			return nil, fs.ErrNotExist
		}
		n = next
	}
	return n, nil
}

// parent finds the folder that a path is in, and the last name of the path; the lock is held.
func (f *FS) parent(p string) (*node, string, error) {
	p = path.Clean(p)
	if p == "/" {
		return nil, "", fs.ErrInvalid
	}
	if len(path.Base(p)) > 255 || len(p) > 4096 {
		return nil, "", syscall.ENAMETOOLONG
	}
	n, err := f.find(path.Dir(p))
	if err != nil {
		return nil, "", err
	}
	if n.children == nil {
		return nil, "", syscall.ENOTDIR
	}
	return n, path.Base(p), nil
}

// Device puts a file at p that is opened by open.
func (f *FS) Device(p string, open func() io.ReadWriteCloser) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n, name, err := f.parent(p); err == nil {
		n.children[name] = &node{
			mode:     fs.ModeDevice | fs.ModeCharDevice | 0o666,
			modified: time.Now(),
			device:   func(int) io.ReadWriteCloser { return open() },
		}
	}
}

// Mkfifo makes a named pipe.
func (f *FS) Mkfifo(p string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, name, err := f.parent(p)
	if err != nil {
		return failed("mkfifo", p, err)
	}
	if n.children[name] != nil {
		return failed("mkfifo", p, fs.ErrExist)
	}
	r, w := io.Pipe()
	n.children[name] = &node{mode: fs.ModeNamedPipe | 0o644, modified: time.Now(), device: func(flag int) io.ReadWriteCloser {
		return pipe{r, w, flag&os.O_WRONLY != 0}
	}}
	return nil
}

type pipe struct {
	r *io.PipeReader
	w *io.PipeWriter
	// writes is set for the end that writes.
	writes bool
}

func (p pipe) Read(b []byte) (int, error)  { return p.r.Read(b) }
func (p pipe) Write(b []byte) (int, error) { return p.w.Write(b) }

func (p pipe) Close() error {
	if p.writes {
		return p.w.Close()
	}
	return p.r.Close()
}

// Mkdir makes one folder.
func (f *FS) Mkdir(p string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, name, err := f.parent(p)
	if err != nil {
		if errors.Is(err, fs.ErrInvalid) {
			err = fs.ErrExist
		}
		return failed("mkdir", p, err)
	}
	if n.children[name] != nil {
		return failed("mkdir", p, fs.ErrExist)
	}
	n.children[name] = folder()
	n.modified = time.Now()
	return nil
}

// MkdirAll makes a folder and those that it is in, unless they are there.
func (f *FS) MkdirAll(p string) error {
	at := "/"
	for name := range strings.SplitSeq(strings.Trim(path.Clean(p), "/"), "/") {
		at = path.Join(at, name)
		info, err := f.Stat(at)
		switch {
		case err == nil && info.IsDir():
		case err == nil:
			return failed("mkdir", p, syscall.ENOTDIR)
		default:
			if err := f.Mkdir(at); err != nil {
				return err
			}
		}
	}
	return nil
}

// Remove removes a file or an empty folder.
func (f *FS) Remove(p string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	parent, name, err := f.parent(p)
	if err != nil {
		return failed("remove", p, err)
	}
	n := parent.children[name]
	switch {
	case n == nil:
		return failed("remove", p, fs.ErrNotExist)
	case len(n.children) > 0:
		return failed("remove", p, syscall.ENOTEMPTY)
	}
	delete(parent.children, name)
	parent.modified = time.Now()
	return nil
}

// RemoveAll removes whatever is at p.
func (f *FS) RemoveAll(p string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	parent, name, err := f.parent(p)
	if err != nil {
		return failed("remove", p, err)
	}
	if parent.children[name] == nil {
		return failed("remove", p, fs.ErrNotExist)
	}
	delete(parent.children, name)
	parent.modified = time.Now()
	return nil
}

// Rename moves a file or a folder, over a file or an empty folder that has the new name.
func (f *FS) Rename(from, to string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if from == to {
		return nil
	}
	if strings.HasPrefix(to, strings.TrimSuffix(from, "/")+"/") {
		return failed("rename", from, fs.ErrInvalid)
	}
	source, name, err := f.parent(from)
	if err != nil {
		return failed("rename", from, err)
	}
	n := source.children[name]
	if n == nil {
		return failed("rename", from, fs.ErrNotExist)
	}
	target, newName, err := f.parent(to)
	if err != nil {
		return failed("rename", to, err)
	}
	if there := target.children[newName]; there != nil {
		switch {
		case there.mode.IsDir() && !n.mode.IsDir():
			return failed("rename", to, syscall.EISDIR)
		case !there.mode.IsDir() && n.mode.IsDir():
			return failed("rename", to, syscall.ENOTDIR)
		case len(there.children) > 0:
			return failed("rename", to, syscall.ENOTEMPTY)
		}
	}
	delete(source.children, name)
	target.children[newName] = n
	return nil
}

// Chmod sets the permission bits.
func (f *FS) Chmod(p string, mode fs.FileMode) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.find(p)
	if err != nil {
		return failed("chmod", p, err)
	}
	n.mode = n.mode&^fs.ModePerm | mode&fs.ModePerm
	return nil
}

// Touch sets the time of the last change.
func (f *FS) Touch(p string, at time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.find(p)
	if err != nil {
		return failed("touch", p, err)
	}
	n.modified = at
	return nil
}

// Stat describes what is at p.
func (f *FS) Stat(p string) (fs.FileInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.find(p)
	if err != nil {
		return nil, failed("stat", p, err)
	}
	return n.info(path.Base(path.Clean(p))), nil
}

// ReadDir lists a folder, sorted by name.
func (f *FS) ReadDir(p string) ([]fs.DirEntry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.find(p)
	if err != nil {
		return nil, failed("open", p, err)
	}
	if n.children == nil {
		return nil, failed("open", p, syscall.ENOTDIR)
	}
	entries := make([]fs.DirEntry, 0, len(n.children))
	for name, child := range n.children {
		entries = append(entries, fs.FileInfoToDirEntry(child.info(name)))
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

func (n *node) info(name string) info {
	return info{name: name, size: int64(len(n.data)), mode: n.mode, modified: n.modified}
}

type info struct {
	name     string
	size     int64
	mode     fs.FileMode
	modified time.Time
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return i.modified }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return nil }
