//go:build !linux

package audit

import "errors"

// unnamed makes a file without a name; errors.ErrUnsupported where there are none.
func unnamed(string) (draft, error) { return draft{}, errors.ErrUnsupported }
