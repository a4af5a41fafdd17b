package secret

import "context"

// Sealer encrypts values for the database and binds them to associated data. *Keyset implements it.
type Sealer interface {
	Seal(plaintext, associated []byte) ([]byte, error)
	Open(sealed, associated []byte) ([]byte, error)
	// Reseal seals a value with the newest key, and reports false when that key sealed it already.
	Reseal(sealed, associated []byte) ([]byte, bool, error)
}

// Sealed are sealed values that a module stores for good, which `countersign secrets rotate` seals with the newest key.
type Sealed struct {
	// Values names them in the plural, as "sign-ins at MCP servers".
	Values string
	// Reseal seals what an older key sealed, and reports how many that were. It can be stopped and repeated, beside running
	// processes: see ResealEach.
	Reseal func(ctx context.Context) (int, error)
}
