#!/bin/bash
set -euo pipefail

echo "run $COUNTERSIGN_RUN_ID was started by $COUNTERSIGN_TRIGGER_EVENT"
