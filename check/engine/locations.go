package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/check/engine/enginedb"
	"countersign/check/health"
	"countersign/internal/store"
	"countersign/internal/store/chore"
	"countersign/internal/text"
)

// MainLocation is the name of the location of workers.
const MainLocation = "main"

// Location is the place of a process that runs checks. Its zero value is the main one, that of the workers.
type Location struct {
	Name   string
	Labels map[string]string
}

// LocationShards is the number of shards of a location, and so the maximum number of probes that share its checks.
const LocationShards = 4

// LocationShard is the n-th shard of a location other than the main one, whose shards have the numbers from 0. No shard has the number -1.
func LocationShard(location int16, n int) int16 { return -(LocationShards*location + int16(n)) }

// register finds the number of the location of this process, and makes it with its shards the first time.
func (e *Engine) register(ctx context.Context) error {
	at := e.o.Location
	if at.Name == "" {
		return nil
	}
	labels, err := json.Marshal(at.Labels)
	if err != nil || at.Labels == nil {
		labels = []byte("{}")
	}
	ctx, cancel := context.WithTimeout(ctx, dbTimeout)
	defer cancel()
	return e.db.InTx(ctx, func(ctx context.Context) error {
		q := e.queries(ctx)
		if err := q.LockLocations(ctx); err != nil {
			return fmt.Errorf("lock locations: %w", err)
		}
		id, err := q.FindLocation(ctx, enginedb.FindLocationParams{NameKey: text.Key(at.Name), Labels: labels})
		if store.NoRows(err) {
			if err := q.DropRemovedLocations(ctx); err != nil {
				return fmt.Errorf("drop removed locations: %w", err)
			}
			id, err = q.PutLocation(ctx, enginedb.PutLocationParams{Name: at.Name, NameKey: text.Key(at.Name), Labels: labels})
			if store.NoRows(err) {
				return fmt.Errorf("there are too many locations to add %s", at.Name)
			}
		}
		if err != nil {
			return fmt.Errorf("register the location %s: %w", at.Name, err)
		}
		shards := make([]int16, LocationShards)
		for n := range shards {
			shards[n] = LocationShard(id, n)
		}
		if err := q.PutLocationShards(ctx, enginedb.PutLocationShardsParams{Location: id, Shards: shards}); err != nil {
			return fmt.Errorf("add the shards of the location %s: %w", at.Name, err)
		}
		e.location.Store(int32(id))
		return nil
	})
}

// locationID is the number of the location of this process.
func (e *Engine) locationID() int16 { return int16(e.location.Load()) }

// lostAfter is the time without a claim after which nothing is known from a location. It is longer than a restart of a probe takes.
const lostAfter = 15 * time.Second

// Locations notices locations whose probes are gone. Claims tell it, so that it needs no heartbeats of its own.
type Locations struct {
	Systems Systems
	// Closed are the servers of the installation that probes must not reach, as host:port.
	Closed []string
}

// Chores are the periodic jobs.
func (l *Locations) Chores() []chore.Chore {
	return []chore.Chore{
		{Name: "notice locations without a probe", Every: 3 * time.Second, Do: l.MarkLost},
		{Name: "publish closed addresses", Every: closedInterval, Do: l.PublishClosed},
	}
}

// MarkLost makes the targets of shards unknown that no probe has claimed for some time.
func (l *Locations) MarkLost(ctx context.Context) error {
	lost, err := enginedb.New(l.Systems.DB.Conn(ctx)).LostShards(ctx, lostAfter.Milliseconds())
	if err != nil {
		return fmt.Errorf("find shards without a probe: %w", err)
	}
	for _, shard := range lost {
		for more := true; more; {
			err := l.Systems.DB.InTx(ctx, func(ctx context.Context) error {
				more, err = l.markShard(ctx, shard.Shard, shard.Name)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// markBatch is how many targets one transaction makes unknown.
const markBatch = 500

func (l *Locations) markShard(ctx context.Context, shard int16, location string) (more bool, err error) {
	q := enginedb.New(l.Systems.DB.Conn(ctx))
	now, err := q.LockLostShard(ctx, enginedb.LockLostShardParams{Shard: shard, LostMs: lostAfter.Milliseconds()})
	if store.NoRows(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("lock a shard without a probe: %w", err)
	}
	known, err := q.KnownOfShard(ctx, enginedb.KnownOfShardParams{Shard: shard, MaxRows: markBatch})
	if err != nil || len(known) == 0 {
		return false, err
	}
	reason := "No probe is running in " + location
	var put enginedb.PutStatesParams
	var moved enginedb.AddTransitionsParams
	targets := make([]int32, 0, len(known))
	for _, k := range known {
		state, err := health.Decode(k.Counts)
		if err != nil {
			state = health.State{}
		}
		(&stateRow{
			target: k.ID, status: int16(health.Unknown), cause: k.Cause, since: now, slot: k.LastSlot,
			reason: reason, counts: state.Lost().Encode(),
		}).addTo(&put)
		transition{
			system: k.SystemID, target: k.ID, at: now, began: now, before: k.Status, after: int16(health.Unknown), reason: reason,
		}.addTo(&moved)
		targets = append(targets, k.Target)
	}
	if err := q.PutStates(ctx, put); err != nil {
		return false, fmt.Errorf("write states: %w", err)
	}
	systems, err := l.Systems.settleLocated(ctx, targets, now, true, &moved)
	if err != nil {
		return false, err
	}
	if err := addTransitions(ctx, q, moved, now); err != nil {
		return false, err
	}
	if err := l.Systems.Recompute(ctx, systems, now); err != nil {
		return false, err
	}
	return len(known) == markBatch, l.Systems.announceUnknown(ctx, targets)
}

// SettleLocated updates located targets from the states in their locations, and their systems, in the transaction of ctx. A caller that
// changes one of those states, the locations or the rule calls it in the same transaction, after its own writes. at is in milliseconds.
func (s Systems) SettleLocated(ctx context.Context, targets []int32, at int64) error {
	var moved enginedb.AddTransitionsParams
	systems, err := s.settleLocated(ctx, targets, at, false, &moved)
	if err != nil {
		return err
	}
	// Another rule or choice of locations says nothing about the past.
	copy(moved.Began, moved.At)
	if err := addTransitions(ctx, enginedb.New(s.DB.Conn(ctx)), moved, at); err != nil {
		return err
	}
	return s.Recompute(ctx, systems, at)
}

// settleLocated returns the systems whose targets have changed, and adds their transitions to moved, for the caller to write. A
// changed status begins with the streaks in the locations. By runs it changes with the last change of a location, which may be some
// slots before at: runs of many targets and slots are written together.
func (s Systems) settleLocated(
	ctx context.Context,
	targets []int32,
	at int64,
	byRuns bool,
	moved *enginedb.AddTransitionsParams,
) ([]uuid.UUID, error) {
	if len(targets) == 0 {
		return nil, nil
	}
	q := enginedb.New(s.DB.Conn(ctx))
	if err := q.EnsureStates(ctx, enginedb.EnsureStatesParams{AtMs: at, Targets: targets}); err != nil {
		return nil, fmt.Errorf("write states of located targets: %w", err)
	}
	// The lock comes first: what is read after it includes what its previous holder has written.
	states, err := q.LockStates(ctx, targets)
	if err != nil {
		return nil, fmt.Errorf("lock states of located targets: %w", err)
	}
	rows, err := q.LocationStates(ctx, targets)
	if err != nil {
		return nil, fmt.Errorf("read states of locations: %w", err)
	}
	locations, changed := map[int32][]health.Location{}, map[int32]int64{}
	for _, r := range rows {
		changed[r.Target] = max(changed[r.Target], r.SinceMs)
		locations[r.Target] = append(locations[r.Target], health.Location{
			Name: r.Name, Status: health.Status(r.Status), Began: r.BeganMs, Reason: r.Reason,
		})
	}
	var put enginedb.PutStatesParams
	var systems []uuid.UUID
	seen := map[uuid.UUID]bool{}
	for _, was := range states {
		status, began, reason := health.SettleLocations(health.LocationRule(was.LocationRule), locations[was.Target])
		if int16(status) == was.Status && reason == was.Reason {
			continue
		}
		since := was.SinceMs
		if int16(status) != was.Status {
			since = at
			if byRuns {
				since = min(at, changed[was.Target])
			}
			since = max(since, was.SinceMs)
			transition{
				system: was.SystemID, target: was.Target, at: since, began: min(cmp.Or(began, since), since),
				before: was.Status, after: int16(status), reason: reason,
			}.addTo(moved)
		}
		(&stateRow{
			target: was.Target, status: int16(status), since: since, slot: max(at, was.LastSlot), reason: reason, counts: []byte{},
		}).addTo(&put)
		if !seen[was.SystemID] {
			seen[was.SystemID], systems = true, append(systems, was.SystemID)
		}
	}
	if len(put.Targets) == 0 {
		return nil, nil
	}
	if err := q.PutStates(ctx, put); err != nil {
		return nil, fmt.Errorf("write states of located targets: %w", err)
	}
	return systems, nil
}
