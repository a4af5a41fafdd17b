package script

import (
	"context"
	"slices"
	"sync"
)

// turns are a number of places for which principals take turns: whoever has many waiting gets no more of them than who has one.
type turns struct {
	mu   sync.Mutex
	free int
	// lines are those who wait, by principal, and round is in which order principals are served. While anybody waits nothing is free.
	lines map[string][]chan struct{}
	round []string
}

func newTurns(places int) *turns {
	return &turns{free: places, lines: map[string][]chan struct{}{}}
}

// take waits for a place. It fails with the error of ctx when that ends first.
func (t *turns) take(ctx context.Context, who string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	given := t.stand(who)
	select {
	case <-given:
		return nil
	case <-ctx.Done():
	}
	if !t.leave(who, given) {
		t.give() // it was given at the same moment
	}
	return ctx.Err()
}

// stand takes a free place, or stands in line. The channel is closed once the place is there.
func (t *turns) stand(who string) chan struct{} {
	given := make(chan struct{})
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.free > 0 {
		t.free--
		close(given)
		return given
	}
	if len(t.lines[who]) == 0 {
		t.round = append(t.round, who)
	}
	t.lines[who] = append(t.lines[who], given)
	return given
}

// leave reports whether somebody stood in line, who does not any more.
func (t *turns) leave(who string, given chan struct{}) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	line := t.lines[who]
	at := slices.Index(line, given)
	if at < 0 {
		return false
	}
	t.lines[who] = slices.Delete(line, at, at+1)
	if len(line) == 1 {
		delete(t.lines, who)
		t.round = slices.DeleteFunc(t.round, func(one string) bool { return one == who })
	}
	return true
}

// give hands a place to the next principal, who then waits for all others.
func (t *turns) give() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.round) == 0 {
		t.free++
		return
	}
	who := t.round[0]
	t.round = t.round[1:]
	line := t.lines[who]
	close(line[0])
	if len(line) == 1 {
		delete(t.lines, who)
		return
	}
	t.lines[who] = line[1:]
	t.round = append(t.round, who)
}
