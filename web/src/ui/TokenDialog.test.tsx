import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { TokenDialog } from "./TokenDialog";

it("begins on what copies the token, which a key that closes it would lose", async () => {
  render(<TokenDialog onClose={() => {}} title="Token" token="a token" />);
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("button", { name: "Copy" })));
});

it("is not closed by Escape, which would lose a token that nobody can read again", async () => {
  const onClose = vi.fn<() => void>();
  render(<TokenDialog onClose={onClose} title="Token" token="a token" />);
  await userEvent.keyboard("{Escape}");
  expect(onClose).not.toHaveBeenCalled();
  screen.getByText("a token");
  await userEvent.click(screen.getByRole("button", { name: "Done" }));
  expect(onClose).toHaveBeenCalledOnce();
});
