import { act, render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { show, Toaster } from "./Toaster";

it("shows what was said before it was there: the last of it", async () => {
  show("Too early");
  show("Saved");
  render(<Toaster />);
  expect((await screen.findByTestId("toast")).textContent).toBe("Saved");
  act(() => show("Saved again"));
  await screen.findByText("Saved again");
});
