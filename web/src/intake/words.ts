import type { AlertKind } from "../api/intake";

export const kindLabels: Record<AlertKind, string> = {
  alertmanager: "Prometheus Alertmanager",
  grafana: "Grafana",
  "uptime-kuma": "Uptime Kuma",
  cloudwatch: "Amazon CloudWatch",
  webhook: "Webhook of your own",
};

/** Names of labels that alerts of a kind have, for rules. */
export const labelHints: Record<AlertKind, string> = {
  alertmanager: "",
  grafana: "",
  "uptime-kuma": "Labels: monitor, id, type, url, hostname, tag.<name>.",
  cloudwatch: "Labels: alarm, account, region, namespace, metric, dimension.<name>.",
  webhook: "",
};

/** Names of the lists of rules, where two people have changed them. */
export const ruleLabels = { systems: "Systems by labels", severities: "Severities by labels" };

/** Rules in words, where two people have changed them. */
export function describeRules(name: string, value: unknown): string | undefined {
  if (!(name in ruleLabels)) return undefined;
  const rules = value as { label: string; value: string; systemIds?: string[]; severity?: string }[];
  const follows = (rule: (typeof rules)[number]) => rule.severity ?? `${rule.systemIds?.length ?? 0} systems`;
  return rules.map((rule) => `${rule.label} = ${rule.value}: ${follows(rule)}`).join("; ") || "none";
}
