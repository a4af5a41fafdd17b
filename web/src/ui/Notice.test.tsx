import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { Problem } from "../api/problem";
import { ErrorNotice } from "./Notice";

it("says each thing that is wrong once, not in the words of the API as well", () => {
  const issues = [{ path: "email", message: "is the address of nobody who can sign in here" }];
  const detail = "Please correct: email is the address of nobody who can sign in here.";
  render(<ErrorNotice error={new Problem({ status: 422, detail, issues })} />);
  expect(screen.getByRole("alert").textContent).toBe(
    "Parts of this are unusable:Email is the address of nobody who can sign in here.",
  );
});

it("says that roles do not allow something in words, with the rule for who gives it", () => {
  const detail = "Forbidden: list agents (missing permission: agent.agent.read).";
  const missingRules = ["agent.agent.read"];
  render(<ErrorNotice error={new Problem({ status: 403, code: "forbidden", detail, missingRules })} />);
  expect(screen.getByRole("alert").textContent).toBe(
    "Your roles do not allow this: list agents. Ask an administrator for access.Missing: agent.agent.read",
  );
});
