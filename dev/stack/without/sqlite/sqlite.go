// Package sqlite has no database driver: the embedded server keeps its state in PostgreSQL.
package sqlite

// Error is an error of SQLite, which nothing returns here.
type Error struct{}

func (*Error) Error() string { return "the embedded server has no SQLite" }

// Code is that of no error.
func (*Error) Code() int { return 0 }
