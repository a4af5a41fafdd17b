package mcpserverdb

// LeftOut is a tool that cannot be taken.
type LeftOut struct {
	Name   string `json:"name" doc:"As the server calls it, cut to what can be shown."`
	Reason string `json:"reason"`
}
