package postgres

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
)

// releases are the versions that can be fetched, by major version.
var releases = map[int]embeddedpostgres.PostgresVersion{
	15: embeddedpostgres.V15,
	16: embeddedpostgres.V16,
	17: embeddedpostgres.V17,
	18: embeddedpostgres.V18,
}

const fetchedMajor = 17

// fetch downloads PostgreSQL of the major version (0: a current one) from a Maven
// repository (empty: the one that the library knows) and unpacks it into a folder
// below cache, where later starts find it again.
func fetch(ctx context.Context, repository, cache string, major int) (Binaries, error) {
	if major == 0 {
		major = fetchedMajor
	}
	version, ok := releases[major]
	if !ok {
		return Binaries{}, fmt.Errorf("no PostgreSQL %d to download", major)
	}
	home := filepath.Join(cache, "postgresql-"+string(version))
	if found, err := inspect(ctx, filepath.Join(home, "bin")); err == nil {
		return found, nil
	}
	if err := os.MkdirAll(home, 0o755); err != nil {
		return Binaries{}, err
	}
	scratch, err := os.MkdirTemp(cache, "fetch-")
	if err != nil {
		return Binaries{}, err
	}
	defer os.RemoveAll(scratch)

	// The library downloads, verifies and unpacks only as part of starting a server, as the current user and in its own
	// data folder. A data folder that looks initialised but is empty stops it after unpacking; inspect verifies the
	// result.
	data := filepath.Join(scratch, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		return Binaries{}, err
	}
	if err := os.WriteFile(filepath.Join(data, "PG_VERSION"), fmt.Appendln(nil, major), 0o600); err != nil {
		return Binaries{}, err
	}
	config := embeddedpostgres.DefaultConfig().
		Version(version).
		Port(0).
		CachePath(scratch).
		RuntimePath(filepath.Join(scratch, "runtime")).
		DataPath(data).
		BinariesPath(home).
		Logger(io.Discard)
	if repository != "" {
		config = config.BinaryRepositoryURL(repository)
	}
	library := embeddedpostgres.NewDatabase(config)
	startErr := library.Start()
	if startErr == nil {
		_ = library.Stop()
	}
	found, err := inspect(ctx, filepath.Join(home, "bin"))
	if err != nil {
		return Binaries{}, fmt.Errorf("download PostgreSQL %s: %w", version, startErr)
	}
	return found, nil
}
