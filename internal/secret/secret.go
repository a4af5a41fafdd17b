// Package secret keeps the product's keys: it seals what must lie in the database encrypted, such as the API keys of
// model connections, and derives the keys that sign short-lived tokens.
//
// A Keyset has two parts. The AEAD keys seal values together with associated data, normally the table and id of the
// row, so that a sealed value is worthless in any other row; they rotate: a new primary key seals from then on, older
// keys still open. The derivation secret never rotates: the keys made from it, one for each purpose, must be the same
// in every process and after every restart. Both lie in one JSON file that only its owner may read. EnsureFile makes
// it at the first start; Load reads it from where an operator keeps it. Nothing in this package prints a key.
package secret

import (
	"bytes"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	tinkpb "github.com/tink-crypto/tink-go/v2/proto/tink_go_proto"
	"github.com/tink-crypto/tink-go/v2/tink"
)

const (
	formatVersion   = 1
	derivationBytes = 32
	// DerivedBytes is the length of a derived key.
	DerivedBytes = 32
	redacted     = "secret.Keyset(redacted)"
)

// Keyset seals, opens and derives. It is safe for concurrent use.
type Keyset struct {
	handle     *keyset.Handle
	primitive  tink.AEAD
	derivation []byte
}

// document is the file format. AEAD is a Tink keyset in its JSON form.
type document struct {
	Version    int             `json:"version"`
	Derivation []byte          `json:"derivation"`
	AEAD       json.RawMessage `json:"aead"`
}

// New makes a keyset with fresh keys.
func New() (*Keyset, error) {
	handle, err := keyset.NewHandle(aead.AES256GCMKeyTemplate())
	if err != nil {
		return nil, fmt.Errorf("make AEAD key: %w", err)
	}
	derivation := make([]byte, derivationBytes)
	_, _ = rand.Read(derivation)
	return assemble(handle, derivation)
}

// Parse reads a keyset in the form that Marshal writes. Its errors quote nothing of the input.
func Parse(data []byte) (*Keyset, error) {
	var d document
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		return nil, errors.New("parse keyset: it is not a keyset in JSON")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("parse keyset: there is text after it")
	}
	if d.Version != formatVersion {
		return nil, fmt.Errorf("parse keyset: version %d is not known, this binary reads version %d", d.Version, formatVersion)
	}
	if len(d.Derivation) != derivationBytes {
		return nil, fmt.Errorf("parse keyset: the derivation secret must have %d bytes", derivationBytes)
	}
	handle, err := insecurecleartextkeyset.Read(keyset.NewJSONReader(bytes.NewReader(d.AEAD)))
	if err != nil {
		return nil, errors.New("parse keyset: the AEAD keys cannot be read")
	}
	return assemble(handle, d.Derivation)
}

func assemble(handle *keyset.Handle, derivation []byte) (*Keyset, error) {
	primitive, err := aead.New(handle)
	if err != nil {
		return nil, errors.New("make keyset: the keys are not AEAD keys")
	}
	return &Keyset{handle: handle, primitive: primitive, derivation: derivation}, nil
}

// Marshal writes the keyset, keys in the clear, for a file or a vault that protects it.
func (k Keyset) Marshal() ([]byte, error) {
	var keys bytes.Buffer
	if err := insecurecleartextkeyset.Write(k.handle, keyset.NewJSONWriter(&keys)); err != nil {
		return nil, fmt.Errorf("marshal keyset: %w", err)
	}
	data, err := json.MarshalIndent(document{Version: formatVersion, Derivation: k.derivation, AEAD: keys.Bytes()}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("marshal keyset: %w", err)
	}
	return append(data, '\n'), nil
}

// Seal encrypts plaintext and binds it to associated, which is not stored and must be given again to Open.
func (k Keyset) Seal(plaintext, associated []byte) ([]byte, error) {
	sealed, err := k.primitive.Encrypt(plaintext, associated)
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	return sealed, nil
}

// Open decrypts what Seal made with the same associated data and any key of the keyset.
func (k Keyset) Open(sealed, associated []byte) ([]byte, error) {
	plaintext, err := k.primitive.Decrypt(sealed, associated)
	if err != nil {
		return nil, errors.New("open sealed value: it was sealed with another keyset or for another row, or it is damaged")
	}
	return plaintext, nil
}

// Current reports whether the primary key of the keyset sealed this value, so that sealing it again would change nothing.
func (k Keyset) Current(sealed []byte) bool {
	// A ciphertext begins with its format and the id of its key.
	const format, header = 1, 5
	return len(sealed) > header && sealed[0] == format && binary.BigEndian.Uint32(sealed[1:header]) == k.handle.KeysetInfo().GetPrimaryKeyId()
}

// KeyID is the id of the primary AEAD key. It says nothing about the key itself.
func (k Keyset) KeyID() uint32 { return k.handle.KeysetInfo().GetPrimaryKeyId() }

// Holds reports whether the keyset has the AEAD key with this id.
func (k Keyset) Holds(id uint32) bool {
	for _, key := range k.handle.KeysetInfo().GetKeyInfo() {
		if key.GetKeyId() == id && key.GetStatus() == tinkpb.KeyStatusType_ENABLED {
			return true
		}
	}
	return false
}

// Reseal seals a value with the primary key, and reports false when it was already.
func (k Keyset) Reseal(sealed, associated []byte) ([]byte, bool, error) {
	if k.Current(sealed) {
		return sealed, false, nil
	}
	plaintext, err := k.Open(sealed, associated)
	if err != nil {
		return nil, false, err
	}
	fresh, err := k.Seal(plaintext, associated)
	return fresh, err == nil, err
}

// Derive makes the 32-byte key of one purpose. It stays the same over restarts and rotations.
func (k Keyset) Derive(purpose string) []byte {
	key, err := hkdf.Key(sha256.New, k.derivation, nil, "countersign/"+purpose, DerivedBytes)
	if err != nil {
		// HKDF fails only for lengths that are constants here.
		panic(fmt.Sprintf("derive key: %v", err))
	}
	return key
}

// Rotate returns the keyset with a new primary AEAD key. Values sealed by older keys still open.
func (k Keyset) Rotate() (*Keyset, error) {
	manager := keyset.NewManagerFromHandle(k.handle)
	id, err := manager.Add(aead.AES256GCMKeyTemplate())
	if err != nil {
		return nil, fmt.Errorf("rotate keyset: %w", err)
	}
	if err := manager.SetPrimary(id); err != nil {
		return nil, fmt.Errorf("rotate keyset: %w", err)
	}
	handle, err := manager.Handle()
	if err != nil {
		return nil, fmt.Errorf("rotate keyset: %w", err)
	}
	return assemble(handle, k.derivation)
}

// Format prints a placeholder for every verb.
func (Keyset) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, redacted) }

// LogValue logs a placeholder.
func (Keyset) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalJSON keeps keys out of JSON that holds a Keyset by accident; Marshal is the way to write one.
func (Keyset) MarshalJSON() ([]byte, error) { return json.Marshal(redacted) }
