//go:build !linux

package audit

import "errors"

// unnamed returns errors.ErrUnsupported: other systems have no unnamed files.
func unnamed(string) (draft, error) { return draft{}, errors.ErrUnsupported }
