package healthcheck

import "context"

// addDay adds what the last day brought to targets.
func (s *service) addDay(context.Context, []TargetStatus) error { return nil }

// addDays adds what the last days brought to rows of the board.
func (s *service) addDays(context.Context, []BoardRow) error { return nil }
