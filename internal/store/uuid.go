package store

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
	pgxuuid "github.com/vgarvardt/pgx-google-uuid/v5"
)

// registerUUIDs transfers UUIDs in binary: as text they cost a tenth of the CPU of a busy process. The library covers writes;
// reads need this codec, because pgx prefers the text Scan of uuid.UUID to the library.
func registerUUIDs(types *pgtype.Map) {
	pgxuuid.Register(types)
	types.RegisterType(&pgtype.Type{Name: "uuid", OID: pgtype.UUIDOID, Codec: uuidCodec{}})
}

type uuidCodec struct{ pgxuuid.UUIDCodec }

// PlanScan implements pgtype.Codec.
func (c uuidCodec) PlanScan(types *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	if _, ok := target.(*uuid.UUID); ok && format == pgtype.BinaryFormatCode {
		return uuidPlan{}
	}
	return c.UUIDCodec.PlanScan(types, oid, format, target)
}

type uuidPlan struct{}

// Scan implements pgtype.ScanPlan. NULL leaves the target unchanged, as in uuid.UUID.
func (uuidPlan) Scan(source []byte, target any) error {
	id, ok := target.(*uuid.UUID)
	if !ok {
		return fmt.Errorf("scan a UUID into a %T", target)
	}
	switch len(source) {
	case 0:
		if source == nil {
			return nil
		}
	case len(id):
		copy(id[:], source)
		return nil
	}
	return fmt.Errorf("scan a UUID of %d bytes", len(source))
}
