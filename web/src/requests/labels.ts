import { proposing, type Labels } from "../area";

export const labels: Labels = {
  modules: { http: "Web requests" },
  tools: {
    "http.request": proposing("a request", "send a request"),
  },
  fields: { url: "Address" },
};
