// Package types has the parts of answers of Amazon S3 that the server's archiver names.
package types

// Errors of Amazon S3, which nothing returns here.
type (
	NoSuchBucket struct{}
	NoSuchKey    struct{}
	NotFound     struct{}
)

func (*NoSuchBucket) Error() string { return "no such bucket" }
func (*NoSuchKey) Error() string    { return "no such key" }
func (*NotFound) Error() string     { return "not found" }

// CommonPrefix and Object are entries of a list.
type (
	CommonPrefix struct{ Prefix *string }
	Object       struct{ Key *string }
)
