package notification

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/automation/action"
	"countersign/internal/notice"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/modules/notification/notificationdb"
	"countersign/tool"
)

// AboutUserMessage is the kind of messages of automations to one user.
const AboutUserMessage = "user_message"

// notifyUser is the config of automation.notify_user.
type notifyUser struct {
	UserID     uuid.UUID       `json:"userId" jsonschema:"description=The user."`
	Title      string          `json:"title" jsonschema:"minLength=1,maxLength=200,description=One line."`
	Body       string          `json:"body,omitempty" jsonschema:"maxLength=2000"`
	Importance notice.Severity `json:"importance,omitempty" jsonschema:"enum=info,enum=warning,enum=critical,description=info when left out; quiet hours do not hold a critical message."`
}

// notified is the output of automation.notify_user.
type notified struct {
	MessageID uuid.UUID `json:"messageId"`
	// Reached is false for a user without a channel for messages.
	Reached bool `json:"reached"`
}

// notifyUserAction sends a message to one user by the channels that the user has chosen, once for a key.
func (s *service) notifyUserAction() action.Action {
	return action.Permitted(action.Action{
		ID: "automation.notify_user", Name: "Notify a user", Category: "Notifications", Effect: tool.Mutate, Rules: []string{Send},
		Description: "Sends a message to a user by the channels that the user has set up.", Config: action.Config[notifyUser](),
		DryRun: func(ctx context.Context, c action.Call) (action.Preview, error) {
			_, p, err := s.readNotifyUser(ctx, c)
			return action.Preview{Summary: "Send a message to " + p.Name}, err
		},
		Do: func(ctx context.Context, c action.Call) (action.Result, error) {
			in, p, err := s.readNotifyUser(ctx, c)
			if err != nil {
				return action.Result{}, err
			}
			out, err := s.notifyUser(ctx, c, in)
			if err != nil {
				return action.Result{}, err
			}
			summary := "Sent a message to " + p.Name
			if !out.Reached {
				summary = p.Name + " has no channel for messages"
			}
			output, err := json.Marshal(out)
			return action.Result{Output: output, Summary: summary, Artifacts: map[string]json.RawMessage{}}, err
		},
	})
}

// readNotifyUser reads a config and its user.
func (s *service) readNotifyUser(ctx context.Context, c action.Call) (notifyUser, principal.Principal, error) {
	in, err := action.Decode[notifyUser](ctx, c)
	if err != nil {
		return in, principal.Principal{}, err
	}
	var v problem.Issues
	in.Title = text.Required(&v, "title", text.Line(&v, "title", in.Title, 200))
	in.Body = text.Lines(&v, "body", in.Body, maxMessage)
	found, err := s.people.Readers(ctx, []uuid.UUID{in.UserID})
	if err != nil {
		return in, principal.Principal{}, err
	}
	p, known := found[in.UserID]
	if !known {
		v.Report("userId", "names no user who can be notified")
	}
	return in, p, v.Err()
}

// notifyUser stores the message of a call and tells its user, in one transaction. The id of the message follows from the key.
func (s *service) notifyUser(ctx context.Context, c action.Call, in notifyUser) (notified, error) {
	out := notified{MessageID: uuid.NewSHA1(c.Caller.Principal.ID, []byte(c.Key)), Reached: true}
	ctx = principal.NewContext(ctx, c.Caller.Principal)
	if in.Importance == "" {
		in.Importance = notice.Info
	}
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		added, err := s.queries(ctx).AddUserMessage(ctx, notificationdb.AddUserMessageParams{
			ID: out.MessageID, UserID: in.UserID, Title: in.Title, Body: in.Body, Severity: string(in.Importance),
			SenderName: c.Caller.Principal.Name,
		})
		if err != nil {
			return fmt.Errorf("add message: %w", err)
		}
		told, err := s.ledger.Tell(ctx, notice.Notice{
			About: notice.About{Kind: AboutUserMessage, ID: out.MessageID}, Topic: TopicUserMessage, Edge: "message", Phase: notice.Update,
			Urgent: in.Importance == notice.Critical,
		}, notice.Person(in.UserID))
		if err != nil {
			return err
		}
		out.Reached = len(told.Unreached) == 0
		if added == 0 {
			return nil
		}
		return audit.Record(ctx, s.db, audit.Event{
			Action: audit.Created, Object: audit.Object(messageType, out.MessageID, in.Title), Summary: "Message sent to a user",
		})
	})
	return out, err
}

// userMessageFacts reads a message as its user.
func (s *service) userMessageFacts(ctx context.Context, n notice.Notice) (notice.Facts, error) {
	row, err := s.queries(ctx).UserMessageByID(ctx, notificationdb.UserMessageByIDParams{ID: n.ID, UserID: principal.FromContext(ctx).ID})
	if store.NoRows(err) {
		return notice.Facts{}, problem.Errorf(problem.NotFound, "There is no message with the id %s.", n.ID)
	}
	if err != nil {
		return notice.Facts{}, fmt.Errorf("load message: %w", err)
	}
	return notice.Facts{
		Title: row.Title, Text: row.Body, Path: "/", Severity: notice.Severity(row.Severity),
		Fields: []notice.Field{{Label: "From", Value: row.SenderName}},
	}, nil
}
