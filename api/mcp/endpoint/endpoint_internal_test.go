package endpoint

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/principal"
)

func someone() principal.Principal {
	return principal.Principal{Kind: principal.Application, ID: uuid.UUID{1}, SessionID: uuid.UUID{2}}
}

func TestAStateIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	s, now := stateSealer{key: []byte("key")}, time.UnixMicro(1_800_000_000_000_000)
	written := requestState{mode: askForm, proposal: uuid.UUID{3}, expires: now.Add(time.Minute)}
	text := s.seal(someone(), "catalog_createSystem", json.RawMessage(`{"name":"A"}`), written)
	read, err := s.open(text, someone(), "catalog_createSystem", json.RawMessage(`{"name":"A"}`), now)
	require.NoError(t, err)
	require.True(t, written.expires.Equal(read.expires))
	require.Equal(t, written.proposal, read.proposal)
	require.Equal(t, written.mode, read.mode)

	another := someone()
	another.SessionID = uuid.UUID{9}
	for name, open := range map[string]func() error{
		"another token": func() error {
			_, err := s.open(text, another, "catalog_createSystem", json.RawMessage(`{"name":"A"}`), now)
			return err
		},
		"another tool": func() error {
			_, err := s.open(text, someone(), "catalog_deleteSystem", json.RawMessage(`{"name":"A"}`), now)
			return err
		},
		"another input": func() error {
			_, err := s.open(text, someone(), "catalog_createSystem", json.RawMessage(`{"name":"B"}`), now)
			return err
		},
		"too late": func() error {
			_, err := s.open(text, someone(), "catalog_createSystem", json.RawMessage(`{"name":"A"}`), now.Add(time.Minute))
			return err
		},
		"another key": func() error {
			_, err := stateSealer{key: []byte("other")}.open(text, someone(), "catalog_createSystem", json.RawMessage(`{"name":"A"}`), now)
			return err
		},
	} {
		require.Error(t, open(), name)
	}
}

// Whatever comes back is read as it was written, or not at all.
func FuzzAStateIsReadOrRefused(f *testing.F) {
	s, now := stateSealer{key: []byte("key")}, time.UnixMicro(1_800_000_000_000_000)
	good := s.seal(someone(), "a_b", nil, requestState{mode: askPage, proposal: uuid.UUID{3}, expires: now.Add(time.Minute)})
	f.Add(good)
	f.Add(good + "=")
	f.Add(strings.ToUpper(good))
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := s.open(text, someone(), "a_b", nil, now); err == nil {
			require.Equal(t, good, text)
		}
	})
}

func FuzzABodyIsCountedOrRefused(f *testing.F) {
	for _, body := range []string{`{}`, `[]`, `[{},{}]`, " [1", `{"a":1,"a":2}`, "", "[[[[", strings.Repeat("[", 300)} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		n, err := countRequests(body)
		if err == nil {
			require.True(t, json.Valid(body))
			require.LessOrEqual(t, n, maxBatch)
		}
	})
}

// An address means one kind of resource and one value, and is made of them again.
func FuzzAnAddressIsOfOneKind(f *testing.F) {
	for _, address := range []string{"countersign://docs/a/b", "countersign://systems/x", "countersign://systems/x/health", "countersign://targets/1/runs", "countersign://systems/%2e%2e", "countersign://", "x"} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		for _, k := range resourceTypes {
			value, ok := k.match(address)
			if !ok {
				continue
			}
			require.NotEmpty(t, value)
			again, ok := k.match(addressOf(k, value))
			if !strings.HasPrefix(k.path, "docs/") {
				require.True(t, ok, "%q", value)
				require.Equal(t, value, again)
			}
		}
	})
}

func TestSchemasHoldObjects(t *testing.T) {
	t.Parallel()
	got := objectSchemas(
		json.RawMessage(
			`{"type":"object","properties":{"a":true,"b":{"items":true,"anyOf":[false,{"type":"string"}]}},"additionalProperties":false}`,
		),
	)
	require.JSONEq(
		t,
		`{"type":"object","properties":{"a":{},"b":{"items":{},"anyOf":[{"not":{}},{"type":"string"}]}},"additionalProperties":false}`,
		string(got),
	)
	require.JSONEq(t, `true`, string(objectSchemas(json.RawMessage(`true`))))
}
