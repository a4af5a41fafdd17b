import { describe, expect, it } from "vitest";
import { countdown, shownStatus } from "./countdown";

const end = "2026-11-21T10:10:00Z";
const at = (time: string) => Date.parse(`2026-11-21T${time}Z`);

describe("countdown", () => {
  it.each([
    ["10:00:00", "10:00", false],
    ["10:00:00.400", "10:00", false],
    ["10:00:55", "9:05", false],
    ["10:09:01", "0:59", true],
    ["10:09:59.900", "0:01", true],
  ])("at %s shows %s", (time, label, urgent) => {
    expect(countdown(end, at(time))).toEqual({ expired: false, label, urgent });
  });

  it("is over at the end and stays over", () => {
    expect(countdown(end, at("10:10:00")).expired).toBe(true);
    expect(countdown(end, at("11:00:00"))).toEqual({ expired: true, label: "0:00", urgent: false });
  });

  it("counts an unreadable end as over", () => {
    expect(countdown("soon", at("10:00:00")).expired).toBe(true);
  });
});

describe("shownStatus", () => {
  it("closes a pending card as soon as its time is over", () => {
    expect(shownStatus("proposed", end, at("10:09:59"))).toBe("proposed");
    expect(shownStatus("proposed", end, at("10:10:00"))).toBe("expired");
  });

  it("never overrides what the server has decided", () => {
    for (const status of ["applying", "applied", "failed", "declined"] as const) {
      expect(shownStatus(status, end, at("11:00:00"))).toBe(status);
    }
  });
});
