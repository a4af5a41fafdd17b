import { describe, expect, it } from "vitest";
import { fieldChange } from "../history/words";
import { narrowedNames, refusedAgain } from "./auditwords";

const time = (iso: string) => iso.slice(11, 16);
const more = { count: 41, first: "2026-11-23T10:00:01Z", last: "2026-11-23T10:01:00Z" };

describe("refusedAgain", () => {
  it("says how often, when, and of what", () => {
    expect(refusedAgain(more, time)).toBe("41 times, from 10:00 to 10:01");
    expect(refusedAgain({ ...more, count: 1 }, time)).toBe("once, 10:00");
    expect(refusedAgain({ ...more, severalTools: true }, time)).toBe(
      "41 times, calls of several tools, from 10:00 to 10:01",
    );
  });

  it("shows what the entry says as it is", () => {
    expect(fieldChange({ field: "count", to: "41" }, "refused")).toBe("41");
    expect(fieldChange({ field: "name", to: "One" }, "changed")).toBe("now One");
  });
});

describe("narrowedNames", () => {
  const ada = {
    kind: "user",
    id: "u1",
    name: "Ada",
    program: { id: "https://editor.example", name: "Editor" },
  } as const;
  const bob = { kind: "user", id: "u2", name: "Bob" } as const;

  it("are those of the entries, where one says them", () => {
    expect(narrowedNames([bob, undefined, ada], { principal: "u1" })).toEqual({ principalName: "Ada" });
    expect(narrowedNames([bob, ada], { program: "https://editor.example" })).toEqual({ programName: "“Editor”" });
    expect(narrowedNames([bob, undefined], { principal: "u3", program: "token" })).toEqual({});
    expect(narrowedNames([undefined, bob], {})).toEqual({});
  });
});
