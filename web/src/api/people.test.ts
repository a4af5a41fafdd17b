import { describe, expect, it } from "vitest";
import { userChange, type User } from "./people";

const user: User = {
  id: "u",
  name: "Ada",
  email: "ada@example.org",
  disabled: false,
  mustChangePassword: false,
  status: "active" as const,
  roles: [{ id: "users", name: "users" }],
  teams: [],
  revision: 3,
  createdAt: "2026-11-22T10:00:00Z",
  updatedAt: "2026-11-22T10:00:00Z",
};
const same = { name: "Ada", email: "ada@example.org", mustChangePassword: false, disabled: false, roleIds: ["users"] };

describe("userChange", () => {
  it("sends what differs and nothing else", () => {
    expect(userChange(user, same)).toEqual({});
    expect(userChange(user, { ...same, disabled: true })).toEqual({ disabled: true });
    expect(userChange(user, { ...same, password: "a new password" })).toEqual({ password: "a new password" });
    expect(userChange(user, { ...same, roleIds: ["users", "more"] })).toEqual({ roleIds: ["users", "more"] });
    expect(userChange(user, { ...same, roleIds: [] })).toEqual({ roleIds: [] });
  });
});
