import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { kindsQuery, type Kinds } from "../api/health";
import { ChangeView } from "../proposals/ChangeView";
import { isProposedCheck } from "./proposed";

const kinds: Kinds = {
  operators: { boolean: [{ id: "isTrue", words: "is true", takes: "nothing" }] },
  strategies: [
    {
      id: "healthcheck-script.script",
      name: "Script",
      description: "",
      version: 1,
      configSchema: {},
      collectors: [
        {
          id: "healthcheck-script.inline-script",
          name: "TypeScript",
          description: "",
          version: 1,
          configSchema: { properties: { script: { type: "string", "x-editor": "typescript" } } },
          resultSchema: {},
          defaultAssertions: [],
        },
      ],
    },
  ],
};

const payload = {
  name: "Orders flow",
  strategyId: "healthcheck-script.script",
  intervalSeconds: 300,
  assignToSystemId: "s1",
  collectors: [
    {
      collectorId: "healthcheck-script.inline-script",
      config: { script: "const n = 1;\nreturn { success: n > 0 };", env: { TOKEN: "${{ secrets.ORDERS_TOKEN }}" } },
      assertions: [{ field: "success", operator: "isTrue" }],
    },
  ],
};

it("A proposed check is shown in words, with its script and what it sends where", async () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  client.setQueryData(kindsQuery.queryKey, kinds);
  render(
    <QueryClientProvider client={client}>
      <ChangeView labels={{ s1: "Checkout" }} payload={payload} />
    </QueryClientProvider>,
  );
  expect((await screen.findByTestId("check-payload")).textContent).toContain("Orders flow");
  expect(screen.getByText("success is true")).toBeDefined();
  expect(screen.getByText(/every 5 min/)).toBeDefined();
  expect(screen.getByTestId("script-source").textContent).toContain("return { success: n > 0 };");
  expect(screen.getByTestId("sends").textContent).toContain("ORDERS_TOKEN");
  expect(screen.getByText("It runs for Checkout, in all of its environments.")).toBeDefined();
});

it("Other payloads are what they were", () => {
  expect(isProposedCheck({ name: "x", strategyId: "y", intervalSeconds: 1, collectors: ["z"] })).toBe(false);
  expect(isProposedCheck({ name: "x" })).toBe(false);
});
