package turn

import "context"

// Refusal is why a message with these settings was not accepted just now.
func (s *Store) Refusal(ctx context.Context, set Settings) error { return s.refusal(ctx, set) }
