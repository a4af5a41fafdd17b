import { describe, expect, it } from "vitest";
import type { ScriptPolicy } from "../api/scriptpolicy";
import {
  draftOf,
  entriesOf,
  fieldIssues,
  issuesOf,
  limitFields,
  limitsOf,
  policyDraftOf,
  policyOf,
} from "./scriptlimits";
import { describeChange } from "./ScriptPolicyPage";

const limits = {
  timeoutMs: 1500,
  memoryBytes: 50_331_648,
  outputBytes: 262_144,
  resultBytes: 1_048_576,
  hostCalls: 100,
  hostBytes: 1025,
};
const policy: ScriptPolicy = { network: "off", allow: ["a.example.com"], test: limits, run: limits };

const change = (before: ScriptPolicy | undefined, after: ScriptPolicy) =>
  describeChange({ at: "", revision: 2, actorKind: "user", actorId: "u1", before, after });

describe("limits of scripts", () => {
  it("come back as they were", () => {
    expect(limitsOf(draftOf(limits))).toEqual(limits);
  });

  it("are shown in units that people read", () => {
    expect(draftOf(limits)).toMatchObject({ timeoutMs: "1.5", memoryBytes: "48", outputBytes: "256" });
  });

  it("never exceed what the server takes", () => {
    const most = limitsOf(
      Object.fromEntries(limitFields.map(({ name, max }) => [name, String(max)])) as ReturnType<typeof draftOf>,
    );
    expect(most).toEqual({
      timeoutMs: 300_000,
      memoryBytes: 134_217_728,
      outputBytes: 5_242_880,
      resultBytes: 5_242_880,
      hostCalls: 1000,
      hostBytes: 67_108_864,
    });
  });
});

describe("entries of the allowlist", () => {
  it("are split at lines, spaces and commas", () => {
    expect(entriesOf(" a.example.com\n\n*.b.org:443, 10.0.0.0/8\t")).toEqual([
      "a.example.com",
      "*.b.org:443",
      "10.0.0.0/8",
    ]);
  });
});

describe("what is wrong with a policy", () => {
  const draft = policyDraftOf(policy);
  const wrong = (part: Partial<typeof draft.test>) => issuesOf({ ...draft, test: { ...draft.test, ...part } });

  it("is nothing in one that was stored", () => {
    expect(policyOf(draft)).toEqual(policy);
    expect(issuesOf(draft)).toEqual({});
  });

  it("is said at its field, in the units of the field", () => {
    expect(wrong({ timeoutMs: "0" })).toEqual({ "test.timeoutMs": "Enter a number from 0.1 to 300." });
    expect(wrong({ memoryBytes: "" })).toEqual({ "test.memoryBytes": "Enter a number from 16 to 128." });
    expect(wrong({ hostCalls: "1.5", outputBytes: "x" })).toEqual({
      "test.hostCalls": "Enter a whole number from 1 to 1,000.",
      "test.outputBytes": "Enter a number from 1 to 5,120.",
    });
    expect(issuesOf({ ...draft, network: "allowlist", allow: " \n" })).toHaveProperty("allow");
  });

  it("is led from the server's answer to the fields, or shown as it is", () => {
    const of = (...issues: { path: string; message: string }[]) =>
      fieldIssues({ status: 422, issues }, { ...policy, allow: ["a.example.com", "http://b"] });
    expect(
      of({ path: "allow[1]", message: "is no target" }, { path: "run.hostCalls", message: "must be from 1 to 1000" }),
    ).toEqual({
      allow: "http://b: is no target.",
      "run.hostCalls": "Must be from 1 to 1000.",
    });
    expect(of({ path: "body.test.timeoutMs", message: "expected number <= 300000" })).toHaveProperty([
      "test.timeoutMs",
    ]);
    expect(of({ path: "something", message: "else" })).toBeNull();
    expect(fieldIssues({ status: 412 }, policy)).toBeNull();
    expect(fieldIssues(undefined, undefined)).toBeNull();
  });
});

describe("a change of the policy", () => {
  it("names what is different and nothing else", () => {
    const after: ScriptPolicy = {
      ...policy,
      network: "allowlist",
      allow: ["b.example.com"],
      run: { ...limits, memoryBytes: 67_108_864 },
    };
    expect(change(policy, after)).toEqual([
      "Network: Off → Allowlist",
      "Allowed: b.example.com",
      "No longer allowed: a.example.com",
      "Real runs, memory: 48 MiB → 64 MiB",
    ]);
    expect(change(policy, policy)).toEqual(["Saved without a change"]);
  });

  it("says when there was nothing before", () => {
    expect(change(undefined, policy)[0]).toBe("No usable policy before.");
  });
});
