package postgres

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"countersign/dev/stack/child"
)

const (
	clusterFolder = "postgres"
	passwordFile  = "postgres.password"
	// sharedFolder holds files for the unprivileged account when it cannot enter root's data folder.
	sharedFolder = "/var/lib/countersign"
)

// site is the location of a cluster, existing or new, and its programs.
type site struct {
	dir      string
	major    int // of the cluster in dir, 0 when there is none
	binaries Binaries
}

// locate finds the cluster of a data folder and programs of the right version.
func locate(ctx context.Context, cfg Config, runAs *account) (site, error) {
	dir := filepath.Join(cfg.Data, clusterFolder)
	major, err := clusterVersion(dir)
	if err != nil {
		return site{}, err
	}
	elsewhere := remoteFolder(cfg.Data)
	if runAs != nil && major == 0 {
		if major, err = clusterVersion(elsewhere); err != nil {
			return site{}, err
		}
		if major != 0 {
			dir = elsewhere
		}
	}

	binaries, ok := choose(DefaultSearch().Find(ctx), major)
	if !ok {
		cfg.Progress("no PostgreSQL %s on this machine, downloading it", versionWanted(major))
		cache, err := cacheFolder(runAs)
		if err != nil {
			return site{}, err
		}
		binaries, err = fetch(ctx, "", cache, major)
		if err != nil {
			return site{}, fmt.Errorf(
				"PostgreSQL %s is neither on this machine nor could it be downloaded: install it (Debian: apt-get install "+
					"postgresql) and start again: %w",
				versionWanted(major),
				err,
			)
		}
	}

	if dir != elsewhere && !runAs.reaches(cfg.Data, binaries.program("postgres")) {
		dir = elsewhere
	}
	return site{dir: dir, major: major, binaries: binaries}, nil
}

func versionWanted(major int) string {
	if major == 0 {
		return strconv.Itoa(OldestMajor) + " or newer"
	}
	return strconv.Itoa(major)
}

// remoteFolder returns the location of a cluster that cannot be below the data folder.
func remoteFolder(data string) string {
	sum := sha256.Sum256([]byte(data))
	return filepath.Join(sharedFolder, hex.EncodeToString(sum[:8]), clusterFolder)
}

func cacheFolder(runAs *account) (string, error) {
	if runAs != nil {
		return sharedFolder, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a folder for the download: %w", err)
	}
	return filepath.Join(cache, "countersign"), nil
}

// clusterVersion is the major version of the cluster in dir, 0 when there is none.
func clusterVersion(dir string) (int, error) {
	text, err := os.ReadFile(filepath.Join(dir, "PG_VERSION"))
	if errors.Is(err, os.ErrNotExist) {
		entries, err := os.ReadDir(dir)
		if err == nil && len(entries) > 0 {
			return 0, fmt.Errorf("the folder %s holds files, but no PostgreSQL cluster: move it away or choose another data folder", dir)
		}
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the version of the PostgreSQL cluster: %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("read the version of the PostgreSQL cluster in %s: %w", dir, err)
	}
	return major, nil
}

// readPassword reads the password of the cluster; for a new cluster it makes one,
// unless an earlier attempt already has.
func readPassword(path string, fresh bool) (string, error) {
	text, err := os.ReadFile(path)
	if err == nil && len(text) > 0 {
		return string(text), nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("read the password of PostgreSQL: %w", err)
	}
	if !fresh {
		return "", fmt.Errorf("the file %s with the password of PostgreSQL is missing: put it back or start with a new data folder", path)
	}
	password := rand.Text()
	if err := os.WriteFile(path, []byte(password), 0o600); err != nil {
		return "", fmt.Errorf("keep the password of PostgreSQL: %w", err)
	}
	return password, nil
}

// initialise makes an empty cluster. It appears under its name only once it is
// complete, so an interrupted attempt leaves nothing to trip over.
func initialise(ctx context.Context, s site, runAs *account, password string) error {
	draft := s.dir + ".new"
	if err := os.RemoveAll(draft); err != nil {
		return fmt.Errorf("remove an unfinished PostgreSQL cluster: %w", err)
	}
	if err := runAs.makePrivate(draft); err != nil {
		return fmt.Errorf("create the folder of PostgreSQL: %w", err)
	}
	secret, err := handOver(password, filepath.Dir(s.dir), runAs)
	if err != nil {
		return fmt.Errorf("pass the password to initdb: %w", err)
	}
	defer os.Remove(secret)

	cmd := exec.Command(s.binaries.program("initdb"),
		"--pgdata="+draft, "--username="+Superuser, "--pwfile="+secret, "--auth=scram-sha-256",
		"--encoding=UTF8", "--locale="+locale(), "--no-instructions")
	cmd.Dir = draft
	cmd.Env = serverEnvironment(os.Environ())
	runAs.assume(cmd)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := child.Run(ctx, cmd); err != nil {
		return fmt.Errorf("create a PostgreSQL cluster: %w\n%s", err, bytes.TrimSpace(out.Bytes()))
	}
	if err := os.Remove(s.dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("create a PostgreSQL cluster: %w", err)
	}
	return os.Rename(draft, s.dir)
}

// handOver writes the password to a file in dir for initdb, which runs as the account.
func handOver(password, dir string, runAs *account) (string, error) {
	file, err := os.CreateTemp(dir, "initdb-password-")
	if err != nil {
		return "", err
	}
	_, err = io.WriteString(file, password)
	err = errors.Join(err, runAs.own(file.Name()), file.Close())
	if err != nil {
		_ = os.Remove(file.Name())
		return "", err
	}
	return file.Name(), nil
}

// locale returns a locale that sorts by code point where possible; macOS has no such locale with case mapping beyond
// ASCII.
func locale() string {
	if runtime.GOOS == "darwin" {
		return "en_US.UTF-8"
	}
	return "C.UTF-8"
}

func readFrom(path string, offset int64) string {
	text, err := os.ReadFile(path)
	if err != nil || int64(len(text)) <= offset {
		return ""
	}
	return string(text[offset:])
}
