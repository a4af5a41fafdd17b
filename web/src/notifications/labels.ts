import type { Labels } from "../area";

export const labels: Labels = { modules: { notification: "Notifications" } };
