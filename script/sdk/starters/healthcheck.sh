#!/bin/bash
set -euo pipefail

echo "checking $COUNTERSIGN_SYSTEM_NAME"
curl -fsS "${COUNTERSIGN_ENV_BASE_URL:-https://status.example.com}/health"
