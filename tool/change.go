package tool

// Change is one leaf that an update changes. Before or After is null when the leaf is added or removed.
type Change struct {
	Path   string `json:"path"`
	Before any    `json:"before"`
	After  any    `json:"after"`
}
