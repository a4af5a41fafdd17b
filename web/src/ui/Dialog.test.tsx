import { render, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { FormDialog } from "./FormDialog";

beforeEach(() => {
  // jsdom knows no modal dialogs.
  HTMLDialogElement.prototype.showModal = vi.fn<() => void>();
  HTMLDialogElement.prototype.close = vi.fn<() => void>();
});

describe("a form in a dialog", () => {
  it("begins in its first field that can be filled in", () => {
    render(
      <FormDialog busy={false} error={null} onClose={() => {}} onSubmit={() => {}} submitLabel="Save" title="Form">
        <input aria-label="Fixed" disabled />
        <input aria-label="Name" />
      </FormDialog>,
    );
    expect(document.activeElement).toBe(screen.getByLabelText("Name"));
  });
});
