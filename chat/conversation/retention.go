package conversation

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/chat/conversation/conversationdb"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
)

// maxDays is the longest time that a setting can name, about ten years.
const maxDays = 3650

// RetentionSetting is the retention period of conversations.
type RetentionSetting struct {
	Enabled      bool   `json:"enabled" doc:"Off until an administrator turns it on"`
	ArchivedDays *int32 `json:"archivedDays" minimum:"1" maximum:"3650" doc:"Days after a conversation was archived; null for never"`
	IdleDays     *int32 `json:"idleDays" minimum:"1" maximum:"3650" doc:"Days after anything last happened in a conversation, archived or not; null for never"`
}

// Retention is the setting with its results.
type Retention struct {
	RetentionSetting
	Revision  int64      `json:"revision"`
	UpdatedAt time.Time  `json:"updatedAt"`
	UpdatedBy *uuid.UUID `json:"updatedBy" nullable:"true" doc:"Who has set it last; null until a user has"`
	SweptAt   *time.Time `json:"sweptAt" doc:"When conversations were last looked through"`
	Deleted   int64      `json:"deleted" doc:"Conversations deleted so far"`
}

// Deleted counts what was deleted.
type Deleted struct {
	Conversations int64 `json:"conversations"`
	Messages      int64 `json:"messages"`
	Turns         int64 `json:"turns"`
	Proposals     int64 `json:"proposals"`
}

// Add adds counts.
func (d *Deleted) Add(more Deleted) {
	d.Conversations += more.Conversations
	d.Messages += more.Messages
	d.Turns += more.Turns
	d.Proposals += more.Proposals
}

// Scheduler updates the schedule of the sweep to the setting, idempotently.
type Scheduler interface {
	ScheduleRetention(ctx context.Context, enabled bool, revision int64) error
}

// Sweeper keeps the retention setting and deletes conversations by it.
type Sweeper struct {
	db        *store.DB
	scheduler Scheduler
	removed   access.OnRemoved
}

// NewSweeper makes a sweeper; removed is called for deleted conversations.
func NewSweeper(db *store.DB, scheduler Scheduler, removed access.OnRemoved) *Sweeper {
	return &Sweeper{db: db, scheduler: scheduler, removed: removed}
}

// Setting is the current setting.
func (s *Sweeper) Setting(ctx context.Context) (Retention, error) {
	row, err := s.queries(ctx).Retention(ctx)
	if err != nil {
		return Retention{}, fmt.Errorf("load retention: %w", err)
	}
	return Retention{
		RetentionSetting: RetentionSetting{Enabled: row.Enabled, ArchivedDays: row.ArchivedDays, IdleDays: row.IdleDays},
		Revision:         row.Revision, UpdatedAt: row.UpdatedAt, UpdatedBy: row.UpdatedBy, SweptAt: row.SweptAt, Deleted: row.Deleted,
	}, nil
}

// Set changes the setting; based is the revision of the change for optimistic concurrency, nil for any. Setting the
// current values is no change, so a retry succeeds.
func (s *Sweeper) Set(ctx context.Context, p principal.Principal, set RetentionSetting, based *int64) (Retention, error) {
	if err := checkRetention(set); err != nil {
		return Retention{}, err
	}
	return store.InTx(ctx, s.db, func(ctx context.Context) (Retention, error) {
		current, err := s.Setting(ctx)
		if err != nil || sameRetention(current.RetentionSetting, set) {
			return current, err
		}
		n, err := s.queries(ctx).SetRetention(ctx, conversationdb.SetRetentionParams{
			Enabled: set.Enabled, ArchivedDays: set.ArchivedDays, IdleDays: set.IdleDays, UpdatedBy: &p.ID, Based: based,
		})
		if err != nil {
			return Retention{}, fmt.Errorf("set retention: %w", err)
		}
		if n == 0 {
			return Retention{}, problem.Errorf(
				problem.Precondition,
				"The retention setting has changed since: it is at revision %d. Read it again and repeat the change.",
				current.Revision,
			)
		}
		if err := s.recordSetting(ctx, p, current.RetentionSetting, set); err != nil {
			return Retention{}, err
		}
		return s.Setting(ctx)
	})
}

func checkRetention(set RetentionSetting) error {
	var issues problem.Issues
	for _, field := range []struct {
		path string
		days *int32
	}{{"archivedDays", set.ArchivedDays}, {"idleDays", set.IdleDays}} {
		if field.days != nil && (*field.days < 1 || *field.days > maxDays) {
			issues.Report(field.path, "must be 1 to 3650 days, or null")
		}
	}
	if set.Enabled && set.ArchivedDays == nil && set.IdleDays == nil {
		issues.Report("enabled", "needs archivedDays or idleDays")
	}
	return issues.Err()
}

func sameRetention(a, b RetentionSetting) bool {
	same := func(x, y *int32) bool { return (x == nil) == (y == nil) && (x == nil || *x == *y) }
	return a.Enabled == b.Enabled && same(a.ArchivedDays, b.ArchivedDays) && same(a.IdleDays, b.IdleDays)
}

// Schedule updates the schedule to the setting. Processes are serialized and each reads the setting in its turn, so the
// last one applies the stored row.
func (s *Sweeper) Schedule(ctx context.Context) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.queries(ctx).LockRetention(ctx); err != nil {
			return fmt.Errorf("lock retention: %w", err)
		}
		set, err := s.Setting(ctx)
		if err != nil {
			return err
		}
		return s.scheduler.ScheduleRetention(ctx, set.Enabled, set.Revision)
	})
}

// Sweep deletes up to limit conversations whose retention period is over, each in a transaction of its own, and reports
// whether there may be more. It skips a conversation with running work. It is idempotent at any point.
func (s *Sweeper) Sweep(ctx context.Context, limit int) (deleted Deleted, more bool, err error) {
	ids, err := s.queries(ctx).DueConversations(ctx, int32(limit))
	if err != nil {
		return deleted, false, fmt.Errorf("list due conversations: %w", err)
	}
	for _, id := range ids {
		if err := s.sweepOne(ctx, id, &deleted); err != nil {
			return deleted, false, err
		}
	}
	if err := s.queries(ctx).Swept(ctx, 0); err != nil {
		return deleted, false, fmt.Errorf("note the sweep: %w", err)
	}
	return deleted, len(ids) == limit && deleted.Conversations > 0, nil
}

func (s *Sweeper) sweepOne(ctx context.Context, id uuid.UUID, total *Deleted) error {
	var one Deleted
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.queries(ctx).LockDueConversation(ctx, id); store.NoRows(err) {
			return nil
		} else if err != nil {
			return fmt.Errorf("lock conversation: %w", err)
		}
		var err error
		if one, _, err = deleteLocked(ctx, s.queries(ctx), s.removed, id); err != nil {
			return err
		}
		if err := s.recordSwept(ctx, id, one, "the retention setting"); err != nil {
			return err
		}
		return s.queries(ctx).Swept(ctx, one.Conversations)
	})
	if err != nil {
		return err
	}
	total.Add(one)
	return nil
}

// deleteLocked deletes a conversation whose row is locked; busy is true, and nothing deleted, while something runs in it.
func deleteLocked(
	ctx context.Context,
	q *conversationdb.Queries,
	removed access.OnRemoved,
	id uuid.UUID,
) (one Deleted, busy bool, err error) {
	if busy, err = q.ConversationBusy(ctx, id); err != nil {
		return one, false, fmt.Errorf("look at conversation: %w", err)
	}
	if busy {
		return one, true, nil
	}
	row, err := q.DeleteConversation(ctx, id)
	if err != nil {
		return one, false, fmt.Errorf("delete conversation: %w", err)
	}
	if err := removed.Notify(ctx, conversationType, id); err != nil {
		return one, false, err
	}
	return Deleted{Conversations: row.Conversations, Messages: row.Messages, Turns: row.Turns, Proposals: row.Proposals}, false, nil
}

func (s *Sweeper) queries(ctx context.Context) *conversationdb.Queries {
	return conversationdb.New(s.db.Conn(ctx))
}
