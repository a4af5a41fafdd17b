package shim

import (
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/microsoft/typescript-go/internal/vfs"
)

// files is a read-only file system in memory, by absolute path. Nothing of the host can be reached through it.
type files map[string]string

var _ vfs.FS = files(nil)

var errReadOnly = errors.New("the file system is read-only")

func (f files) UseCaseSensitiveFileNames() bool { return true }

func (f files) FileExists(name string) bool {
	_, ok := f[name]
	return ok
}

func (f files) ReadFile(name string) (string, bool) {
	text, ok := f[name]
	return text, ok
}

func (f files) DirectoryExists(name string) bool {
	prefix := strings.TrimSuffix(name, "/") + "/"
	for known := range f {
		if strings.HasPrefix(known, prefix) {
			return true
		}
	}
	return false
}

func (f files) Realpath(name string) string                { return name }
func (f files) GetAccessibleEntries(string) vfs.Entries    { return vfs.Entries{} }
func (f files) Stat(string) vfs.FileInfo                   { return nil }
func (f files) WalkDir(string, fs.WalkDirFunc) error       { return nil }
func (f files) WriteFile(string, string) error             { return errReadOnly }
func (f files) AppendFile(string, string) error            { return errReadOnly }
func (f files) Remove(string) error                        { return errReadOnly }
func (f files) Chtimes(string, time.Time, time.Time) error { return errReadOnly }
