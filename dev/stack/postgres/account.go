package postgres

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// account is the unprivileged operating system user that runs Postgres when this process is root, which Postgres
// refuses. A nil account is the user of this process.
type account struct {
	name     string
	uid, gid uint32
}

// unprivileged picks the account for a process with the effective user id euid.
func unprivileged(euid int) (*account, error) {
	if euid != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(found.Uid, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("read the user id of %s: %w", name, err)
		}
		gid, err := strconv.ParseUint(found.Gid, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("read the group id of %s: %w", name, err)
		}
		return &account{name: name, uid: uint32(uid), gid: uint32(gid)}, nil
	}
	return nil, errors.New(
		"PostgreSQL cannot run as root, and this machine has neither a user postgres nor a user nobody: start as another user",
	)
}

// assume makes cmd run as the account.
func (a *account) assume(cmd *exec.Cmd) {
	if a == nil {
		return
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: a.uid, Gid: a.gid}
	// The caller's HOME is not readable for the account.
	cmd.Env = append(cmd.Environ(), "HOME=/", "USER="+a.name, "LOGNAME="+a.name)
}

// own changes the owner of path to the account.
func (a *account) own(path string) error {
	if a == nil {
		return nil
	}
	return os.Chown(path, int(a.uid), int(a.gid))
}

// reaches reports whether the account can enter dir. It runs program there, because permission bits are not sufficient
// evidence.
func (a *account) reaches(dir, program string) bool {
	if a == nil {
		return true
	}
	cmd := exec.Command(program, "--version")
	cmd.Dir = dir
	a.assume(cmd)
	return cmd.Run() == nil
}

// makePrivate creates dir, which only the account may enter.
func (a *account) makePrivate(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return a.own(dir)
}
