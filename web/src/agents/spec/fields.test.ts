import { describe, expect, it } from "vitest";
import type { Spec } from "../../api/agents";
import { fieldsOf, hostsOf, specOf, specSchema } from "./fields";

const spec: Spec = {
  secrets: [{ name: "API_KEY", allowed_hosts: ["api.example.com", "*.example.org"] }],
  tools: { find: { requires_approval: true }, gone: { requires_identity: "countersign" } },
  limits: { timeout_ms: 2_500 },
};

describe("Secrets and limits", () => {
  it("come back from the form as they went in", () => {
    const fields = fieldsOf(spec, [{ id: "find" }, { id: "other" }]);
    expect(fields.tools.map(({ id }) => id)).toEqual(["find", "other", "gone"]);
    expect(fields.timeout).toBe("2.5");
    expect(specOf(fields)).toEqual(spec);
  });

  it("that say nothing are not sent", () => {
    expect(specOf(fieldsOf({}, [{ id: "find" }]))).toEqual({});
  });

  it("are refused where the server would", () => {
    const fields = fieldsOf(spec, []);
    const issues = (change: object) =>
      specSchema.safeParse({ ...fields, ...change }).error?.issues.map(({ path }) => path.join(".")) ?? [];
    expect(issues({})).toEqual([]);
    expect(issues({ secrets: [{ name: "lower", hosts: "a" }] })).toEqual(["secrets.0.name"]);
    expect(issues({ secrets: [{ name: "A", hosts: " \n" }] })).toEqual(["secrets.0.hosts"]);
    for (const timeout of ["0", "31", "soon", "-1"]) expect(issues({ timeout })).toEqual(["timeout"]);
  });
});

it("Hosts stand one in a line", () => {
  expect(hostsOf(" a.example \n\nb.example, c.example")).toEqual(["a.example", "b.example", "c.example"]);
});
