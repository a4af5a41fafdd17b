package durable

import "go.temporal.io/sdk/temporal"

// Search attributes of runs of automations, by which operators find them. They hold ids only.
var (
	AutomationAttribute = temporal.NewSearchAttributeKeyKeyword("CountersignAutomation")
	TriggerAttribute    = temporal.NewSearchAttributeKeyKeyword("CountersignTrigger")
)
