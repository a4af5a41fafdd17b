import { fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { IconButton } from "./IconButton";
import { Tooltips } from "./Tooltip";

const page = (
  <>
    <IconButton icon="trash" label="Delete the system" />
    <IconButton icon="pencil" label="Rename the system" />
    <p>Something else</p>
    <Tooltips />
  </>
);
/** The machine may be. */
const busy = { timeout: 60_000 };
const shown = () => screen.queryByTestId("tooltip")?.textContent ?? null;

it("says what is hovered, and what is hovered next", async () => {
  render(page);
  fireEvent.pointerOver(screen.getByLabelText("Delete the system"));
  await expect.poll(shown, busy).toBe("Delete the system");
  fireEvent.pointerOver(screen.getByLabelText("Rename the system"));
  await expect.poll(shown, busy).toBe("Rename the system");
  // Its own text can be reached and read.
  fireEvent.pointerOver(screen.getByTestId("tooltip"));
  fireEvent.pointerOver(screen.getByText("Something else"));
  await expect.poll(shown, busy).toBe(null);
  fireEvent.pointerOver(screen.getByLabelText("Rename the system"));
  await expect.poll(shown, busy).toBe("Rename the system");
  fireEvent.pointerDown(screen.getByLabelText("Rename the system"));
  await expect.poll(shown, busy).toBe(null);
});

it("comes with the keyboard's focus, and goes with Escape", async () => {
  render(page);
  await userEvent.tab();
  await expect.poll(shown, busy).toBe("Delete the system");
  await userEvent.keyboard("{Escape}");
  await expect.poll(shown, busy).toBe(null);
});
