// Package sqlite3 has the codes of SQLite that the server compares with.
package sqlite3

// Codes of violated constraints, see https://www.sqlite.org/rescode.html.
const (
	SQLITE_CONSTRAINT            = 19
	SQLITE_CONSTRAINT_PRIMARYKEY = 1555
	SQLITE_CONSTRAINT_UNIQUE     = 2067
)
