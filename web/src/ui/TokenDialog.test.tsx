import { render, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { TokenDialog } from "./TokenDialog";

it("begins on what copies the token, which a key that closes it would lose", async () => {
  render(<TokenDialog onClose={() => {}} title="Token" token="a token" />);
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("button", { name: "Copy" })));
});
