package notification

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/internal/rest"
)

const (
	path           = "/api/notifications"
	channelsPath   = path + "/channels"
	systemMessages = path + "/messages/system"
	groupMessages  = path + "/messages/group"
	audiencePath   = path + "/audience"
)

type channelQuery struct {
	OwnerKind string `query:"ownerKind" enum:"person,team,policy" doc:"person when absent: the channels of the caller."`
	OwnerID   string `query:"ownerId" format:"uuid" doc:"The team or the policy."`
}

type channelList struct {
	Channels []Channel `json:"channels" nullable:"false"`
}

type preferencesUpdate struct {
	rest.IfMatch
	Body NewPreferences
}

type mailUpdate struct {
	rest.IfMatch
	Body NewMail
}

type messageInput struct {
	rest.ByID
	Body NewMessage
}

type subscriptionPath struct {
	Kind string    `path:"kind" enum:"system,group"`
	ID   uuid.UUID `path:"id" format:"uuid"`
}

type subscriptionList struct {
	Subscriptions []Subscription `json:"subscriptions" nullable:"false"`
}

type deliveryQuery struct {
	rest.Page
	All       bool   `query:"all" doc:"The deliveries to everybody; needs notification.log.read."`
	State     string `query:"state" enum:"waiting,sent,unknown,failed,suppressed,stopped"`
	AboutKind string `query:"aboutKind" maxLength:"100" doc:"Only those about one record: its kind, such as incident."`
	AboutID   string `query:"aboutId" format:"uuid" doc:"The id of that record."`
}

type deliveryList struct {
	Deliveries []Delivery `json:"deliveries" nullable:"false"`
	rest.Next
}

type pushKey struct {
	PublicKey string `json:"publicKey" doc:"The key with which a browser subscribes to push messages of this installation."`
}

// Routes declares the operations of notifications.
func (m *Module) Routes(api huma.API) {
	m.channelRoutes(api)
	m.messageRoutes(api)
	m.personRoutes(api)
	m.installationRoutes(api)
}

func (m *Module) channelRoutes(api huma.API) {
	s := m.service
	const own = "People have their own channels; those of teams and policies also need "
	huma.Register(api, rest.Op("list-notification-channels", http.MethodGet, channelsPath, "List notification channels",
		rest.Doc(own+ChannelRead+".")), m.listChannels)
	huma.Register(api, rest.Op(
		"create-notification-channel",
		http.MethodPost,
		channelsPath,
		"Create a notification channel",
		rest.Rules(
			Own,
		),
		rest.Tool("notification.createChannel", rest.Mutates, rest.ByHand(), rest.Secrets("url", "token", "auth", "p256dh")),
		rest.ShownOnce(),
		rest.Doc(own+ChannelManage+". The signing secret of a webhook is shown once."),
	), rest.Create(s.Create))
	huma.Register(
		api,
		rest.Op("get-notification-channel", http.MethodGet, channelsPath+"/{id}", "Read a notification channel"),
		rest.Get(s.Channel),
	)
	huma.Register(api, rest.Op("update-notification-channel", http.MethodPatch, channelsPath+"/{id}", "Change a notification channel",
		rest.Rules(Own), rest.Tool("notification.updateChannel", rest.Mutates, rest.ByHand(), rest.Secrets("url", "token")),
		rest.Doc("What is absent stays; a new url takes the token away that was for the old one.")), rest.Change(s.Update))
	huma.Register(api, rest.Op(
		"delete-notification-channel",
		http.MethodDelete,
		channelsPath+"/{id}",
		"Delete a notification channel",
		rest.Rules(
			Own,
		),
		rest.Tool("notification.deleteChannel", rest.Destroys, rest.ByHand()),
		rest.Doc("What waits for it is not sent."),
	), rest.Delete(s.Delete))
	huma.Register(
		api,
		rest.Op(
			"rotate-notification-key",
			http.MethodPost,
			channelsPath+"/{id}/rotate",
			"Replace the signing secret of a webhook",
			rest.Rules(
				Own,
			),
			rest.Tool("notification.rotateKey", rest.Mutates, rest.ByHand(), rest.AtRevision()),
			rest.ShownOnce(),
			rest.Status(http.StatusOK),
			rest.Doc("The old one signs beside it for 24 hours."),
		),
		func(ctx context.Context, in *rest.Deletion) (*rest.Record[CreatedChannel], error) {
			return rest.Show(s.Rotate(ctx, in.ID, in.Revision()))
		},
	)
	// A test holds no transaction open while a receiver answers.
	huma.Register(api, rest.Op("test-notification-channel", http.MethodPost, channelsPath+"/{id}/test", "Send a test message to a channel",
		rest.Rules(Own), rest.SelfIdempotent(), rest.Status(http.StatusOK),
		rest.Doc("It waits for the end of the attempt, at most ten seconds. A channel is tested once a minute.")),
		func(ctx context.Context, in *rest.ByID) (*rest.Body[TestResult], error) {
			return rest.With(s.Test(ctx, in.ID))
		})
}

func (m *Module) messageRoutes(api huma.API) {
	s := m.service
	huma.Register(api, rest.Op("get-audience", http.MethodGet, audiencePath+"/{kind}/{id}", "Count whom a message to subscribers reaches",
		rest.Rules(Send), rest.Doc("Numbers of people and kinds of channels, and no addresses.")),
		func(ctx context.Context, in *subscriptionPath) (*rest.Body[Audience], error) {
			return rest.With(s.Audience(ctx, in.Kind, in.ID))
		})
	send := func(kind string) func(context.Context, *messageInput) (*rest.Body[SentMessage], error) {
		return func(ctx context.Context, in *messageInput) (*rest.Body[SentMessage], error) {
			return rest.With(s.Message(ctx, kind, in.ID, in.Body.Message))
		}
	}
	huma.Register(api, rest.Op("message-system-subscribers", http.MethodPost, systemMessages+"/{id}",
		"Send a message to the subscribers of a system", rest.Rules(Send), rest.Status(http.StatusOK),
		rest.Doc("And to those of its groups, by their own notification rules.")), send(subscribedSystem))
	huma.Register(api, rest.Op("message-group-subscribers", http.MethodPost, groupMessages+"/{id}",
		"Send a message to the subscribers of a group", rest.Rules(Send), rest.Status(http.StatusOK),
		rest.Doc("By their own notification rules.")), send(subscribedGroup))
}

func (m *Module) personRoutes(api huma.API) {
	s := m.service
	huma.Register(api, rest.Op("get-notification-preferences", http.MethodGet, path+"/preferences", "Read your notification rules",
		rest.Doc("With all topics.")),
		func(ctx context.Context, _ *struct{}) (*rest.Record[Preferences], error) {
			return rest.Show(s.Preferences(ctx))
		})
	huma.Register(api, rest.Op("set-notification-preferences", http.MethodPut, path+"/preferences", "Set your notification rules",
		rest.Rules(Own), rest.Tool("notification.setPreferences", rest.Mutates), rest.Doc("They replace all of them.")),
		func(ctx context.Context, in *preferencesUpdate) (*rest.Record[Preferences], error) {
			return rest.Show(s.SetPreferences(ctx, in.Body, in.Revision()))
		})
	const subscriptions = path + "/subscriptions"
	huma.Register(api, rest.Op("list-subscriptions", http.MethodGet, subscriptions, "List the systems and groups that you subscribe to"),
		func(ctx context.Context, _ *struct{}) (*rest.Body[subscriptionList], error) {
			list, err := s.Subscriptions(ctx)
			return rest.With(subscriptionList{list}, err)
		})
	huma.Register(api, rest.Op("subscribe", http.MethodPut, subscriptions+"/{kind}/{id}", "Subscribe to a system or a group",
		rest.Rules(Own), rest.Tool("notification.subscribe", rest.Mutates), rest.Doc("Its changes are told by your rules.")),
		func(ctx context.Context, in *subscriptionPath) (*rest.Body[Subscribed], error) {
			return rest.With(s.Subscribe(ctx, in.Kind, in.ID))
		})
	huma.Register(api, rest.Op("unsubscribe", http.MethodDelete, subscriptions+"/{kind}/{id}", "End a subscription",
		rest.Rules(Own), rest.Tool("notification.unsubscribe", rest.Mutates), rest.Status(http.StatusOK)),
		func(ctx context.Context, in *subscriptionPath) (*rest.Body[Subscribed], error) {
			return rest.With(s.Unsubscribe(ctx, in.Kind, in.ID))
		})
	huma.Register(api, rest.Op("list-deliveries", http.MethodGet, path+"/deliveries", "List deliveries of notifications",
		rest.Doc("Those to the caller, newest first; with all, those to everybody.")), m.listDeliveries)
	huma.Register(api, rest.Op("get-push-key", http.MethodGet, path+"/push-key", "Read the public key for push messages"),
		func(ctx context.Context, _ *struct{}) (*rest.Body[pushKey], error) {
			key, err := s.PushKey(ctx)
			return rest.With(pushKey{key}, err)
		})
}

func (m *Module) installationRoutes(api huma.API) {
	s := m.service
	huma.Register(
		api,
		rest.Op("get-notification-settings", http.MethodGet, path+"/settings", "Read the mail server", rest.Rules(SettingsManage)),
		func(ctx context.Context, _ *struct{}) (*rest.Record[Settings], error) {
			return rest.Show(s.Settings(ctx))
		},
	)
	huma.Register(api, rest.Op("set-mail-server", http.MethodPut, path+"/settings/mail", "Set the mail server", rest.Rules(SettingsManage),
		rest.Tool("notification.setMailServer", rest.Mutates, rest.ByHand(), rest.Secrets("password")),
		rest.Doc("An absent password stays with the server and the user that it was entered for.")),
		func(ctx context.Context, in *mailUpdate) (*rest.Record[Settings], error) {
			return rest.Show(s.SetMail(ctx, in.Body, in.Revision()))
		})
	huma.Register(api, rest.Op("test-mail-server", http.MethodPost, path+"/settings/mail/test", "Send a test e-mail to yourself",
		rest.Rules(SettingsManage), rest.Tool("notification.testMailServer", rest.Mutates, rest.Direct()), rest.SelfIdempotent(),
		rest.Status(http.StatusOK)),
		func(ctx context.Context, _ *struct{}) (*rest.Body[TestResult], error) {
			return rest.With(s.TestMail(ctx))
		})
}

func (m *Module) listChannels(ctx context.Context, in *channelQuery) (*rest.Body[channelList], error) {
	id, err := rest.OptionalID("ownerId", in.OwnerID)
	if err != nil {
		return nil, err
	}
	list, err := m.service.Channels(ctx, in.OwnerKind, id)
	return rest.With(channelList{list}, err)
}

func (m *Module) listDeliveries(ctx context.Context, in *deliveryQuery) (*rest.Body[deliveryList], error) {
	id, err := rest.OptionalID("aboutId", in.AboutID)
	if err != nil {
		return nil, err
	}
	list, next, err := m.service.Log(ctx, LogFilter{All: in.All, State: in.State, AboutKind: in.AboutKind, AboutID: id}, in.Page)
	return rest.With(deliveryList{list, next}, err)
}
