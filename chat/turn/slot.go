package turn

import "sync"

// Slot is a value that one step of a turn leaves for others in its process. Its zero value is empty, and its methods are
// safe for concurrent use.
type Slot[T any] struct {
	mu    sync.Mutex
	value *T
}

// Once computes the value the first time and keeps it. Errors are not kept.
func (s *Slot[T]) Once(compute func() (T, error)) (T, error) {
	if v, ok := s.Get(); ok {
		return v, nil
	}
	v, err := compute()
	if err == nil {
		s.Put(v)
	}
	return v, err
}

// Put keeps a value in place of an earlier one.
func (s *Slot[T]) Put(v T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.value = &v
}

// Get is the kept value, if there is one.
func (s *Slot[T]) Get() (v T, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.value != nil {
		v, ok = *s.value, true
	}
	return v, ok
}

// Take is Get, after which the slot is empty.
func (s *Slot[T]) Take() (v T, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.value != nil {
		v, ok = *s.value, true
	}
	s.value = nil
	return v, ok
}
