package tool

// Along says what goes with what a change removes or takes away. Every destructive tool says so, and every hidden one.
type Along string

// With what a change of AlongNothing removes goes nothing else. What goes with one of AlongOthers is among the Effects of
// its preview.
const (
	AlongNothing Along = "nothing"
	AlongOthers  Along = "others"
)

// Alone declares that nothing else goes with what a change removes.
func (d Definition) Alone() Definition {
	d.Along = AlongNothing
	return d
}

// WithOthers declares that previews say what goes along.
func (d Definition) WithOthers() Definition {
	d.Along = AlongOthers
	return d
}
