//go:build !race

package typescript_test

const race = false
