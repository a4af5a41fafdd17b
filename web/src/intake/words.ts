import type { AlertKind } from "../api/intake";

export const kindLabels: Record<AlertKind, string> = {
  alertmanager: "Prometheus Alertmanager",
  grafana: "Grafana",
  "uptime-kuma": "Uptime Kuma",
  cloudwatch: "Amazon CloudWatch",
  webhook: "Webhook of your own",
};
