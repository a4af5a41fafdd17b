package notification

import "countersign/internal/principal"

// Access rules of notifications.
const (
	// Own is for a person's own channels, rules and subscriptions.
	Own = "notification.own.manage"
	// Send sends messages to the subscribers of systems.
	Send = "notification.send"
	// ChannelRead and ChannelManage are for channels of teams and policies.
	ChannelRead   = "notification.channel.read"
	ChannelManage = "notification.channel.manage"
	// SettingsManage is for the mail server of the installation.
	SettingsManage = "notification.settings.manage"
	// LogRead opens the deliveries of all people.
	LogRead = "notification.log.read"
)

// Rules are the access rules of notifications.
func (*Module) Rules() []principal.Rule {
	return []principal.Rule{
		{ID: Own, Description: "Set up your own notification channels, rules and subscriptions", Default: true},
		{ID: Send, Description: "Send a message to those who subscribe to a system or a group that you may see, and by automations to one user"},
		{ID: ChannelRead, Description: "See the notification channels of teams and escalation policies, without their secrets"},
		{ID: ChannelManage, Description: "Create, change, test and delete notification channels of your teams and their escalation policies"},
		{ID: SettingsManage, Description: "See and change the mail server of the installation"},
		{ID: LogRead, Description: "See the deliveries of notifications to everybody"},
	}
}
