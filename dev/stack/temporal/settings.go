package temporal

import (
	"time"

	"go.temporal.io/server/common/dynamicconfig"
)

// settings are the server's dynamic configuration.
func settings() dynamicconfig.StaticClient {
	const (
		// pollsPerSecond is the rate limit of queue readers per shard. The default of 20 delays every hop of a fast
		// workflow by up to 50 ms; a turn of 16 steps takes a second instead of 0.15.
		pollsPerSecond = 2000
		// unlimited replaces limits that protect tenants from one another; there is one tenant.
		unlimited = 50_000
	)
	return dynamicconfig.StaticClient{
		dynamicconfig.TransferProcessorMaxPollRPS.Key():   pollsPerSecond,
		dynamicconfig.TimerProcessorMaxPollRPS.Key():      pollsPerSecond,
		dynamicconfig.VisibilityProcessorMaxPollRPS.Key(): pollsPerSecond,
		dynamicconfig.OutboundProcessorMaxPollRPS.Key():   pollsPerSecond,

		dynamicconfig.FrontendRPS.Key():                                  unlimited,
		dynamicconfig.FrontendMaxNamespaceRPSPerInstance.Key():           unlimited,
		dynamicconfig.FrontendMaxNamespaceVisibilityRPSPerInstance.Key(): unlimited,
		dynamicconfig.FrontendPersistenceMaxQPS.Key():                    unlimited,
		dynamicconfig.HistoryRPS.Key():                                   unlimited,
		dynamicconfig.HistoryPersistenceMaxQPS.Key():                     unlimited,
		dynamicconfig.MatchingRPS.Key():                                  unlimited,
		dynamicconfig.MatchingPersistenceMaxQPS.Key():                    unlimited,

		// More partitions spread a task queue over hosts; there is one host.
		dynamicconfig.MatchingNumTaskqueueReadPartitions.Key():  1,
		dynamicconfig.MatchingNumTaskqueueWritePartitions.Key(): 1,
		// Without it the fairness keys of the product's task queues do nothing.
		dynamicconfig.MatchingEnableFairness.Key(): true,

		// A workflow task whose worker died is given to another one after its timeout, which the server lengthens with each
		// attempt, up to ten minutes. A turn whose tenth worker in a row died would wait so long for the next one.
		dynamicconfig.WorkflowTaskRetryMaxInterval.Key(): 30 * time.Second,

		// Housekeeping for data of clusters much older or larger than this one.
		// Retention does not depend on it.
		dynamicconfig.HistoryScannerEnabled.Key():    false,
		dynamicconfig.ExecutionsScannerEnabled.Key(): false,
		dynamicconfig.TaskQueueScannerEnabled.Key():  false,
		dynamicconfig.BuildIdScavengerEnabled.Key():  false,

		dynamicconfig.EnableServerVersionCheck.Key(): false,
	}
}
