package stack

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// lockFile is locked by the process that uses a data folder.
const lockFile = "devstack.lock"

// oldLog is the size from which a log file is rotated at the next start.
const oldLog = 16 << 20

// folder is a data folder that this process has for itself.
type folder struct {
	path string
	lock *os.File
}

// openFolder creates the folder where needed and locks it. The lock ends with
// this process, however it ends.
func openFolder(path string) (*folder, error) {
	// Others may pass through, because Postgres may run as another user; what is
	// secret inside has a mode of its own.
	for _, dir := range []string{path, filepath.Join(path, "logs")} {
		if err := os.MkdirAll(dir, 0o711); err != nil {
			return nil, fmt.Errorf("create the data folder: %w", err)
		}
	}
	lock, err := os.OpenFile(filepath.Join(path, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err != nil {
		owner, _ := io.ReadAll(io.LimitReader(lock, 32))
		_ = lock.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("the data folder %s is in use by another devstack (process %s): stop it, or set %s to another folder",
				path, strings.TrimSpace(string(owner)), dataVariable)
		}
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	err = errors.Join(lock.Truncate(0), writeLine(lock, os.Getpid()))
	if err != nil {
		_ = lock.Close()
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	return &folder{path: path, lock: lock}, nil
}

// memory is where Linux keeps files in memory. A database of a test is a thousand
// small files that are made and removed again, which costs a disk's file system
// several times what the test does.
const (
	memory     = "/dev/shm"
	muchMemory = 8 << 30

	temporaryPrefix = "countersign-"
)

// temporaryFolder is a folder that an unprivileged user can pass through. Where
// there is plenty of memory, one of volatile state lies in it.
func temporaryFolder(volatile bool) (string, error) {
	parent := ""
	if volatile {
		sweep(memory)
		if free(memory) >= muchMemory {
			parent = memory
		}
	}
	path, err := os.MkdirTemp(parent, temporaryPrefix)
	if err != nil {
		return "", fmt.Errorf("create a temporary folder: %w", err)
	}
	return path, os.Chmod(path, 0o711)
}

// sweep removes what processes that were killed have left in a folder: what is
// locked by nobody. One whose lock is new may be about to be locked.
func sweep(parent string) {
	left, _ := filepath.Glob(filepath.Join(parent, temporaryPrefix+"*", lockFile))
	for _, path := range left {
		lock, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		info, err := lock.Stat()
		if err != nil || time.Since(info.ModTime()) < time.Minute {
			_ = lock.Close()
			continue
		}
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			_ = os.RemoveAll(filepath.Dir(path))
		}
		_ = lock.Close()
	}
}

// free returns the free bytes of a file system, 0 when unknown.
func free(path string) int64 {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(path, &fs); err != nil {
		return 0
	}
	return int64(fs.Bavail) * int64(fs.Bsize) //nolint:unconvert // the types differ between systems
}

func writeLine(w io.Writer, value any) error {
	_, err := fmt.Fprintln(w, value)
	return err
}

func (f *folder) close() { _ = f.lock.Close() }

func (f *folder) logPath(name string) string { return filepath.Join(f.path, "logs", name+".log") }

// openLog opens a log file for appending.
func (f *folder) openLog(name string) (*os.File, error) {
	path := f.logPath(name)
	if info, err := os.Stat(path); err == nil && info.Size() > oldLog {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, fmt.Errorf("put the log %s aside: %w", path, err)
		}
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log of %s: %w", name, err)
	}
	return file, nil
}

// credentials are those of the first administrator, written by the product at its first start.
type credentials struct {
	Email    string `json:"email"`
	Password string `json:"password"`
	URL      string `json:"url"`
}

// credentials returns false when the product has written none.
func (f *folder) credentials() (credentials, bool) {
	text, err := os.ReadFile(filepath.Join(f.path, "credentials.json"))
	if err != nil {
		return credentials{}, false
	}
	var found credentials
	if err := json.Unmarshal(text, &found); err != nil || found.Email == "" {
		return credentials{}, false
	}
	return found, true
}
