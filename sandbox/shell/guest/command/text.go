package command

import (
	"strconv"
	"strings"
)

func pad(n, width int) string {
	s := strconv.Itoa(n)
	return strings.Repeat(" ", max(width-len(s), 0)) + s
}
