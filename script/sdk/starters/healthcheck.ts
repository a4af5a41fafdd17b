import { defineHealthCheck } from "@countersign/sdk/healthcheck";

export default defineHealthCheck(async ({ config, system }) => {
  const started = performance.now();
  const response = await fetch(String(config.url));
  return {
    success: response.ok,
    message: `${system.name} answered ${response.status}`,
    value: Math.round(performance.now() - started),
  };
});
