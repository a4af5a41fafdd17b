import { render, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { Dialog } from "./Dialog";

describe("a form in a dialog", () => {
  it("begins in its first field that can be filled in", async () => {
    render(
      <Dialog onClose={() => {}} title="Form">
        <input aria-label="Fixed" disabled />
        <input aria-label="Name" />
      </Dialog>,
    );
    await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Name")));
  });
});
