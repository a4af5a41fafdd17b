import { describe, expect, test } from "vitest";
import type { ScriptPolicy } from "../api/scriptpolicy";
import { policyDraftOf } from "./scriptlimits";
import { choosePolicy, clashFields, mergePolicies } from "./scriptpolicymerge";

const limits = {
  timeoutMs: 10_000,
  memoryBytes: 64 << 20,
  outputBytes: 1 << 16,
  resultBytes: 1 << 16,
  hostCalls: 10,
  hostBytes: 1 << 20,
};
const base: ScriptPolicy = { network: "off", allow: ["a.example.com"], test: limits, run: limits };

const typed = () => {
  const draft = policyDraftOf(base);
  return { ...draft, test: { ...draft.test, timeoutMs: "12" } };
};

describe("A script policy that two people change", () => {
  test("has theirs where I changed nothing, and mine where they did not", () => {
    const { draft, clashes } = mergePolicies(base, { ...base, network: "public" }, typed());
    expect(draft).toMatchObject({ network: "public", test: { timeoutMs: "12" } });
    expect(clashes).toEqual([]);
  });

  test("asks about what both have changed, and keeps what was typed while theirs is chosen", () => {
    const merged = mergePolicies(base, { ...base, test: { ...limits, timeoutMs: 20_000, hostCalls: 5 } }, typed());
    expect(merged.draft.test).toMatchObject({ timeoutMs: "12", hostCalls: "5" });
    expect(clashFields(merged.clashes)).toEqual([
      { name: "test.timeoutMs", label: "Tests, time", takes: "mine", mine: "12 s", theirs: "20 s" },
    ]);
    const theirs = choosePolicy(merged.draft, merged.clashes, "test.timeoutMs", "theirs");
    expect(theirs.draft.test.timeoutMs).toBe("20");
    const mine = choosePolicy(theirs.draft, theirs.clashes, "test.timeoutMs", "mine");
    expect(mine.draft.test.timeoutMs).toBe("12");
    expect(mine.clashes[0]).toMatchObject({ takes: "mine", stored: "20" });
  });

  test("asks no more about what has become the same, and follows a third change with what was chosen", () => {
    const second = { ...base, test: { ...limits, timeoutMs: 20_000 } };
    const first = mergePolicies(base, second, typed());
    expect(
      mergePolicies(second, { ...base, test: { ...limits, timeoutMs: 12_000 } }, first.draft, first.clashes),
    ).toEqual({
      draft: first.draft,
      clashes: [],
    });
    const chosen = choosePolicy(first.draft, first.clashes, "test.timeoutMs", "theirs");
    const third = mergePolicies(
      second,
      { ...base, test: { ...limits, timeoutMs: 30_000 } },
      chosen.draft,
      chosen.clashes,
    );
    expect(third.draft.test.timeoutMs).toBe("30");
    expect(third.clashes).toEqual([{ name: "test.timeoutMs", mine: "12", stored: "30", takes: "theirs" }]);
  });

  test("is the same in both is no clash", () => {
    expect(mergePolicies(base, { ...base, test: { ...limits, timeoutMs: 12_000 } }, typed()).clashes).toEqual([]);
  });
});
