package notification_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"

	"countersign/api/apitest"
	"countersign/modules/notification"
)

func TestNotificationsConform(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	system, group := uuid.New(), uuid.New()
	a.Do(t, "ada", http.MethodPut, "/api/notifications/subscriptions/system/"+system.String(), nil)
	a.Do(t, "ada", http.MethodPut, "/api/notifications/subscriptions/group/"+group.String(), nil)
	hook := apitest.Decode[notification.CreatedChannel](t, a.Do(t, "root", http.MethodPost, channels, object{
		"ownerKind": "team", "ownerId": uuid.New(), "kind": "webhook", "name": "Hook", "url": a.hooks.URL + "/hook",
	}))
	apitest.Conform(t, apitest.Subject{
		Server: a.Server, Module: a.module,
		Records: []apitest.Record{{
			Path: channels, Change: object{"name": "Changed"},
			New: func(n int) object {
				return object{
					"ownerKind": "team", "ownerId": uuid.New(), "kind": "webhook", "name": fmt.Sprintf("Hook %d", n),
					"url": "https://hooks.example.com/" + uuid.NewString(),
				}
			},
			Parts: map[string]any{"/rotate": nil, "/test": nil},
		}},
		Calls: map[string]apitest.Call{
			"healthcheck.notifySystemSubscribers": apitest.Input(object{"systemId": system, "message": "We restart at noon."}),
			"healthcheck.notifyGroupSubscribers":  apitest.Input(object{"groupId": group, "message": "We restart at noon."}),
			"notification.test":                   apitest.Input(object{"channelId": hook.ID}),
		},
		Unpaged: map[string]string{
			channels:                           "an owner has at most 20",
			"/api/notifications/subscriptions": "a person has at most 200",
		},
		Unrevised: map[string]string{
			"subscribe": "a subscription has no fields", "unsubscribe": "a subscription has no fields",
		},
		Widening: map[string]string{
			notification.Send: "tools use it", notification.LogRead: "with all, the log shows the deliveries to everybody",
			notification.ChannelRead: "it shows the channels of teams", notification.ChannelManage: "it changes the channels of teams",
		},
	})
}
