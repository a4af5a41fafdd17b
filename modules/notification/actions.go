package notification

import "countersign/automation/action"

// Actions are how automations tell people something.
func (m *Module) Actions() []action.Action {
	const category = "Notifications"
	return []action.Action{
		m.service.notifyUserAction(),
		action.FromTool(notifySystemTool(), action.FromToolOptions{
			ID: "notification.notify_system", Name: "Notify subscribers of a system", Category: category,
			Done:        "Sent the message to the subscribers of the system",
			Description: "Sends a message to the people and channels that follow a system.",
			Members:     []action.Member{{Name: "systemId", Input: "systemId", Description: "The id of the system."}},
		}),
		action.FromTool(notifyGroupTool(), action.FromToolOptions{
			ID: "notification.notify_group", Name: "Notify subscribers of a group", Category: category,
			Done:        "Sent the message to the subscribers of the group",
			Description: "Sends a message to the people and channels that follow a group of systems.",
			Members:     []action.Member{{Name: "groupId", Input: "groupId", Description: "The id of the group."}},
		}),
	}
}
