package notification_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/modules/notification"
)

func TestAutomationsNotifyPeople(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.mailServer(t)
	a.hook(t, "ada", "/ada")
	system, group := uuid.New(), uuid.New()
	a.Do(t, "ada", http.MethodPut, "/api/notifications/subscriptions/system/"+system.String(), nil)
	a.Do(t, "ada", http.MethodPut, "/api/notifications/subscriptions/group/"+group.String(), nil)
	config := object{"userId": a.Principal("ada").ID, "title": "Payments are down", "body": "Have a look.", "importance": "critical"}
	count := func(query string) func() int { return func() int { return a.Count(t, query) } }
	messages := count(`SELECT count(*) FROM notify_messages`)
	a.ConformActions(t, a.module.Actions(), map[string]func() apitest.Acting{
		"automation.notify_user": func() apitest.Acting {
			return apitest.Acting{Config: config, Effects: count(`SELECT count(*) FROM notify_deliveries WHERE channel_kind = 'webhook'`)}
		},
		"notification.notify_system": func() apitest.Acting {
			return apitest.Acting{Config: object{"systemId": system, "message": "It is slow."}, Effects: messages}
		},
		"notification.notify_group": func() apitest.Acting {
			return apitest.Acting{Config: object{"groupId": group, "message": "It is slow."}, Effects: messages}
		},
	})
	act := a.module.Actions()[0]
	require.Equal(t, "automation.notify_user", act.ID)
	_, err := a.Act(t.Context(), t, act, "k", object{"userId": uuid.New(), "title": "x"}, notification.Send)
	require.ErrorContains(t, err, "names no user")
}

// A message to a user is what the webhook of the user gets, and nobody else reads it.
func TestAMessageOfAnAutomationArrivesOnce(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.hook(t, "ada", "/ada")
	act := a.module.Actions()[0]
	config := object{"userId": a.Principal("ada").ID, "title": "Payments are down", "body": "Have a look.", "importance": "warning"}
	a.run(t)
	for range 3 {
		result, err := a.Act(t.Context(), t, act, "key-1", config, notification.Send)
		require.NoError(t, err)
		require.Equal(t, "Sent a message to ada", result.Summary)
		var out struct{ Reached bool }
		require.NoError(t, json.Unmarshal(result.Output, &out))
		require.True(t, out.Reached)
	}
	var notice uuid.UUID
	require.NoError(t, a.DB.Conn(t.Context()).QueryRow(t.Context(), `SELECT id FROM notifications`).Scan(&notice))
	a.delivered(t, notice)
	posts := a.hooks.Posts()
	require.Len(t, posts, 1)
	require.Contains(t, string(posts[0].Body), "Payments are down")
	require.Contains(t, string(posts[0].Body), "Robot")
}
