//go:build linux

package image_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// envInside holds what a process of the test binary becomes: a container.
const envInside = "COUNTERSIGN_TEST_CONTAINER"

// binary is where the image has the product.
const binary = "/usr/local/bin/countersign"

// container is a process with a root and folders of its own.
type container struct {
	// Root is the folder that becomes the root.
	Root string
	// ReadOnly says that nothing can be written there.
	ReadOnly bool
	// Folders are put into the root.
	Folders []folder
	// Account is what the process runs as, where the test may change that.
	Account int
	Args    []string
	Env     []string
}

// folder of this machine, and where it lies in the container.
type folder struct {
	From, To string
	ReadOnly bool
}

// enter makes the process what a spec says. It returns with an error only.
func enter(spec string) error {
	var c container
	if err := json.Unmarshal([]byte(spec), &c); err != nil {
		return err
	}
	mount := func(from, to string, flags uintptr) error {
		if err := syscall.Mount(from, to, "", flags, ""); err != nil {
			return fmt.Errorf("mount %s: %w", to, err)
		}
		return nil
	}
	if err := errors.Join(
		mount("", "/", syscall.MS_REC|syscall.MS_PRIVATE),
		mount(c.Root, c.Root, syscall.MS_BIND|syscall.MS_REC),
	); err != nil {
		return err
	}
	for _, f := range c.Folders {
		to := filepath.Join(c.Root, f.To)
		if err := mount(f.From, to, syscall.MS_BIND|syscall.MS_REC); err != nil {
			return err
		}
		if f.ReadOnly {
			if err := mount("", to, syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY); err != nil {
				return err
			}
		}
	}
	if c.ReadOnly {
		if err := mount("", c.Root, syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY); err != nil {
			return err
		}
	}
	if err := errors.Join(syscall.Chroot(c.Root), os.Chdir("/")); err != nil {
		return fmt.Errorf("change the root: %w", err)
	}
	if c.ReadOnly && !errors.Is(os.WriteFile("/written", nil, 0o600), syscall.EROFS) {
		return errors.New("the root can be written to")
	}
	if c.Account != 0 {
		if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(c.Account), syscall.Setuid(c.Account)); err != nil {
			return fmt.Errorf("change the account: %w", err)
		}
	}
	return fmt.Errorf("run %s: %w", binary, syscall.Exec(binary, append([]string{binary}, c.Args...), c.Env))
}

// mounts skips the test where this account may make no mounts.
func mounts(t *testing.T) *syscall.SysProcAttr {
	t.Helper()
	attr := func() *syscall.SysProcAttr {
		a := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
		if os.Getuid() != 0 {
			a.Cloneflags |= syscall.CLONE_NEWUSER
			a.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
			a.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
		}
		return a
	}
	try := exec.CommandContext(t.Context(), "true")
	try.SysProcAttr = attr()
	if err := try.Run(); err != nil {
		t.Skipf("this machine lets nobody make mounts of their own: %v", err)
	}
	return attr()
}

// start runs the container until the test ends and returns what it prints.
func (c container) start(t *testing.T) *output {
	t.Helper()
	attr := mounts(t)
	if os.Getuid() != 0 {
		c.Account = 0 // an account of its own takes root
	}
	spec, err := json.Marshal(c)
	require.NoError(t, err)
	printed := &output{}
	cmd := exec.Command(os.Args[0]) // this binary itself, which the end of the test kills
	cmd.Env = []string{envInside + "=" + string(spec)}
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = printed, printed, attr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("countersign %s:\n%s", strings.Join(c.Args, " "), printed)
		}
	})
	return printed
}

// output is what a process prints.
type output struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// environ is a list of variables.
func environ(parts ...map[string]string) []string {
	all := map[string]string{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	list := make([]string, 0, len(all))
	for name, value := range all {
		list = append(list, name+"="+value)
	}
	return list
}
