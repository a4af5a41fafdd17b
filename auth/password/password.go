// Package password hashes passwords with argon2id and stores the hashes as PHC strings, which name their own algorithm
// and parameters: $argon2id$v=19$m=65536,t=3,p=2$<salt>$<hash>.
//
// A hash is expensive on purpose, so a Hasher runs only a few concurrently; further callers wait for a slot or the end
// of their context. Hashes with old parameters still verify, and Outdated reports that the next sign-in should replace
// them.
package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/crypto/argon2"
	"golang.org/x/sync/semaphore"
)

const (
	saltBytes = 16
	hashBytes = 32
)

// Params is the cost of a hash.
type Params struct {
	MemoryKiB uint32
	Time      uint32
	Threads   uint8
}

// Defaults are above the second recommendation of RFC 9106, section 4: 64 MiB and three passes.
var Defaults = Params{MemoryKiB: 64 << 10, Time: 3, Threads: 2}

// limits bound the parameters of a stored hash, so that a damaged or forged row cannot exhaust the process.
var limits = Params{MemoryKiB: 256 << 10, Time: 16, Threads: 16}

// Hasher makes and verifies hashes. It is safe for concurrent use.
type Hasher struct {
	params  Params
	atOnce  int64
	running *semaphore.Weighted
}

// NewHasher creates a hasher; the zero Params mean Defaults. It runs as many hashes concurrently as there are
// processors, from 2 to 4.
func NewHasher(p Params) *Hasher {
	if p == (Params{}) {
		p = Defaults
	}
	atOnce := int64(min(max(runtime.GOMAXPROCS(0), 2), 4))
	return &Hasher{params: p, atOnce: atOnce, running: semaphore.NewWeighted(atOnce)}
}

// AtOnce is the number of concurrent hashes.
func (h *Hasher) AtOnce() int64 { return h.atOnce }

// Hash returns the PHC string of a password with a new salt.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt)
	key, err := h.derive(ctx, password, salt, h.params, hashBytes)
	if err != nil {
		return "", err
	}
	return phc{params: h.params, salt: salt, key: key}.String(), nil
}

// Verify reports whether the password matches the PHC string. A malformed string is a host failure.
func (h *Hasher) Verify(ctx context.Context, encoded, password string) (bool, error) {
	stored, err := parse(encoded)
	if err != nil {
		return false, err
	}
	key, err := h.derive(ctx, password, stored.salt, stored.params, len(stored.key))
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(key, stored.key) == 1, nil
}

// Reject takes as long as Verify and always fails, against account enumeration.
func (h *Hasher) Reject(ctx context.Context, password string) error {
	_, err := h.derive(ctx, password, make([]byte, saltBytes), h.params, hashBytes)
	return err
}

// Outdated reports whether the PHC string has other parameters than this hasher's.
func (h *Hasher) Outdated(encoded string) bool {
	stored, err := parse(encoded)
	return err != nil || stored.params != h.params || len(stored.key) != hashBytes || len(stored.salt) != saltBytes
}

func (h *Hasher) derive(ctx context.Context, password string, salt []byte, p Params, length int) ([]byte, error) {
	if err := h.running.Acquire(ctx, 1); err != nil {
		return nil, fmt.Errorf("wait for a turn to hash: %w", err)
	}
	defer h.running.Release(1)
	return argon2.IDKey([]byte(password), salt, p.Time, p.MemoryKiB, p.Threads, uint32(length)), nil
}

// Check reports whether Verify can parse encoded.
func Check(encoded string) error {
	_, err := parse(encoded)
	return err
}

type phc struct {
	params Params
	salt   []byte
	key    []byte
}

func (p phc) String() string {
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version,
		p.params.MemoryKiB, p.params.Time, p.params.Threads, encode(p.salt), encode(p.key))
}

// errMalformed does not quote the string, which is secret.
var errMalformed = errors.New("stored password hash is not an argon2id PHC string within the limits")

// parse reads a canonical PHC string.
func parse(encoded string) (phc, error) {
	if len(encoded) > 512 {
		return phc{}, errMalformed
	}
	parts := strings.Split(encoded, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != "v="+strconv.Itoa(argon2.Version) {
		return phc{}, errMalformed
	}
	params, ok := parseParams(parts[3])
	if !ok {
		return phc{}, errMalformed
	}
	strict := base64.RawStdEncoding.Strict()
	salt, saltErr := strict.DecodeString(parts[4])
	key, keyErr := strict.DecodeString(parts[5])
	p := phc{params: params, salt: salt, key: key}
	if saltErr != nil || keyErr != nil || len(salt) < 8 || len(salt) > 64 || len(key) < 16 || len(key) > 64 || p.String() != encoded {
		return phc{}, errMalformed
	}
	return p, nil
}

func parseParams(text string) (Params, bool) {
	fields := strings.Split(text, ",")
	if len(fields) != 3 {
		return Params{}, false
	}
	memory, okMemory := parseCost(fields[0], "m=", limits.MemoryKiB)
	time, okTime := parseCost(fields[1], "t=", limits.Time)
	threads, okThreads := parseCost(fields[2], "p=", uint32(limits.Threads))
	// argon2 needs 8 KiB a thread.
	if !okMemory || !okTime || !okThreads || memory < 8*threads {
		return Params{}, false
	}
	return Params{MemoryKiB: memory, Time: time, Threads: uint8(threads)}, true
}

func parseCost(field, prefix string, most uint32) (uint32, bool) {
	digits, ok := strings.CutPrefix(field, prefix)
	n, err := strconv.ParseUint(digits, 10, 32)
	return uint32(n), ok && err == nil && n >= 1 && n <= uint64(most)
}
