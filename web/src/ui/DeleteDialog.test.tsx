import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { governedQuery } from "../api/governed";
import { Problem } from "../api/problem";
import { DeleteDialog, type Again } from "./DeleteDialog";
import { Toaster } from "./Toaster";

const send = vi.fn<() => Promise<void>>();
const propose = vi.fn<Again<string>["propose"]>();
beforeEach(() => vi.resetAllMocks());

/** Deletes a thing with a preparation. */
async function deleted(ready: Again<string>["ready"]) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  client.setQueryData(governedQuery.queryKey, []);
  render(
    <QueryClientProvider client={client}>
      <DeleteDialog
        again={{ ready, propose }}
        invalidates={[]}
        item="x"
        name="Payments"
        noun="system"
        onClose={() => {}}
        onDeleted={() => {}}
        send={send}
        warning="It goes."
      />
      <Toaster />
    </QueryClientProvider>,
  );
  await userEvent.click(await screen.findByTestId("confirm-dialog-confirm"));
  await screen.findByText("Payments was deleted");
  expect(send).toHaveBeenCalledTimes(1);
}

it("offers to propose again what was deleted, once", async () => {
  propose.mockResolvedValue({ proposalId: "p1", summary: "Create the system Payments" });
  await deleted(async () => {
    // Nobody can tell once it is gone.
    expect(send).not.toHaveBeenCalled();
    return true;
  });
  await userEvent.click(screen.getByTestId("toast-again"));
  const link = await screen.findByTestId("toast-link");
  expect(link.getAttribute("href")).toBe("/proposals?proposal=p1");
  expect(screen.getByText("Waits for a decision: Create the system Payments")).toBeTruthy();
  expect(propose.mock.calls).toEqual([["x", expect.any(String)]]);
});

it("says why it cannot be brought back", async () => {
  propose.mockRejectedValue(new Problem({ status: 403, detail: "You may not create systems." }));
  await deleted(async () => true);
  await userEvent.click(screen.getByTestId("toast-again"));
  expect(await screen.findByText("It cannot be restored: You may not create systems.")).toBeTruthy();
});

it.each([
  ["private", async () => false],
  ["not known to be open", () => Promise.reject(new Error("403"))],
])("offers nothing of what is %s", async (_, ready) => {
  await deleted(ready);
  expect(screen.queryByTestId("toast-again")).toBeNull();
});
