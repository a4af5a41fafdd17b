import type { CheckDefinition } from "../api/health";

/** Destinations of a check and the secrets it sends, to review before saving. */
export interface Destinations {
  where: string[];
  secrets: string[];
}

const addresses = ["url", "baseUrl", "address", "host", "hostname", "nameserver", "proxy", "proxyUrl"];
const reference = /\$\{\{\s*secrets\.([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;

export function destinationsOf(definition: Pick<CheckDefinition, "config" | "collectors">): Destinations {
  const where = new Set<string>();
  const secrets = new Set<string>();
  for (const config of [definition.config, ...definition.collectors.map((collector) => collector.config)]) {
    if (!config) continue;
    for (const name of addresses) {
      const value = config[name];
      if (typeof value !== "string" || value === "") continue;
      const { port } = config;
      const alone = name === "host" && (typeof port === "number" || typeof port === "string");
      where.add(alone ? `${value}:${port}` : value);
    }
    for (const [, name] of JSON.stringify(config).matchAll(reference)) if (name) secrets.add(name);
  }
  return { where: [...where], secrets: [...secrets].toSorted() };
}
