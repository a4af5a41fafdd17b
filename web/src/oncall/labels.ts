import type { Labels } from "../area";

export const labels: Labels = {
  modules: { oncall: "On-call", notify: "Who is called" },
};
