package payload

import (
	"context"
	"fmt"

	"countersign/store"
	"countersign/worker/payload/payloaddb"
)

// proven is what a proof holds, sealed for its key.
const proven = "countersign/temporal-payload-proof/"

// Verify checks that this process can read what the installation has encrypted in Temporal, and notes the key that it will
// encrypt with. A process with another keyset must not start: it would fail workflows that others have begun.
func (c Codec) Verify(ctx context.Context, db *store.DB) error {
	q := payloaddb.New(db.Conn(ctx))
	used, err := q.KeysInUse(ctx)
	if err != nil {
		return fmt.Errorf("list keys of payloads: %w", err)
	}
	for _, key := range used {
		keys := c.Keys.holding(key.KeyID)
		if keys == nil {
			return fmt.Errorf(
				"workflows in Temporal are encrypted with the key %s, which the keyset of this process lacks. Give it the keyset of the other processes: the same keyset.json in COUNTERSIGN_DATA, or COUNTERSIGN_KEYSET",
				clip(key.KeyID),
			)
		}
		if _, err := keys.Open(key.Proof, []byte(proven+key.KeyID)); err != nil {
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
	proof, err := keys.Seal(nil, []byte(proven+id))
	if err != nil {
		return err
	}
	if err := q.UseKey(ctx, payloaddb.UseKeyParams{KeyID: id, Proof: proof}); err != nil {
		return fmt.Errorf("note key of payloads: %w", err)
	}
	return nil
}
