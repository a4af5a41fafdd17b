package principal

// Rule is an access rule, "<module>.<resource>.<read or manage>". Each module declares its own.
type Rule struct {
	ID          string `json:"id" doc:"Such as catalog.system.read"`
	Description string `json:"description"`
	// Default gives the rule to every user, through the role "users", when it first appears.
	Default bool `json:"default" doc:"Given to every user unless an administrator takes it away"`
}
