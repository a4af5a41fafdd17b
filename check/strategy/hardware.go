package strategy

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"countersign/check"
)

// cpuConfig configures the CPU collector.
type cpuConfig struct {
	IncludeLoadAverage bool `json:"includeLoadAverage,omitempty" jsonschema:"default=true" jsonschema_description:"Read the load averages, too" check:"label=Load averages"`
	IncludeCoreCount   bool `json:"includeCoreCount,omitempty" jsonschema:"default=true" jsonschema_description:"Count the cores, too" check:"label=Number of cores"`
}

// cpuResult is the CPU load.
type cpuResult struct {
	UsagePercent float64  `json:"usagePercent" jsonschema_description:"How busy all cores together were for half a second" check:"chart=line,unit=%,label=CPU usage,keep"`
	LoadAvg1m    *float64 `json:"loadAvg1m,omitempty" jsonschema_description:"Load average over one minute" check:"chart=line,label=Load (1 min)"`
	LoadAvg5m    *float64 `json:"loadAvg5m,omitempty" jsonschema_description:"Load average over five minutes" check:"chart=line,label=Load (5 min)"`
	LoadAvg15m   *float64 `json:"loadAvg15m,omitempty" jsonschema_description:"Load average over fifteen minutes" check:"chart=line,label=Load (15 min)"`
	CoreCount    *int     `json:"coreCount,omitempty" jsonschema_description:"Number of cores" check:"label=Cores"`
}

// memoryConfig configures the memory collector.
type memoryConfig struct {
	IncludeSwap         bool `json:"includeSwap,omitempty" jsonschema:"default=true" jsonschema_description:"Read the swap space, too" check:"label=Swap space"`
	IncludeBuffersCache bool `json:"includeBuffersCache,omitempty" jsonschema_description:"Count buffers and caches as used, although programs can have them at once" check:"label=Count buffers and caches"`
}

// memoryResult is the memory usage.
type memoryResult struct {
	TotalMb     float64 `json:"totalMb" jsonschema_description:"Memory of the host" check:"unit=MB,label=Memory"`
	UsedMb      float64 `json:"usedMb" jsonschema_description:"Memory that is used" check:"chart=line,unit=MB,label=Used memory"`
	FreeMb      float64 `json:"freeMb" jsonschema_description:"Memory that is not used" check:"chart=line,unit=MB,label=Free memory"`
	UsedPercent float64 `json:"usedPercent" jsonschema_description:"Share of the memory that is used" check:"chart=line,unit=%,label=Memory usage,keep"`
	// AvailablePercent does not depend on what counts as used, so that one default assertion fits every configuration.
	AvailablePercent float64  `json:"availablePercent" jsonschema_description:"Share of the memory that programs can have at once, buffers and caches included" check:"chart=line,unit=%,label=Available memory"`
	SwapUsedMb       *float64 `json:"swapUsedMb,omitempty" jsonschema_description:"Swap space that is used" check:"chart=line,unit=MB,label=Used swap"`
	SwapTotalMb      *float64 `json:"swapTotalMb,omitempty" jsonschema_description:"Swap space" check:"unit=MB,label=Swap"`
}

// diskConfig selects the file system.
type diskConfig struct {
	MountPoint string `json:"mountPoint,omitempty" jsonschema:"maxLength=500,default=/" jsonschema_description:"A path on the file system, such as / or /var/lib/data" check:"template,label=Path"`
}

// diskResult is the usage of a file system.
type diskResult struct {
	Filesystem  string  `json:"filesystem" jsonschema_description:"Device of the file system" check:"label=File system"`
	MountPoint  string  `json:"mountPoint" jsonschema_description:"Where it is mounted" check:"label=Mount point"`
	TotalGb     float64 `json:"totalGb" jsonschema_description:"Size" check:"unit=GB,label=Size"`
	UsedGb      float64 `json:"usedGb" jsonschema_description:"What is used" check:"chart=line,unit=GB,label=Used"`
	AvailableGb float64 `json:"availableGb" jsonschema_description:"What the user can still write" check:"chart=line,unit=GB,label=Available"`
	UsedPercent float64 `json:"usedPercent" jsonschema_description:"Share that is used, of what can be used" check:"chart=line,unit=%,label=Disk usage,keep"`
}

func cpuCollector() check.CollectorOf[*sshSession] {
	return check.NewCollector(check.Kind{
		ID: "collector-hardware.cpu", Name: "CPU", Category: "Hosts", Description: "How busy the processor of a Linux host is, by /proc/stat.",
		// A host that is busy for half a second is not ill; one that has nothing left in every run is.
		Defaults: []check.Assertion{{Field: "usagePercent", Operator: "lessThan", Value: json.RawMessage("95")}},
	}, collectCPU)
}

func memoryCollector() check.CollectorOf[*sshSession] {
	return check.NewCollector(check.Kind{
		ID: "collector-hardware.memory", Name: "Memory", Category: "Hosts",
		Description: "How much memory of a Linux host is used, by /proc/meminfo.",
		// Caches fill the memory of a host in time; what matters is what programs can have.
		Defaults: []check.Assertion{{Field: "availablePercent", Operator: "greaterThan", Value: json.RawMessage("10")}},
	}, collectMemory)
}

func diskCollector() check.CollectorOf[*sshSession] {
	return check.NewCollector(check.Kind{
		ID: "collector-hardware.disk", Name: "Disk", Category: "Hosts", Description: "How full a file system of a host is, by df.",
		Defaults: []check.Assertion{{Field: "usedPercent", Operator: "lessThan", Value: json.RawMessage("90")}},
	}, collectDisk)
}

// between is the interval between two samples of the CPU counters.
const between = 500 * time.Millisecond

func collectCPU(ctx context.Context, _ check.Run, s *sshSession, c *cpuConfig) (*cpuResult, error) {
	first, err := s.read(ctx, "cat /proc/loadavg /proc/stat")
	if err != nil {
		return nil, err
	}
	pause := time.NewTimer(between)
	defer pause.Stop()
	select {
	case <-ctx.Done():
		return nil, check.Classify(ctx, "read the processor's counters", ctx.Err())
	case <-pause.C:
	}
	second, err := s.read(ctx, "cat /proc/stat")
	if err != nil {
		return nil, err
	}
	before, cores, ok := counters(first)
	after, _, still := counters(second)
	if !ok || !still {
		return nil, check.Fail(check.WrongAnswer, "The host does not have /proc/stat in the form of Linux.")
	}
	r := &cpuResult{}
	if total := after.total - before.total; total > 0 && after.idle >= before.idle {
		r.UsagePercent = share(total-min(total, after.idle-before.idle), total)
	}
	if c.IncludeCoreCount {
		r.CoreCount = &cores
	}
	if c.IncludeLoadAverage {
		r.LoadAvg1m, r.LoadAvg5m, r.LoadAvg15m = loads(first)
	}
	return r, nil
}

// read returns the output of a command; any exit code but 0 is a failure.
func (s *sshSession) read(ctx context.Context, command string) (string, error) {
	r, err := s.run(ctx, command)
	if err != nil {
		return "", err
	}
	return r.Stdout, r.judge("Reading from the host", nil)
}

// ticks are the CPU counters summed over all cores.
type ticks struct{ total, idle uint64 }

// counters parses /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal; user already includes guest time.
func counters(text string) (all ticks, cores int, ok bool) {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		switch {
		case len(fields) < 5 || !strings.HasPrefix(fields[0], "cpu"):
		case fields[0] == "cpu":
			for i, field := range fields[1:min(len(fields), 9)] {
				n, err := strconv.ParseUint(field, 10, 63)
				if err != nil {
					return ticks{}, 0, false
				}
				all.total += n
				if i == 3 || i == 4 {
					all.idle += n
				}
			}
			ok = true
		default:
			cores++
		}
	}
	return all, cores, ok
}

// loads parses the first line of a text as /proc/loadavg.
func loads(text string) (one, five, fifteen *float64) {
	line, _, _ := strings.Cut(text, "\n")
	var found [3]*float64
	for i, field := range strings.Fields(line) {
		load, err := strconv.ParseFloat(field, 64)
		if i == len(found) || err != nil {
			break
		}
		found[i] = &load
	}
	return found[0], found[1], found[2]
}

func collectMemory(ctx context.Context, _ check.Run, s *sshSession, c *memoryConfig) (*memoryResult, error) {
	text, err := s.read(ctx, "cat /proc/meminfo")
	if err != nil {
		return nil, err
	}
	kb := map[string]uint64{}
	for line := range strings.Lines(text) {
		name, rest, _ := strings.Cut(line, ":")
		if fields := strings.Fields(rest); len(fields) > 0 {
			if n, err := strconv.ParseUint(fields[0], 10, 63); err == nil {
				kb[name] = n
			}
		}
	}
	total, free := kb["MemTotal"], kb["MemFree"]
	if total == 0 {
		return nil, check.Fail(check.WrongAnswer, "The host does not have /proc/meminfo in the form of Linux.")
	}
	available, ok := kb["MemAvailable"]
	if !ok {
		available = free + kb["Buffers"] + kb["Cached"]
	}
	free, available = min(free, total), min(available, total)
	if !c.IncludeBuffersCache {
		free = available
	}
	r := &memoryResult{
		TotalMb: mega(total), UsedMb: mega(total - free), FreeMb: mega(free), UsedPercent: share(total-free, total),
		AvailablePercent: share(available, total),
	}
	if c.IncludeSwap {
		swap, used := mega(kb["SwapTotal"]), mega(kb["SwapTotal"]-min(kb["SwapFree"], kb["SwapTotal"]))
		r.SwapTotalMb, r.SwapUsedMb = &swap, &used
	}
	return r, nil
}

func collectDisk(ctx context.Context, _ check.Run, s *sshSession, c *diskConfig) (*diskResult, error) {
	path := c.MountPoint
	if !strings.HasPrefix(path, "/") || strings.ContainsAny(path, "'\x00\n\r") {
		return nil, check.Fail(check.NotRunnable, "The mountPoint of this check has to begin with / and may have no quotation mark.")
	}
	text, err := s.read(ctx, "env LC_ALL=C df -P -k -- '"+path+"'")
	if err != nil {
		return nil, err
	}
	r, ok := diskOf(text)
	if !ok {
		return nil, check.Fail(check.WrongAnswer, "The host answers to df in a form that is not known.")
	}
	return r, nil
}

// diskOf parses the output of df -P -k: a header, then one line of device, size, used, available, share and mount
// point. Devices and mount points may contain spaces, so it searches for the numbers.
func diskOf(text string) (*diskResult, bool) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	fields := strings.Fields(lines[len(lines)-1])
	for at := 1; len(lines) > 1 && at+4 < len(fields); at++ {
		if !strings.HasSuffix(fields[at+3], "%") {
			continue
		}
		var kb [3]uint64
		for i := range kb {
			n, err := strconv.ParseUint(fields[at+i], 10, 63)
			if err != nil {
				return nil, false
			}
			kb[i] = n
		}
		r := &diskResult{
			Filesystem: clip(strings.Join(fields[:at], " "), 300), MountPoint: clip(strings.Join(fields[at+4:], " "), 300),
			TotalGb: giga(kb[0]), UsedGb: giga(kb[1]), AvailableGb: giga(kb[2]),
		}
		if usable := kb[1] + kb[2]; usable > 0 {
			r.UsedPercent = share(kb[1], usable)
		}
		return r, true
	}
	return nil, false
}

// share returns a percentage with one decimal.
func share(part, whole uint64) float64 {
	return float64(int64(float64(part)/float64(whole)*1000+0.5)) / 10
}

// mega and giga convert KB to MB and GB (factor 1024), with one and two decimals.
func mega(kb uint64) float64 { return float64(int64(float64(kb)/1024*10+0.5)) / 10 }
func giga(kb uint64) float64 { return float64(int64(float64(kb)/(1<<20)*100+0.5)) / 100 }

// Sends implements check.Sender.
func (*cpuConfig) Sends() check.Sending {
	return check.Sending{Lines: []string{"It runs the command there: cat /proc/loadavg /proc/stat"}}
}

// Sends implements check.Sender.
func (*memoryConfig) Sends() check.Sending {
	return check.Sending{Lines: []string{"It runs the command there: cat /proc/meminfo"}}
}

// Sends implements check.Sender.
func (c *diskConfig) Sends() check.Sending {
	return check.Sending{Lines: []string{"It runs the command there: df -P -k -- " + excerpt(otherwise(c.MountPoint, "/"))}}
}
