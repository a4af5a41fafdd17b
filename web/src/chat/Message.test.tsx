import { fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { ChatMessage } from "../api/conversations";
import { Message } from "./Message";

const answer = (metadata: Partial<NonNullable<ChatMessage["metadata"]>>): ChatMessage => ({
  id: "1",
  role: "assistant",
  parts: [{ type: "text", text: "Here is half.", state: "done" }],
  metadata: { turnId: "0199aa00-0000-7000-8000-000000000001", status: "done", ...metadata } as ChatMessage["metadata"],
});

const show = (message: ChatMessage, live = false) =>
  render(<Message live={live} message={message} onProposalSettled={() => {}} settings={undefined} />);

it("says that an answer was cut at the length limit", () => {
  show(answer({ truncated: true }));
  expect(screen.getByTestId("truncated-mark").textContent).toContain("Cut off at the length limit");
});

it("says nothing of the kind about a whole answer, or one that is still written", () => {
  show(answer({}));
  show(answer({ truncated: true }), true);
  expect(screen.queryByTestId("truncated-mark")).toBeNull();
});

it("gives the focus back to the button of a message that is left as it was", async () => {
  const message: ChatMessage = { id: "2", role: "user", parts: [{ type: "text", text: "Which systems?" }] };
  render(
    <Message live={false} message={message} onEdit={() => {}} onProposalSettled={() => {}} settings={undefined} />,
  );
  for (const leave of [
    () => userEvent.keyboard("{Escape}"),
    () => userEvent.click(screen.getByTestId("edit-cancel")),
  ]) {
    await userEvent.click(screen.getByTestId("edit-message"));
    expect(document.activeElement).toBe(screen.getByTestId("edit-text"));
    await leave();
    expect(document.activeElement).toBe(screen.getByTestId("edit-message"));
  }
});

it("offers in words to try again after an error, and not beside the sign for it", () => {
  const repeat = vi.fn<() => void>();
  const failed = answer({ status: "failed", error: { code: "unavailable", message: "The provider is away." } });
  const { rerender } = render(
    <Message live={false} message={failed} onProposalSettled={() => {}} onRepeat={repeat} settings={undefined} />,
  );
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(repeat).toHaveBeenCalledTimes(1);
  expect(screen.queryByTestId("repeat")).toBeNull();
  rerender(
    <Message live={false} message={answer({})} onProposalSettled={() => {}} onRepeat={repeat} settings={undefined} />,
  );
  expect(screen.queryByTestId("try-again")).toBeNull();
  screen.getByTestId("repeat");
});
