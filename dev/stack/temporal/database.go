package temporal

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/postgresql"
	pgv12 "go.temporal.io/server/schema/postgresql/v12"
	"go.temporal.io/server/tools/common/schema"
	sqltool "go.temporal.io/server/tools/sql"
)

// connectionsPerPool bounds each of the eight pools that the services open, two
// each. The bound is rarely reached.
const connectionsPerPool = 16

// Database is the PostgreSQL database that the server uses. The user has to be
// allowed to create schemas and extensions in it.
type Database struct {
	Address  string
	Name     string
	User     string
	Password string
}

// store is one of the two schemas that Temporal keeps.
type store struct {
	schema  string
	source  string // of the schema's versions, inside the server's module
	version string
	// witness is a table that has rows once a server has run.
	witness string
}

func stores() (execution, visibility store) {
	execution = store{
		schema:  "temporal",
		source:  "postgresql/v12/temporal",
		version: pgv12.Version,
		witness: "cluster_metadata_info",
	}
	visibility = store{
		schema:  "temporal_visibility",
		source:  "postgresql/v12/visibility",
		version: pgv12.VisibilityVersion,
		witness: "executions_visibility",
	}
	return execution, visibility
}

func (d Database) sql(s store) *config.SQL {
	return &config.SQL{
		PluginName:        postgresql.PluginNamePGX,
		ConnectProtocol:   "tcp",
		ConnectAddr:       d.Address,
		DatabaseName:      d.Name,
		User:              d.User,
		Password:          d.Password,
		ConnectAttributes: map[string]string{"search_path": s.schema},
		MaxConns:          connectionsPerPool,
		MaxIdleConns:      connectionsPerPool,
		MaxConnLifetime:   time.Hour,
	}
}

func (d Database) persistence() config.Persistence {
	execution, visibility := stores()
	return config.Persistence{
		NumHistoryShards: historyShards,
		DefaultStore:     execution.schema,
		VisibilityStore:  visibility.schema,
		DataStores: map[string]config.DataStore{
			execution.schema:  {SQL: d.sql(execution)},
			visibility.schema: {SQL: d.sql(visibility)},
		},
	}
}

func (d Database) connect(ctx context.Context) (*pgx.Conn, error) {
	address := url.URL{
		Scheme: "postgres", User: url.UserPassword(d.User, d.Password),
		Host: d.Address, Path: "/" + d.Name,
	}
	connection, err := pgx.Connect(ctx, address.String())
	if err != nil {
		return nil, fmt.Errorf("connect to the database of Temporal: %w", err)
	}
	return connection, nil
}

// migrate creates both schemas or brings them to the version of this server.
func migrate(ctx context.Context, database Database) error {
	connection, err := database.connect(ctx)
	if err != nil {
		return err
	}
	defer connection.Close(ctx)

	execution, visibility := stores()
	for _, s := range []store{execution, visibility} {
		version, err := s.currentVersion(ctx, connection)
		if err != nil {
			return fmt.Errorf("read the version of the schema %s: %w", s.schema, err)
		}
		if version == s.version {
			continue
		}
		used, err := s.used(ctx, connection)
		if err != nil {
			return fmt.Errorf("look into the schema %s: %w", s.schema, err)
		}
		if !used {
			// An unfinished schema is the rest of an interrupted set-up.
			if err := s.recreate(ctx, connection); err != nil {
				return fmt.Errorf("create the schema %s: %w", s.schema, err)
			}
		}
		if err := s.update(database, !used); err != nil {
			return fmt.Errorf("update the schema %s to version %s: %w", s.schema, s.version, err)
		}
	}
	return dropUnusedIndexes(ctx, connection, visibility.schema)
}

// currentVersion is empty when the schema has not been set up.
func (s store) currentVersion(ctx context.Context, connection *pgx.Conn) (string, error) {
	table := pgx.Identifier{s.schema, "schema_version"}.Sanitize()
	var exists bool
	if err := connection.QueryRow(ctx, "select to_regclass($1) is not null", table).Scan(&exists); err != nil || !exists {
		return "", err
	}
	var version string
	err := connection.QueryRow(ctx, "select curr_version from "+table).Scan(&version)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return version, err
}

func (s store) used(ctx context.Context, connection *pgx.Conn) (bool, error) {
	table := pgx.Identifier{s.schema, s.witness}.Sanitize()
	var used bool
	if err := connection.QueryRow(ctx, "select to_regclass($1) is not null", table).Scan(&used); err != nil || !used {
		return false, err
	}
	err := connection.QueryRow(ctx, "select exists (select from "+table+")").Scan(&used)
	return used, err
}

func (s store) recreate(ctx context.Context, connection *pgx.Conn) error {
	name := pgx.Identifier{s.schema}.Sanitize()
	_, err := connection.Exec(ctx, "drop schema if exists "+name+" cascade; create schema "+name)
	if err != nil {
		return err
	}
	if s.source != "postgresql/v12/visibility" {
		return nil
	}
	// The visibility indexes need the extension; it belongs to their schema, as
	// the schema public is the product's.
	_, err = connection.Exec(ctx, "create extension if not exists btree_gin schema "+name)
	return err
}

func (s store) update(database Database, fresh bool) error {
	silent := log.NewNoopLogger()
	connection, err := sqltool.NewConnection(database.sql(s), silent)
	if err != nil {
		return err
	}
	defer connection.Close()
	if fresh {
		if err := schema.NewSetupSchemaTask(connection, &schema.SetupConfig{InitialVersion: "0.0"}, silent).Run(); err != nil {
			return err
		}
	}
	return schema.NewUpdateSchemaTask(connection, &schema.UpdateConfig{
		DBName:     database.Name,
		SchemaName: s.source,
	}, silent).Run()
}
