package auth

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/auth/authdb"
	"countersign/internal/store"
)

// CredentialsFile is the name of the file with the first administrator's password.
const CredentialsFile = "credentials.json"

// Credentials are the first administrator's sign-in data.
type Credentials struct {
	Email    string `json:"email"`
	Password string `json:"password"`
	URL      string `json:"url"`
}

// FirstStart configures the first administrator.
type FirstStart struct {
	// Folder is the directory of credentials.json.
	Folder string
	// URL is the public address of the product, for the file.
	URL string
	// Email of the administrator; admin@countersign.local by default.
	Email string
	// Team is the name of an example team with the administrator as its member, so that the first created record can
	// have an owner; "Platform" by default.
	Team string
}

// forgetCredentials deletes the file with the first password after a password change. A file of another process stays,
// but is useless.
func (s *Sessions) forgetCredentials(email string) {
	if s.credentials == "" {
		return
	}
	data, err := os.ReadFile(s.credentials)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var c Credentials
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err == nil && strings.EqualFold(c.Email, email) {
		err = os.Remove(s.credentials)
	}
	if err != nil {
		s.log.Warn(
			"The file with the first password was not removed; the password in it is not valid any more",
			"file",
			s.credentials,
			"error",
			err,
		)
	}
}

// Bootstrap prepares an empty database: it declares the access rules and, without any user, creates the administrator
// with a random password and the example team. The credentials are returned, and written to a file with mode 0600, only
// then; the password is stored nowhere else. Later starts return nil, and update the URL in an existing file.
//
// The file is written before the transaction commits. A crash in between leaves a file with a useless password, which
// the next start replaces, and never an administrator with an unknown password.
func (a *Auth) Bootstrap(ctx context.Context, f FirstStart) (*Credentials, error) {
	setDefault(&f.Email, "admin@countersign.local")
	setDefault(&f.Team, "Platform")
	if err := a.Directory.SyncRules(ctx); err != nil {
		return nil, err
	}
	path := filepath.Join(f.Folder, CredentialsFile)
	var made *Credentials
	err := a.Directory.db.InTx(ctx, func(ctx context.Context) error {
		q := authdb.New(a.Directory.db.Conn(ctx))
		if err := q.LockBootstrap(ctx); err != nil {
			return fmt.Errorf("lock first start: %w", err)
		}
		exists, err := q.UserExists(ctx)
		if err != nil {
			return fmt.Errorf("look for users: %w", err)
		}
		if exists {
			return nil
		}
		credentials := Credentials{Email: f.Email, Password: rand.Text(), URL: f.URL}
		if err := a.makeAdministrator(ctx, q, f, credentials); err != nil {
			return err
		}
		made = &credentials
		return writeCredentials(path, credentials)
	})
	if err != nil {
		return nil, fmt.Errorf("first start: %w", err)
	}
	if made == nil {
		return nil, correctURL(path, f.URL)
	}
	a.Sessions.log.Info("First administrator made", "email", made.Email, "file", path)
	return made, nil
}

func (a *Auth) makeAdministrator(ctx context.Context, q *authdb.Queries, f FirstStart, c Credentials) error {
	var v validation
	admin := NewUser{Email: v.email(c.Email), Name: "Administrator", MustChangePassword: true}
	team := v.name("team", f.Team)
	if err := v.Err(); err != nil {
		return err
	}
	hash, err := a.Directory.hasher.Hash(ctx, c.Password)
	if err != nil {
		return err
	}
	id, err := a.Directory.insertUser(ctx, admin, hash, []uuid.UUID{AdminRole})
	if err != nil {
		return err
	}
	row, err := q.InsertTeam(
		ctx,
		authdb.InsertTeamParams{ID: store.NewID(), Name: team, Description: "An example team. Rename it, or add people to it."},
	)
	if err != nil {
		return explainTeam(err, team)
	}
	if _, err := q.AddTeamMember(ctx, authdb.AddTeamMemberParams{TeamID: row.ID, UserID: id}); err != nil {
		return fmt.Errorf("add administrator to team: %w", err)
	}
	return errors.Join(
		a.Directory.record(
			ctx,
			nobody,
			audit.Created,
			audit.Object(typeUser, id, admin.Name),
			"First administrator made at the first start",
			nil,
		),
		a.Directory.record(ctx, nobody, audit.Created, audit.Object(typeTeam, row.ID, row.Name), "Example team made at the first start", nil),
		a.Directory.recordMember(ctx, audit.Added, row, id),
	)
}

// writeCredentials replaces the file atomically.
func writeCredentials(path string, c Credentials) error {
	data, err := json.MarshalIndent(c, "", "  ") //nolint:gosec // The file exists to hold the password.
	if err != nil {
		return fmt.Errorf("encode credentials: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make data folder: %w", err)
	}
	// CreateTemp opens with mode 0600.
	file, err := os.CreateTemp(filepath.Dir(path), ".credentials-*")
	if err != nil {
		return fmt.Errorf("write credentials: %w", err)
	}
	_, err = file.Write(append(data, '\n'))
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
		return fmt.Errorf("write credentials: %w", err)
	}
	return nil
}

// correctURL updates the address after the port has changed. It does not recreate a deleted file.
func correctURL(path, url string) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read credentials: %w", err)
	}
	var c Credentials
	// A file with other content is left alone.
	if readable := json.Unmarshal(data, &c) == nil; !readable || c.URL == url {
		return nil
	}
	c.URL = url
	return writeCredentials(path, c)
}
