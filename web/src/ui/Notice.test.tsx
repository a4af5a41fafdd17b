import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { Problem } from "../api/problem";
import { ErrorNotice } from "./Notice";

it("says each thing that is wrong once, not in the words of the API as well", () => {
  const issues = [{ path: "email", message: "is the address of nobody who can sign in here" }];
  const detail = "Please correct: email is the address of nobody who can sign in here.";
  render(<ErrorNotice error={new Problem({ status: 422, detail, issues })} />);
  expect(screen.getByRole("alert").textContent).toBe(
    "Something of this cannot be used:Email is the address of nobody who can sign in here.",
  );
});
