import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createQueryClient } from "../queryclient";
import { PasswordForm } from "./PasswordForm";

afterEach(() => vi.unstubAllGlobals());

function show(answer: () => Response) {
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    sent.push(await request.json());
    return answer();
  });
  const onChanged = vi.fn<() => void>();
  const onOwnPassword = vi.fn<() => void>();
  render(
    <QueryClientProvider client={createQueryClient(() => {}, onOwnPassword)}>
      <PasswordForm email="ann@example.org" onChanged={onChanged} />
    </QueryClientProvider>,
  );
  return { sent, onChanged, onOwnPassword };
}

async function fill(current: string, next: string, again = next) {
  const user = userEvent.setup();
  await user.type(screen.getByLabelText("Current password"), current);
  await user.type(screen.getByLabelText("New password"), next);
  await user.type(screen.getByLabelText("Repeat new password"), again);
  await user.click(screen.getByRole("button", { name: "Change password" }));
}

describe("PasswordForm", () => {
  it("sends the two passwords and says when they were taken", async () => {
    const { sent, onChanged } = show(() => new Response(null, { status: 204 }));
    await fill("the first one", "one of my own");
    await waitFor(() => expect(onChanged).toHaveBeenCalledOnce());
    expect(sent).toEqual([{ currentPassword: "the first one", newPassword: "one of my own" }]);
  });

  it("sends nothing while the two new ones differ", async () => {
    const { sent } = show(() => new Response(null, { status: 204 }));
    await fill("the first one", "one of my own", "another one");
    expect(screen.getByText("The passwords do not match.")).toBeTruthy();
    expect(sent).toEqual([]);
  });

  it("shows a refusal, and leads to the page for it when a password has to be changed first", async () => {
    const document = { status: 403, code: "own_password", detail: "Change your password first." };
    const { onChanged, onOwnPassword } = show(
      () =>
        new Response(JSON.stringify(document), {
          status: 403,
          headers: { "Content-Type": "application/problem+json" },
        }),
    );
    await fill("the first one", "one of my own");
    await screen.findByText("Change your password first.");
    expect(onChanged).not.toHaveBeenCalled();
    expect(onOwnPassword).toHaveBeenCalledOnce();
  });
});
