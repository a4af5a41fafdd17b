import { describe, expect, it } from "vitest";
import { differs, equal, expectationOf, freeName, verdictOf } from "./answers";

const failed = (code: string) => ({
  ok: false,
  error: { code, message: "no luck", line: 0, column: 0, stack: [] },
});

describe("An example", () => {
  it("expects what the call that it is made of has answered", () => {
    const answer = { ok: true, result: { b: [1], a: null } };
    expect(differs(expectationOf(answer), { ok: true, result: { a: null, b: [1] } })).toBeNull();
    expect(differs(expectationOf(answer), { ok: true, result: { a: null, b: [2] } })).toMatch(/differs/);
    expect(differs(expectationOf(answer), failed("timeout"))).toBe("It failed: no luck");
    // Nothing is a result too.
    expect(differs(expectationOf({ ok: true }), { ok: true, result: null })).toBeNull();
  });

  it("of a failure expects the same failure", () => {
    const wanted = expectationOf(failed("timeout"));
    expect(wanted).toEqual({ ok: false, error_code: "timeout" });
    expect(differs(wanted, failed("timeout"))).toBeNull();
    expect(differs(wanted, failed("not_json"))).toBe("It failed with not_json instead of timeout.");
    expect(differs(wanted, { ok: true })).toMatch(/Expected a failure/);
  });

  it("without an expectation has to go well", () => {
    expect(differs(undefined, { ok: true, result: 1 })).toBeNull();
    expect(differs(undefined, failed("timeout"))).toMatch(/^It failed/);
  });

  it("gets a name that is free", () => {
    expect(freeName([])).toBe("Example 1");
    expect(freeName(["Example 2"])).toBe("Example 3");
    expect(freeName(["a", "Example 3"])).toBe("Example 4");
  });
});

it("Values are the same whatever the order of their members", () => {
  expect(equal({ a: [{ b: 1, c: 2 }] }, { a: [{ c: 2, b: 1 }] })).toBe(true);
  expect(equal([1, 2], [2, 1])).toBe(false);
  expect(equal({}, [])).toBe(false);
  expect(equal({ toString: 1 }, { other: 1 })).toBe(false);
  expect(equal(null, {})).toBe(false);
});

it("A call is judged in words, also by a code that nobody knows", () => {
  expect(verdictOf({ ok: true })).toEqual({ label: "Finished", tone: "success" });
  expect(verdictOf(failed("memory_exceeded")).label).toBe("Stopped: out of memory");
  expect(verdictOf(failed("something_new")).label).toBe("Failed");
});
