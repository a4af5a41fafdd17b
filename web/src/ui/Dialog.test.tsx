import { render, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { FormDialog } from "./FormDialog";

describe("a form in a dialog", () => {
  it("begins in its first field that can be filled in", async () => {
    render(
      <FormDialog busy={false} error={null} onClose={() => {}} onSubmit={() => {}} submitLabel="Save" title="Form">
        <input aria-label="Fixed" disabled />
        <input aria-label="Name" />
      </FormDialog>,
    );
    await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Name")));
  });
});
