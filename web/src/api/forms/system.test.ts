import { describe, expect, test } from "vitest";
import type { Contact } from "../catalog";
import { contactLink, contactSchema, contactValues } from "./system";

const sent = (values: object) => contactSchema.safeParse({ ...contactValues(), ...values });
const href = (contact: Partial<Contact>) => contactLink({ id: "c", label: "", type: "phone", ...contact })?.href;

describe("A contact", () => {
  test("is sent with what its kind has", () => {
    const other = { email: "a@example.org", userId: "u", address: "112" };
    expect(sent({ ...other, type: "phone" }).data).toEqual({ type: "phone", label: "", address: "112" });
    expect(sent({ ...other, type: "mailbox" }).data).toEqual({ type: "mailbox", label: "", email: "a@example.org" });
    expect(sent({ ...other, type: "user" }).data).toEqual({ type: "user", label: "", userId: "u" });
  });
  test.each([
    ["phone", "12"],
    ["phone", "https://example.org"],
    ["phone", "1".repeat(16)],
    ["chat", "030 12345"],
    ["chat", "http://example.org"],
    ["chat", "javascript:alert(1)"],
    ["pager", "page me"],
  ])("of the kind %s is not %s", (type, address) => {
    expect(sent({ type, address }).error?.issues.map(({ path }) => path.join("."))).toEqual(["address"]);
  });
  test("leads to where it is reached", () => {
    expect(href({ address: "+49 (30) 123-45" })).toBe("tel:+493012345");
    expect(href({ type: "pager", address: "112" })).toBe("tel:112");
    expect(href({ type: "pager", address: "https://pager.example.org/7" })).toBe("https://pager.example.org/7");
    expect(href({ type: "chat", address: "https://chat.example.org/r" })).toBe("https://chat.example.org/r");
    expect(href({ type: "chat", address: "javascript:alert(1)" })).toBeUndefined();
    expect(href({ type: "mailbox", email: "a@example.org" })).toBe("mailto:a@example.org");
    expect(href({ type: "user" })).toBeUndefined();
  });
});
