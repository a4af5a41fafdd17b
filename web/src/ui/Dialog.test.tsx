import { render, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { Dialog } from "./Dialog";

describe("a form in a dialog", () => {
  it("begins in its first field that can be filled in", async () => {
    render(
      <Dialog onClose={() => {}} title="Form">
        <input aria-label="Fixed" disabled />
        <input aria-label="Name" />
      </Dialog>,
    );
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Name")));
  });
});
