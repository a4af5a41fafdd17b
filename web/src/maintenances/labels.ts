import type { Labels } from "../area";

export const labels: Labels = {
  modules: { maintenance: "Maintenances" },
};
