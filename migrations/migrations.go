// Package migrations holds the database schema as numbered SQL files, up and down, embedded into the binary.
// A released file is never edited: a change is a new file.
package migrations

import "embed"

// FS holds the migrations in goose format.
//
//go:embed *.sql
var FS embed.FS
