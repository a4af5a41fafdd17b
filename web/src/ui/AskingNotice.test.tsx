import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { askingLabel, governedQuery, type Asks } from "../api/governed";
import { DeleteDialog } from "./DeleteDialog";
import { TextField } from "./Field";
import { FormPage } from "./FormPage";
import { useRecordForm } from "./recordform";

const tool = "catalog.deleteSystem";

function show(asks: Asks, what: () => ReactNode) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  client.setQueryData(governedQuery.queryKey, asks ? [{ operation: "DELETE /x", tool, asks }] : []);
  const router = createRouter({
    routeTree: createRootRoute({ component: what }),
    history: createMemoryHistory({ initialEntries: ["/"] }),
  });
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
}

function Deletion() {
  return (
    <DeleteDialog
      invalidates={[]}
      item="x"
      name="Payments"
      noun="system"
      onClose={() => {}}
      onDeleted={() => {}}
      send={async () => {}}
      tool={tool}
      warning="It goes."
    />
  );
}

function Form() {
  const form = useRecordForm({
    tool,
    schema: z.object({ name: z.string() }),
    values: () => ({ name: "" }),
    send: async () => {},
    invalidates: [],
    onSaved: () => {},
  });
  return (
    <FormPage form={form} onClose={() => {}} submitLabel="Save" title="Edit">
      <TextField label="Name" {...form.field("name")} />
    </FormPage>
  );
}

describe("What policies ask for", () => {
  it("is said beside a button that cannot be clicked, where it is switched off", async () => {
    show("off", Deletion);
    const button = await screen.findByTestId<HTMLButtonElement>("confirm-dialog-confirm");
    expect(button.disabled).toBe(true);
    expect(button.textContent).toBe("Delete system");
    expect(screen.getByTestId("asking-notice").textContent).toContain("An administrator has disabled this");
  });

  it("keeps a form from being sent, where it is switched off", async () => {
    show("off", Form);
    const button = await screen.findByTestId<HTMLButtonElement>("form-submit");
    expect(button.disabled).toBe(true);
    expect(button.textContent).toBe("Save");
    expect(screen.getByTestId("asking-notice").textContent).toContain("An administrator has disabled this");
  });

  it("leaves the button in all other cases", async () => {
    show("secondPerson", Deletion);
    const button = await screen.findByTestId<HTMLButtonElement>("confirm-dialog-confirm");
    expect(button.disabled).toBe(false);
    expect(button.textContent).toBe("Ask a second person to delete system");
  });

  it("is said by a small button too", () => {
    expect(askingLabel("off", "Remove Runbook")).toBe("Remove Runbook (switched off by an administrator)");
  });
});
