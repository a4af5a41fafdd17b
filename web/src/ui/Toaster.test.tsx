import { act, render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { show, showProposed, Toaster } from "./Toaster";

it("shows what was said before it was there: the last of it", async () => {
  show("Too early");
  show("Saved");
  render(<Toaster />);
  expect((await screen.findByTestId("toast")).textContent).toBe("Saved");
  act(() => show("Saved again"));
  await screen.findByText("Saved again");
});

it("leaves presses on what it covers alone, but for its links", async () => {
  render(<Toaster />);
  act(() => showProposed({ summary: "Erase Ada", link: "/proposals?proposal=x1", twoPerson: true }));
  const link = await screen.findByTestId("toast-link");
  expect(link.className).toContain("pointer-events-auto");
  for (let above = link.parentElement; above && above !== document.body; above = above.parentElement)
    expect(above.className).not.toContain("pointer-events-auto");
});
