import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { callingsQuery, type Calling } from "../api/health";
import { Callings } from "./Callings";

const calling: Calling = {
  targetId: 1,
  systemId: "s1",
  systemName: "Backups",
  environment: "Production",
  active: true,
  url: "https://countersign.example.org/api/heartbeats/TOKEN",
  failed: false,
  message: "",
  durationMs: 0,
};

function show(heartbeats: Calling[]) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  client.setQueryData(callingsQuery("c1").queryKey, { pages: [{ heartbeats }], pageParams: [undefined] });
  render(
    <QueryClientProvider client={client}>
      <Callings checkId="c1" />
    </QueryClientProvider>,
  );
}

it("An address is shown with a command, and both can be copied", async () => {
  const user = userEvent.setup();
  show([calling]);
  const place = within(screen.getByTestId("calling"));
  expect(place.getByText("Backups, Production")).toBeDefined();
  expect(place.getByText("No heartbeat yet.")).toBeDefined();
  expect(place.getByText(`curl -fsS -X POST ${calling.url}`)).toBeDefined();
  await user.click(place.getByRole("button", { name: "Copy address" }));
  expect(await navigator.clipboard.readText()).toBe(calling.url);
  expect(place.getByRole("button", { name: "Copied" })).toBeDefined();
  await user.click(place.getByRole("button", { name: "Copy command for failures" }));
  expect(await navigator.clipboard.readText()).toBe(`curl -fsS -X POST ${calling.url}/fail`);
});

it("What a job said last is told, and that it does not run", () => {
  show([{ ...calling, active: false, lastAt: "2026-11-22T03:00:00Z", failed: true, message: "disk full" }]);
  const place = screen.getByTestId("calling").textContent;
  expect(place).toContain("It reported a failure");
  expect(place).toContain(": disk full");
  expect(place).toContain("Does not run");
});

it("Without a system there is no address", () => {
  show([]);
  expect(screen.getByText(/Assign the check to a system/)).toBeDefined();
});
