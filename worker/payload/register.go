package payload

import (
	"context"
	"fmt"

	"countersign/internal/store"
	"countersign/worker/payload/payloaddb"
)

// proofContext is the associated data of the proof that a process has a key.
const proofContext = "countersign/temporal-payload-proof/"

// Verify checks that this process can decrypt the installation's payloads in Temporal, and records the key that it
// encrypts with. A process with another keyset must not start: it would fail running workflows.
func (c Codec) Verify(ctx context.Context, db *store.DB) error {
	q := payloaddb.New(db.Conn(ctx))
	used, err := q.KeysInUse(ctx)
	if err != nil {
		return fmt.Errorf("list keys of payloads: %w", err)
	}
	for _, key := range used {
		keys := c.Keys.keysetWith(key.KeyID)
		if keys == nil {
			return fmt.Errorf(
				"workflows in Temporal are encrypted with the key %s, which the keyset of this process lacks. Give it the keyset "+
					"of the other processes: the same keyset.json in COUNTERSIGN_DATA, or COUNTERSIGN_KEYSET",
				clip(key.KeyID),
			)
		}
		if _, err := keys.Open(key.Proof, []byte(proofContext+key.KeyID)); err != nil {
			return fmt.Errorf(
				"the key %s of this process is not the one that encrypted workflows in Temporal. Give it the keyset of the other processes",
				clip(key.KeyID),
			)
		}
	}
	if !c.Encrypt {
		return nil
	}
	keys := c.Keys.Current()
	id := keyName(keys.KeyID())
	proof, err := keys.Seal(nil, []byte(proofContext+id))
	if err != nil {
		return err
	}
	if err := q.UseKey(ctx, payloaddb.UseKeyParams{KeyID: id, Proof: proof}); err != nil {
		return fmt.Errorf("note key of payloads: %w", err)
	}
	return nil
}
