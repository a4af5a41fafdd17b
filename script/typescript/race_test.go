//go:build race

package typescript_test

// race says whether the race detector is part of this binary and so of its children, whose memory it multiplies.
const race = true
