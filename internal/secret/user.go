package secret

import "fmt"

// User is a record that refers to a secret and fails without it, as far as the caller may see it.
type User struct {
	// Kind is for people, such as health check. ID is empty for a number of records that are not shown.
	Kind, ID, Name string
}

// Hidden stands for a number of records of a kind that the caller may not see.
func Hidden(kind string, n int) User {
	return User{Kind: kind, Name: fmt.Sprintf("%d that are not shown", n)}
}
