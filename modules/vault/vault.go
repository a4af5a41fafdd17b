// Package vault keeps named secrets for scripts and automations: API tokens, passwords, keys. A value goes in and never
// comes out: no route and no tool answers one, and the only way to it is Resolve, for a real run, which writes into the
// append-only table vault_uses who used it and what for before it hands the value over.
//
// Values are sealed with the row's id as associated data, so that a sealed value opens in no other row. How texts name
// secrets is package internal/secret/reference, how they are kept out of what runs write is package internal/secret/mask.
package vault

import (
	"context"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/secret"
	"countersign/internal/secret/mask"
	"countersign/internal/secret/reference"
	"countersign/internal/text"
	"countersign/modules/vault/vaultdb"
)

// The limits of secrets.
const (
	MaxSecrets     = 500
	MaxValueBytes  = 16 << 10
	MaxDescription = 500
	MaxPurpose     = 200
	// MaxResolved bounds the secrets of one run.
	MaxResolved = reference.MaxEnv
	maxUses     = 100
	resealBatch = 100
)

// Secret is the public part of a secret.
type Secret struct {
	ID          uuid.UUID  `json:"id"`
	Name        string     `json:"name" doc:"Capital letters, digits and underscores; texts refer to it as ${{ secrets.NAME }}"`
	Description string     `json:"description"`
	ValueSetAt  time.Time  `json:"valueSetAt" doc:"When the value was set last"`
	LastUsedAt  *time.Time `json:"lastUsedAt,omitempty" doc:"Absent when it was never used"`
	rest.Revised
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// Actions on record.
const (
	Created   = "create"
	Replaced  = "replace"
	Described = "describe"
	Deleted   = "delete"
	Used      = "use"
)

// SecretUse is one entry of the record of a secret.
type SecretUse struct {
	At        time.Time `json:"at"`
	Action    string    `json:"action" enum:"create,replace,describe,delete,use"`
	Revision  int64     `json:"revision" doc:"The revision of the secret that it made or used"`
	ActorKind string    `json:"actorKind" enum:"user,application,service"`
	ActorID   uuid.UUID `json:"actorId"`
	ActorName string    `json:"actorName,omitempty" doc:"Absent when the account is gone"`
	Purpose   string    `json:"purpose" doc:"What it was used for, such as the id of a run; empty for a change"`
}

// SecretPlace is a record that refers to a secret and fails without it.
type SecretPlace struct {
	Kind string `json:"kind" doc:"Such as automation"`
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Referrers finds the records of all modules that refer to a secret.
type Referrers interface {
	SecretUsers(ctx context.Context, name string) ([]secret.User, error)
}

// Names returns the names of principals; deleted ones are missing.
type Names interface {
	Names(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error)
}

// associated binds a sealed value to its row.
func associated(id uuid.UUID) []byte { return []byte("vault_secrets/" + id.String()) }

// shownSecret converts a row of sqlc.
func shownSecret(r vaultdb.SecretRow) Secret {
	s := Secret{
		ID: r.ID, Name: r.Name, Description: r.Description, ValueSetAt: r.ValueSetAt, Revised: rest.Revised{Revision: r.Revision},
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
	if r.UsedAt.Unix() > 0 {
		s.LastUsedAt = &r.UsedAt
	}
	return s
}

// validation checks an input. Its messages never quote a value.
type validation struct{ problem.Issues }

func (v *validation) name(name string) {
	if !reference.ValidName(name) {
		v.Report("name", "must begin with a capital letter and have only capital letters, digits and underscores, at most 64")
	}
}

func (v *validation) description(value string) string {
	return text.Lines(&v.Issues, "description", value, MaxDescription)
}

// value must fit into an environment variable, and be long enough to be masked.
func (v *validation) value(value string) {
	switch {
	case len(value) > MaxValueBytes:
		v.Report("value", "must have at most 16384 bytes")
	case !utf8.ValidString(value):
		v.Report("value", "must be UTF-8 text; encode binary data with base64")
	case mask.TooShort(value):
		v.Report("value", "must have at least 4 characters besides spaces, or it could not be hidden in the output of runs")
	default:
		for i := range len(value) {
			if value[i] == 0 {
				v.Report("value", "must not have a NUL character")
				return
			}
		}
	}
}
