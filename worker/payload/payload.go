// Package payload encrypts workflow payloads in Temporal.
package payload

import (
	"fmt"
	"strconv"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"
)

const (
	// Encoding marks an encrypted payload. Temporal's remote decoders recognize it.
	Encoding = "binary/encrypted"
	// metadataKey is the metadata entry with the id of the encryption key.
	metadataKey = "encryption-key-id"
	// associatedDataPrefix is the domain separation between payloads and values that the database seals with the same
	// keys.
	associatedDataPrefix = "countersign/temporal-payload/"
)

// Codec encrypts payloads with AES-256-GCM while encryption is on, and decrypts those that are encrypted. Unencrypted
// payloads pass unchanged, so that histories from before it was switched on stay readable.
type Codec struct {
	Keys *Keys
	// Encrypt says whether new payloads are encrypted. Decryption does not depend on it, so that workflows continue after
	// it was switched off.
	Encrypt bool
}

var _ converter.PayloadCodec = Codec{}

// Encode implements converter.PayloadCodec.
func (c Codec) Encode(payloads []*common.Payload) ([]*common.Payload, error) {
	if !c.Encrypt {
		return payloads, nil
	}
	keys := c.Keys.Current()
	id := keyName(keys.KeyID())
	encoded := make([]*common.Payload, len(payloads))
	for i, p := range payloads {
		if string(p.GetMetadata()[converter.MetadataEncoding]) == Encoding {
			encoded[i] = p
			continue
		}
		plain, err := proto.Marshal(p)
		if err != nil {
			return nil, fmt.Errorf("encrypt payload: %w", err)
		}
		sealed, err := keys.Seal(plain, []byte(associatedDataPrefix+id))
		if err != nil {
			return nil, fmt.Errorf("encrypt payload: %w", err)
		}
		encoded[i] = &common.Payload{
			Metadata: map[string][]byte{converter.MetadataEncoding: []byte(Encoding), metadataKey: []byte(id)},
			Data:     sealed,
		}
	}
	return encoded, nil
}

// Decode implements converter.PayloadCodec.
func (c Codec) Decode(payloads []*common.Payload) ([]*common.Payload, error) {
	decoded := make([]*common.Payload, len(payloads))
	for i, p := range payloads {
		if string(p.GetMetadata()[converter.MetadataEncoding]) != Encoding {
			decoded[i] = p
			continue
		}
		id := string(p.GetMetadata()[metadataKey])
		keys := c.Keys.keysetWith(id)
		if keys == nil {
			return nil, &MissingKeyError{ID: clip(id)}
		}
		plain, err := keys.Open(p.GetData(), []byte(associatedDataPrefix+id))
		if err != nil {
			return nil, fmt.Errorf("decrypt payload with key %s: it is damaged, or was not encrypted by this installation", clip(id))
		}
		decoded[i] = &common.Payload{}
		if err := proto.Unmarshal(plain, decoded[i]); err != nil {
			return nil, fmt.Errorf("decrypt payload with key %s: what it holds is no payload", clip(id))
		}
	}
	return decoded, nil
}

// MissingKeyError is the error of a payload whose key this process lacks.
type MissingKeyError struct{ ID string }

func (e *MissingKeyError) Error() string {
	return "decrypt payload: the keyset of this process " +
		"lacks the key " + e.ID + ". Give it the keyset that the other processes have, and restart it"
}

func keyName(id uint32) string { return fmt.Sprintf("%08x", id) }

// clip bounds a key id from an untrusted payload.
func clip(id string) string { return strconv.Quote(id[:min(len(id), 16)]) }
