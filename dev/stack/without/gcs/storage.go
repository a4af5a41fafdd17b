// Package storage refuses to open Google Cloud Storage: the embedded server archives nothing there.
package storage

import (
	"context"
	"errors"

	"google.golang.org/api/option"
)

// ScopeFullControl is the scope of the archiver's credentials.
const ScopeFullControl = "https://www.googleapis.com/auth/devstorage.full_control"

var errLeftOut = errors.New("the embedded server has no archiver for Google Cloud Storage")

// Types of the client, which is never opened.
type (
	Client         struct{}
	BucketHandle   struct{}
	BucketAttrs    struct{}
	ObjectHandle   struct{}
	ObjectAttrs    struct{ Name string }
	ObjectIterator struct{}
	Query          struct{ Prefix string }
	Reader         struct{}
	Writer         struct{}
)

// NewClient opens nothing.
func NewClient(context.Context, ...option.ClientOption) (*Client, error) { return nil, errLeftOut }

func (*Client) Bucket(string) *BucketHandle                           { return nil }
func (*BucketHandle) Object(string) *ObjectHandle                     { return nil }
func (*BucketHandle) Objects(context.Context, *Query) *ObjectIterator { return nil }
func (*BucketHandle) Attrs(context.Context) (*BucketAttrs, error)     { return nil, errLeftOut }
func (*ObjectHandle) Attrs(context.Context) (*ObjectAttrs, error)     { return nil, errLeftOut }
func (*ObjectHandle) NewReader(context.Context) (*Reader, error)      { return nil, errLeftOut }
func (*ObjectHandle) NewWriter(context.Context) *Writer               { return nil }
func (*ObjectIterator) Next() (*ObjectAttrs, error)                   { return nil, errLeftOut }
func (*Reader) Read([]byte) (int, error)                              { return 0, errLeftOut }
func (*Reader) Close() error                                          { return errLeftOut }
func (*Writer) Write([]byte) (int, error)                             { return 0, errLeftOut }
func (*Writer) Close() error                                          { return errLeftOut }
func (*Writer) CloseWithError(error) error                            { return errLeftOut }
