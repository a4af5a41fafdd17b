package temporal

import (
	"os"
	"sync/atomic"

	"go.temporal.io/server/common/log"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// quietableLog is the server's log. Once quiet it drops everything, because a stopping server reports every interrupted
// call as an error with its stack.
type quietableLog struct {
	log.Logger
	silent *atomic.Bool
}

func newLog(file *os.File) *quietableLog {
	silent := new(atomic.Bool)
	level := zap.LevelEnablerFunc(func(level zapcore.Level) bool {
		return level >= zapcore.WarnLevel && (level > zapcore.ErrorLevel || !silent.Load())
	})
	core := zapcore.NewCore(zapcore.NewJSONEncoder(log.DefaultZapEncoderConfig), zapcore.Lock(file), level)
	return &quietableLog{Logger: log.NewZapLogger(zap.New(core)), silent: silent}
}

func (l *quietableLog) quiet() { l.silent.Store(true) }
