import { QueryClient, QueryClientProvider, QueryObserver } from "@tanstack/react-query";
import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, onTestFinished } from "vitest";
import { environmentQuery, groupQuery, systemQuery } from "../api/catalog";
import { governedQuery } from "../api/governed";
import { assignmentsQuery, systemHealthQuery } from "../api/health";
import { Problem } from "../api/problem";
import { skillQuery } from "../api/skills";
import { teamQuery } from "../api/teams";
import { readAgain as readHealthAgain } from "../health/live";
import { DeleteDialog } from "../ui/DeleteDialog";
import { Toaster } from "../ui/Toaster";
import { readAgain } from "./follow";

const id = "0198c0de-0000-7000-8000-000000000001";

/** Page of an object that is being deleted: announces changes and returns the ids of the queries that were read again. */
async function deleting(queryKey: readonly unknown[]) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  client.setQueryData(governedQuery.queryKey, []);
  const read: unknown[] = [];
  const other = queryKey.map((part) => (part === id ? "another" : part));
  for (const key of [queryKey, other]) {
    client.setQueryData(key, {});
    const queryFn = () => {
      read.push(key.includes(id) ? "deleted" : "another");
      return {};
    };
    onTestFinished(new QueryObserver(client, { queryKey: key, queryFn }).subscribe(() => {}));
  }
  const answer = Promise.withResolvers<void>();
  render(
    <QueryClientProvider client={client}>
      <DeleteDialog
        invalidates={[queryKey.slice(0, 1)]}
        item={{ id }}
        name="Payments"
        noun="object"
        onClose={() => {}}
        onDeleted={() => {}}
        send={() => answer.promise}
        warning="It goes."
      />
      <Toaster />
    </QueryClientProvider>,
  );
  await userEvent.click(await screen.findByTestId("confirm-dialog-confirm"));
  const announce = async () => {
    read.length = 0;
    readAgain(client, [{ kind: "reset" }]);
    readHealthAgain(client, { all: true, systems: new Set() });
    await act(() => new Promise((resolve) => setTimeout(resolve)));
    return read;
  };
  return { answer, announce, read };
}

const queries = [
  skillQuery(id),
  systemQuery(id),
  groupQuery(id),
  environmentQuery(id),
  teamQuery(id),
  assignmentsQuery(id),
  systemHealthQuery(id),
].map(({ queryKey }) => [queryKey.slice(0, 2).join(" "), queryKey] as const);

it.each(queries)("does not read %s again of what is being deleted or was deleted", async (_, queryKey) => {
  const { answer, announce, read } = await deleting(queryKey);
  expect(await announce()).toEqual(["another"]);
  read.length = 0;
  answer.resolve();
  await screen.findByText("Payments was deleted");
  expect(read).toEqual(["another"]);
  expect(await announce()).toEqual(["another"]);
});

it("reads again what could not be deleted", async () => {
  const { answer, announce } = await deleting(systemQuery(id).queryKey);
  answer.reject(new Problem({ status: 403, detail: "You may not delete it." }));
  await screen.findByText("You may not delete it.");
  expect(await announce()).toEqual(["deleted", "another"]);
});
