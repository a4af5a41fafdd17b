package mcpserverdb

// LeftOut is a tool that cannot be accepted.
type LeftOut struct {
	Name   string `json:"name" doc:"As the server calls it, cut to what can be shown."`
	Reason string `json:"reason"`
}
