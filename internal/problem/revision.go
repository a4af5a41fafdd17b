package problem

// RequireRevision refuses a change that names no revision where it must name the one that the caller has read.
func RequireRevision(what string, based *int64) error {
	if based != nil {
		return nil
	}
	return Errorf(PreconditionRequired, "Send the revision of the %s that you have read in the header If-Match. "+
		"It may have changed since.", what)
}

// CheckRevision refuses a change of something that has another revision than the one the change is based on; nil is
// based on none. what names the thing, as in "system Payments".
func CheckRevision(what string, have int64, based *int64) error {
	if based == nil || *based == have {
		return nil
	}
	return Errorf(
		Precondition,
		"The %s has changed since: it is at revision %d, the change is based on %d. Read it again and repeat the change.",
		what,
		have,
		*based,
	)
}
