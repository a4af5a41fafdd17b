package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"countersign/check/engine/enginedb"
)

const copyResults = `COPY check_results (target, slot, late_ms, took_us, held, verdict, cause, code, kept) FROM STDIN BINARY`

// copyColumns is the number of columns, copySize the size of a row without kept values.
const (
	copyColumns = 9
	copySize    = 2 + 4*copyColumns + 4 + 8 + 4 + 4 + 8 + 2 + 2 + 2
)

// copyRows writes rows by binary COPY. The encoder of the driver would cost more than the rest of a run apart from its probe.
func (e *Engine) copyRows(ctx context.Context, rows []enginedb.AddResultParams) error {
	n, err := e.db.CopyBinary(ctx, copyResults, bytes.NewReader(encodeRows(rows)))
	if err != nil {
		return err
	}
	if int(n) != len(rows) {
		return fmt.Errorf("%d of %d rows were copied", n, len(rows))
	}
	return nil
}

// encodeRows encodes rows in the binary format of COPY.
func encodeRows(rows []enginedb.AddResultParams) []byte {
	b := make([]byte, 0, 32+len(rows)*(copySize+16))
	b = append(b, "PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)
	for i := range rows {
		b = encodeRow(b, &rows[i])
	}
	return binary.BigEndian.AppendUint16(b, math.MaxUint16)
}

func encodeRow(b []byte, r *enginedb.AddResultParams) []byte {
	b = binary.BigEndian.AppendUint16(b, copyColumns)
	b = int32Field(b, r.Target)
	b = int64Field(b, r.Slot)
	b = int32Field(b, r.LateMs)
	b = int32Field(b, r.TookUs)
	b = int64Field(b, r.Held)
	b = int16Field(b, r.Verdict)
	b = int16Field(b, r.Cause)
	b = int16Field(b, r.Code)
	if r.Kept == nil {
		return binary.BigEndian.AppendUint32(b, math.MaxUint32) // null
	}
	const float4 = 700 // the type of the elements
	dimensions := uint32(min(len(r.Kept), 1))
	b = binary.BigEndian.AppendUint32(b, 12+8*dimensions+8*uint32(len(r.Kept)))
	b = binary.BigEndian.AppendUint32(b, dimensions)
	b = binary.BigEndian.AppendUint32(b, 0) // no nulls
	b = binary.BigEndian.AppendUint32(b, float4)
	if dimensions > 0 {
		b = binary.BigEndian.AppendUint32(b, uint32(len(r.Kept)))
		b = binary.BigEndian.AppendUint32(b, 1) // lower bound
	}
	for _, v := range r.Kept {
		b = binary.BigEndian.AppendUint32(b, 4)
		b = binary.BigEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

func int16Field(b []byte, v int16) []byte {
	return binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint32(b, 2), uint16(v))
}

func int32Field(b []byte, v int32) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, 4), uint32(v))
}

func int64Field(b []byte, v int64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(b, 8), uint64(v))
}
