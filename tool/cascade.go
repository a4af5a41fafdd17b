package tool

// Cascade states whether other records go with what a change removes or revokes. Every destructive tool declares it, and
// every hidden one.
type Cascade string

// CascadeNone removes nothing else. CascadeOthers removes other records, which the effects of the preview list.
const (
	CascadeNone   Cascade = "nothing"
	CascadeOthers Cascade = "others"
)

// WithoutCascade declares that a change removes nothing else.
func (d Definition) WithoutCascade() Definition {
	d.Impact.Cascade = CascadeNone
	return d
}

// WithCascade declares that a change removes other records too, and that its previews list them.
func (d Definition) WithCascade() Definition {
	d.Impact.Cascade = CascadeOthers
	return d
}
