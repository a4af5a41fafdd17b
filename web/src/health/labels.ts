import { linkOptions } from "@tanstack/react-router";
import { proposing, type Labels } from "../area";

export const labels: Labels = {
  modules: { healthcheck: "Health checks" },
  tools: {
    "healthcheck.propose": proposing("a health check", "create a health check"),
    "healthcheck.update": proposing("a health check change", "change a health check"),
    "healthcheck.delete": proposing("to delete a health check", "delete a health check"),
    "healthcheck.assign": proposing("to assign a health check", "assign a health check"),
    "healthcheck.unassign": proposing("to unassign a health check", "unassign a health check"),
    "healthcheck.status": "check system health",
    "healthcheck.list": "list health checks",
    "healthcheck.get": "read a health check",
    "healthcheck.listLocations": "list locations of health checks",
    "healthcheck.testDraft": "test a health check",
    "healthcheck.runNow": proposing("a run of a health check", "run a health check"),
    "healthcheck.import": proposing("an import of health checks", "import health checks"),
    "healthcheck.setPaused": proposing("to pause or resume a health check", "pause or resume a health check"),
  },
  decisions: {
    "healthcheck.setPaused": ({ paused }) => (paused === true ? "Pause health check" : "Resume health check"),
  },
  nouns: { healthcheck: "health check" },
  fields: { assignToSystemId: "For the system", strategyId: "Kind of check" },
  records: {
    check: {
      noun: "health check",
      objectType: "healthcheck.healthcheck",
      link: ({ id }) => linkOptions({ to: "/health/checks/$checkId", params: { checkId: id } }),
    },
  },
  targets: {
    "healthcheck.propose": ["system", "assignToSystemId"],
    "healthcheck.update": ["check", "id"],
    "healthcheck.delete": ["check", "id"],
    "healthcheck.setPaused": ["check", "id"],
    "healthcheck.assign": ["check", "checkId"],
    "healthcheck.unassign": ["check", "checkId"],
    "healthcheck.runNow": ["check", "checkId"],
  },
  results: { "healthcheck.propose": ["check", "check"] },
};
