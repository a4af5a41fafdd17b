import { render, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Proposal } from "../api/proposals";
import { RequestView } from "./RequestView";

const proposal = (message: string, answer: string): Proposal => ({
  proposalId: "p1",
  toolCallId: "call",
  createdAt: "2026-11-21T10:00:00Z",
  proposer: { kind: "user", id: "bob", name: "Bob" },
  toolName: "catalog.createSystem",
  effect: "mutate",
  summary: "Create the system Orders",
  payload: {},
  status: "proposed",
  expiresAt: "2026-11-21T10:10:00Z",
  request: { message, answer },
});

it("draws what the assistant said as in a chat, fetches nothing of it, and shows what somebody asked as they wrote it", async () => {
  const answer =
    'I\'ll add **Orders** to `shop`. ![look](https://example.org/a.png) <img src="https://example.org/b.png">';
  const { container } = render(<RequestView me="ada" proposal={proposal("Add **Orders**,\nplease", answer)} />);
  const said = screen.getByLabelText("The assistant said");
  await waitFor(() => expect(said.textContent).toContain("I'll add Orders to shop."));
  expect(screen.getByLabelText("Bob asked").textContent).toBe("Add **Orders**,\nplease");
  expect(container.querySelectorAll("img, script, iframe")).toHaveLength(0);
});
