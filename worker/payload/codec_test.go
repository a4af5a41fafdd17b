package payload_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"

	"countersign/internal/secret"
	"countersign/worker/payload"
)

func newKeys(t *testing.T) *secret.Keyset {
	t.Helper()
	k, err := secret.New()
	require.NoError(t, err)
	return k
}

func plain(t *testing.T, value any) []*common.Payload {
	t.Helper()
	p, err := converter.GetDefaultDataConverter().ToPayload(value)
	require.NoError(t, err)
	return []*common.Payload{p}
}

func equal(t *testing.T, want, got []*common.Payload) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		require.True(t, proto.Equal(want[i], got[i]))
	}
}

func TestPayloadsAreEncryptedAndReadAgain(t *testing.T) {
	t.Parallel()
	c := payload.Codec{Keys: payload.NewKeys(newKeys(t), nil), Encrypt: true}
	for _, value := range []any{"zebrafinch", nil, []byte{}, map[string]any{"a": 1}} {
		bare := plain(t, value)
		sealed, err := c.Encode(bare)
		require.NoError(t, err)
		require.Equal(t, payload.Encoding, string(sealed[0].GetMetadata()[converter.MetadataEncoding]))
		require.NotContains(t, sealed[0].String(), "zebrafinch")
		require.Len(t, sealed[0].GetMetadata(), 2, "nothing of the payload's own metadata shows")
		twice, err := c.Encode(bare)
		require.NoError(t, err)
		require.NotEqual(t, sealed[0].GetData(), twice[0].GetData())
		opened, err := c.Decode(sealed)
		require.NoError(t, err)
		equal(t, bare, opened)
		again, err := c.Encode(sealed)
		require.NoError(t, err)
		equal(t, sealed, again)
	}
}

func TestPayloadsThatAreNotEncryptedPass(t *testing.T) {
	t.Parallel()
	bare := append(plain(t, "x"), &common.Payload{}, nil)
	for _, c := range []payload.Codec{{Keys: payload.NewKeys(newKeys(t), nil)}, {Keys: payload.NewKeys(newKeys(t), nil), Encrypt: true}} {
		opened, err := c.Decode(bare)
		require.NoError(t, err)
		equal(t, bare, opened)
	}
	same, err := payload.Codec{Keys: payload.NewKeys(newKeys(t), nil)}.Encode(bare)
	require.NoError(t, err)
	equal(t, bare, same)
}

func TestRotationReadsWhatOlderKeysEncrypted(t *testing.T) {
	t.Parallel()
	first := newKeys(t)
	second, err := first.Rotate()
	require.NoError(t, err)
	old := payload.Codec{Keys: payload.NewKeys(first, func() (*secret.Keyset, error) { return second, nil }), Encrypt: true}
	fresh := payload.Codec{Keys: payload.NewKeys(second, nil), Encrypt: true}
	before, err := old.Encode(plain(t, "before"))
	require.NoError(t, err)
	after, err := fresh.Encode(plain(t, "after"))
	require.NoError(t, err)
	require.NotEqual(t, before[0].GetMetadata()["encryption-key-id"], after[0].GetMetadata()["encryption-key-id"])
	opened, err := fresh.Decode(before)
	require.NoError(t, err)
	equal(t, plain(t, "before"), opened)
	// A process that has not been restarted reads its keyset again.
	opened, err = old.Decode(after)
	require.NoError(t, err)
	equal(t, plain(t, "after"), opened)
}

func TestWhatCannotBeReadIsAnError(t *testing.T) {
	t.Parallel()
	keys := newKeys(t)
	c := payload.Codec{Keys: payload.NewKeys(keys, nil), Encrypt: true}
	sealed, err := c.Encode(plain(t, "zebrafinch"))
	require.NoError(t, err)
	_, err = payload.Codec{Keys: payload.NewKeys(newKeys(t), nil)}.Decode(sealed)
	require.ErrorContains(t, err, "lacks the key")

	// What is sealed elsewhere by the same key is no payload, and a payload is nothing else.
	elsewhere, err := keys.Seal([]byte("x"), []byte("table/row"))
	require.NoError(t, err)
	_, err = keys.Open(sealed[0].GetData(), nil)
	require.Error(t, err)
	for name, change := range map[string]func(*common.Payload){
		"another bit":      func(p *common.Payload) { p.Data[len(p.GetData())-1] ^= 1 },
		"nothing":          func(p *common.Payload) { p.Data = nil },
		"sealed for a row": func(p *common.Payload) { p.Data = elsewhere },
		"no key":           func(p *common.Payload) { delete(p.GetMetadata(), "encryption-key-id") },
		"a key of letters": func(p *common.Payload) { p.Metadata["encryption-key-id"] = []byte("../../etc/passwd and more") },
		"another spelling": func(p *common.Payload) {
			p.Metadata["encryption-key-id"] = append([]byte("0"), p.GetMetadata()["encryption-key-id"]...)
		},
		"a key of tomorrow": func(p *common.Payload) { p.Metadata["encryption-key-id"] = []byte("00000001") },
	} {
		damaged, ok := proto.Clone(sealed[0]).(*common.Payload)
		require.True(t, ok)
		change(damaged)
		_, err := c.Decode([]*common.Payload{damaged})
		require.Error(t, err, name)
		require.NotContains(t, err.Error(), "and more")
	}
}
