package notification

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/modules/notification/channel"
	"countersign/modules/notification/notificationdb"
)

// The secrets of the installation are sealed for their places.
var (
	mailAssociated = []byte("notify_settings/mail")
	pushAssociated = []byte("notify_settings/push")
)

// settingsID is the object of the settings in the audit log.
var settingsID = uuid.MustParse("00000000-0000-7000-8000-000000000001")

// stored returns the settings of the installation; none at first.
func (s *service) stored(ctx context.Context) (notificationdb.NotifySetting, error) {
	row, err := s.queries(ctx).Settings(ctx)
	if err != nil && !store.NoRows(err) {
		return row, fmt.Errorf("load the settings of notifications: %w", err)
	}
	return row, nil
}

// ensure makes the keys of web push at the first start. Of several processes, the first one does.
func (s *service) ensure(ctx context.Context) error {
	row, err := s.stored(ctx)
	if err != nil || row.PushPublic != "" {
		return err
	}
	_, err = s.firstKeys(ctx)
	return store.Wrap("make the keys of web push", err)
}

func (s *service) firstKeys(ctx context.Context) (notificationdb.NotifySetting, error) {
	keys, err := channel.NewPushKeys()
	if err != nil {
		return notificationdb.NotifySetting{}, err
	}
	sealed, err := s.sealer.Seal([]byte(keys.Private), pushAssociated)
	if err != nil {
		return notificationdb.NotifySetting{}, err
	}
	q := s.queries(ctx)
	if err := q.EnsureSettings(ctx); err != nil {
		return notificationdb.NotifySetting{}, err
	}
	if _, err := q.SetPushKeys(ctx, notificationdb.SetPushKeysParams{Public: keys.Public, Private: sealed}); err != nil {
		return notificationdb.NotifySetting{}, err
	}
	return q.Settings(ctx)
}

// installation opens what sending needs of the settings.
func (s *service) installation(ctx context.Context) (channel.Settings, error) {
	row, err := s.stored(ctx)
	if err != nil {
		return channel.Settings{}, err
	}
	out := channel.Settings{Push: channel.PushKeys{Public: row.PushPublic}}
	if row.PushPrivateSealed != nil {
		private, err := s.sealer.Open(row.PushPrivateSealed, pushAssociated)
		if err != nil {
			return out, fmt.Errorf("open the keys of web push: %w", err)
		}
		out.Push.Private = string(private)
	}
	mail, err := readMail(row)
	if err != nil || mail == nil {
		return out, err
	}
	if row.MailPasswordSealed != nil {
		password, err := s.sealer.Open(row.MailPasswordSealed, mailAssociated)
		if err != nil {
			return out, fmt.Errorf("open the password of the mail server: %w", err)
		}
		mail.Password = string(password)
	}
	out.Mail = mail
	return out, nil
}

func readMail(row notificationdb.NotifySetting) (*channel.Mail, error) {
	if row.Mail == nil {
		return nil, nil
	}
	var mail channel.Mail
	if err := json.Unmarshal(row.Mail, &mail); err != nil {
		return nil, fmt.Errorf("read the mail server: %w", err)
	}
	return &mail, nil
}

func mayManage(ctx context.Context) error {
	if !principal.FromContext(ctx).Has(SettingsManage) {
		return problem.MissingRule("use the settings of the mail server", SettingsManage)
	}
	return nil
}

// Settings returns the settings without secrets.
func (s *service) Settings(ctx context.Context) (Settings, error) {
	if err := mayManage(ctx); err != nil {
		return Settings{}, err
	}
	row, err := s.stored(ctx)
	if err != nil {
		return Settings{}, err
	}
	return shownSettings(row)
}

func shownSettings(row notificationdb.NotifySetting) (Settings, error) {
	out := Settings{Revised: rest.Revised{Revision: row.Revision + 1}}
	mail, err := readMail(row)
	if err != nil || mail == nil {
		return out, err
	}
	out.Mail = &Mail{
		Host: mail.Host, Port: mail.Port, Security: mail.Security, Username: mail.Username, From: mail.From,
		HasPassword: row.MailPasswordSealed != nil,
	}
	return out, nil
}

// SetMail sets the mail server. A password stays only with the server and the user that it was entered for.
func (s *service) SetMail(ctx context.Context, in NewMail, based *int64) (Settings, error) {
	if err := mayManage(ctx); err != nil {
		return Settings{}, err
	}
	var v problem.Issues
	in.check(&v)
	if in.Security == "" {
		in.Security = channel.StartTLS
	}
	if in.Security == channel.Plain && in.Password != "" {
		v.Report("security", "must not be none with a password, which would be sent in the clear")
	}
	if err := v.Err(); err != nil {
		return Settings{}, err
	}
	return store.InTx(ctx, s.db, func(ctx context.Context) (Settings, error) {
		if err := s.queries(ctx).EnsureSettings(ctx); err != nil {
			return Settings{}, fmt.Errorf("make the settings: %w", err)
		}
		row, err := s.queries(ctx).LockSettings(ctx)
		if err != nil {
			return Settings{}, fmt.Errorf("lock the settings: %w", err)
		}
		if err := problem.CheckRevision("mail server", row.Revision+1, based); err != nil {
			return Settings{}, err
		}
		next := channel.Mail{Host: in.Host, Port: in.Port, Security: in.Security, Username: in.Username, From: in.From}
		password, err := s.mailPassword(row, next, in.Password)
		if err != nil {
			return Settings{}, err
		}
		text, err := json.Marshal(next)
		if err != nil {
			return Settings{}, fmt.Errorf("write the mail server: %w", err)
		}
		row, err = s.queries(ctx).SetMail(ctx, notificationdb.SetMailParams{Mail: text, Password: password})
		if err != nil {
			return Settings{}, fmt.Errorf("set the mail server: %w", err)
		}
		if err := audit.Record(ctx, s.db, audit.Event{
			Action: audit.Changed, Object: audit.Object(settingsType, settingsID, "Mail server"), Summary: "Mail server set",
		}); err != nil {
			return Settings{}, err
		}
		return shownSettings(row)
	})
}

func (s *service) mailPassword(row notificationdb.NotifySetting, next channel.Mail, entered string) ([]byte, error) {
	if entered != "" {
		return s.sealer.Seal([]byte(entered), mailAssociated)
	}
	last, err := readMail(row)
	if err != nil || last == nil || last.Host != next.Host || last.Port != next.Port || last.Username != next.Username ||
		next.Security == channel.Plain {
		return nil, err
	}
	return row.MailPasswordSealed, nil
}

// TestMail sends a test message by the mail server to the caller.
func (s *service) TestMail(ctx context.Context) (TestResult, error) {
	if err := mayManage(ctx); err != nil {
		return TestResult{}, err
	}
	caller := principal.FromContext(ctx)
	if caller.Email == "" {
		return TestResult{}, problem.Errorf(problem.Conflict, "A test goes to the e-mail address of the person who asks for it.")
	}
	settings, err := s.installation(ctx)
	if err != nil {
		return TestResult{}, err
	}
	now, err := s.db.Now(ctx)
	if err != nil {
		return TestResult{}, err
	}
	outcome := s.sender.Send(ctx, channel.Email, channel.Config{Address: caller.Email}, settings, testMessage(caller.ID, now))
	return TestResult{Result: outcome.Result, Reason: outcome.Reason}, nil
}

// PushKey is the public key with which browsers subscribe.
func (s *service) PushKey(ctx context.Context) (string, error) {
	row, err := s.stored(ctx)
	if err == nil && row.PushPublic == "" {
		err = problem.Errorf(problem.Unavailable, "The keys of push messages are made when the first worker starts. Try again in a moment.")
	}
	return row.PushPublic, err
}
