package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"countersign/internal/secret"
	"countersign/internal/secret/mask"
)

// Sealer encrypts the secret parts of a row; *secret.Keyset implements it.
type Sealer interface {
	Seal(plaintext, associated []byte) ([]byte, error)
	Open(sealed, associated []byte) ([]byte, error)
}

// request is a test as stored: the values typed for secrets are sealed.
type request struct {
	TestInput

	Sealed []byte `json:"sealed,omitempty"`
}

func sealedFor(id uuid.UUID) []byte { return []byte("script_tests/" + id.String()) }

func (s *Service) pack(id uuid.UUID, in TestInput) ([]byte, error) {
	r := request{TestInput: in}
	if len(in.SecretOverrides) > 0 {
		var err error
		if r.Sealed, err = s.seal(id, in.SecretOverrides); err != nil {
			return nil, err
		}
		r.SecretOverrides = nil
	}
	data, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode test: %w", err)
	}
	return data, nil
}

func (s *Service) unpack(id uuid.UUID, data []byte) (TestInput, error) {
	var r request
	if err := json.Unmarshal(data, &r); err != nil {
		return TestInput{}, fmt.Errorf("read test: %w", err)
	}
	if r.Sealed == nil {
		return r.TestInput, nil
	}
	var err error
	r.SecretOverrides, err = s.unseal(id, r.Sealed)
	return r.TestInput, err
}

// seal encrypts values for a row, by their names.
func (s *Service) seal(id uuid.UUID, values map[string]string) ([]byte, error) {
	if s.Sealer == nil {
		return nil, errors.New("script: there is no sealer for the values of a test")
	}
	data, err := json.Marshal(values)
	if err != nil {
		return nil, fmt.Errorf("encode values of test: %w", err)
	}
	sealed, err := s.Sealer.Seal(data, sealedFor(id))
	if err != nil {
		return nil, fmt.Errorf("seal values of test: %w", err)
	}
	return sealed, nil
}

func (s *Service) unseal(id uuid.UUID, sealed []byte) (map[string]string, error) {
	if s.Sealer == nil {
		return nil, errors.New("script: there is no sealer for the values of a test")
	}
	data, err := s.Sealer.Open(sealed, sealedFor(id))
	if err != nil {
		return nil, fmt.Errorf("open values of test: %w", err)
	}
	var values map[string]string
	if err := json.Unmarshal(data, &values); err != nil {
		return nil, fmt.Errorf("read values of test: %w", err)
	}
	return values, nil
}

// checkOverrides never quotes a value.
func (in TestInput) checkOverrides(reject func(path, format string, args ...any)) {
	size := 0
	for _, name := range slices.Sorted(maps.Keys(in.SecretOverrides)) {
		value := in.SecretOverrides[name]
		size += len(value)
		_, declared := in.SecretEnv[name]
		switch path := "secretOverrides." + name; {
		case !declared:
			reject(path, "is for a variable that secretEnv does not declare")
		case !utf8.ValidString(value):
			reject(path, "is not UTF-8")
		case strings.ContainsRune(value, 0):
			reject(path, "holds a NUL character")
		case mask.TooShort(value):
			reject(path, "must have at least %d characters besides spaces, or it could not be hidden in the output", mask.MinLength)
		}
	}
	if size > maxEnvBytes {
		reject("secretOverrides", "have %d bytes; at most %d are allowed", size, maxEnvBytes)
	}
}

// overrides returns the values that the tester has typed, by variable.
func (in TestInput) overrides() map[string]secret.Value {
	values := make(map[string]secret.Value, len(in.SecretOverrides))
	for name, value := range in.SecretOverrides {
		values[name] = secret.NewValue(value)
	}
	return values
}

// masked removes the values that the tester has typed from an output.
func (in TestInput) masked(o TestOutput) (TestOutput, error) {
	if len(in.SecretOverrides) == 0 {
		return o, nil
	}
	m, err := mask.New(slices.Collect(maps.Values(in.overrides()))...)
	if err != nil {
		return TestOutput{}, err
	}
	text := m.Text
	if slices.Contains(o.LimitsHit, OutputLimit) {
		text = m.Cut
	}
	o.Result, o.Stdout, o.Stderr = m.JSON(o.Result), text(o.Stdout), text(o.Stderr)
	lines := make([]string, len(o.Logs))
	for i, l := range o.Logs {
		lines[i] = l.Text
	}
	for i, line := range m.Lines(lines) {
		o.Logs[i].Text = line
	}
	if n := len(o.Logs); n > 0 {
		o.Logs[n-1].Text = text(o.Logs[n-1].Text)
	}
	// The compiler's cache shares its list between callers.
	o.Diagnostics = slices.Clone(o.Diagnostics)
	for i := range o.Diagnostics {
		o.Diagnostics[i].Message = m.Cut(o.Diagnostics[i].Message)
	}
	for i, warning := range o.Warnings {
		o.Warnings[i] = m.Cut(warning)
	}
	if o.Error != nil {
		e := *o.Error
		e.Name, e.Message = m.Cut(e.Name), m.Cut(e.Message)
		for i := range e.Stack {
			e.Stack[i].Function = m.Cut(e.Stack[i].Function)
		}
		o.Error = &e
	}
	return o, nil
}
