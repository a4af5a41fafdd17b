import { describe, expect, it } from "vitest";
import type { Principal } from "../api/session";
import { administers, pagesOf } from "./destinations";

const person = (...rules: string[]): Principal => ({
  kind: "user",
  id: "ada",
  name: "Ada",
  email: "",
  rules,
  teams: [],
  roles: [],
  mustChangePassword: false,
});
const paths = (...rules: string[]) => pagesOf(person(...rules)).map(({ to }) => to);

describe("the administration", () => {
  it("begins with the first page that a person may open", () => {
    expect(paths("ai.audit.read", "ai.policy.manage")).toEqual(["/admin/policies", "/admin/audit"]);
  });

  it("opens the privacy page with either of its rules", () => {
    expect(paths("ai.retention.manage")).toEqual(["/admin/privacy"]);
    expect(paths("ai.privacy.manage")).toEqual(["/admin/privacy"]);
  });

  it("is closed to everybody else", () => {
    expect(paths("ai.chat.read")).toEqual([]);
    expect(administers(person("ai.chat.read"))).toBe(false);
    expect(administers(undefined)).toBe(false);
  });
});
