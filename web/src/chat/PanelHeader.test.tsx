import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { integrationsQuery, type Integration } from "../api/integrations";
import { PanelHeader, Picker } from "./PanelHeader";

const long = "mixtral-8x22b-instruct-v0.1-2026-09-14";

it("shows both ends of a long name, and all of it to who hears or picks it", async () => {
  const onPick = vi.fn<(value: string) => void>();
  const options = [
    { value: long, name: long },
    { value: "b", name: "Short" },
  ];
  render(<Picker label="Model" onPick={onPick} options={options} testId="picker" value={long} />);
  const list = screen.getByRole<HTMLSelectElement>("combobox", { name: "Model" });
  expect(list.selectedOptions[0]?.text).toBe(long);
  expect(list.parentElement?.title).toBe(long);
  const [start, end] = [...screen.getByTestId("picker-name").children];
  // Only the beginning may be shortened: the end says which version it is.
  expect([start?.textContent, end?.textContent]).toEqual(["mixtral-8x22b-instruct-v0.1-", "2026-09-14"]);
  expect([start?.classList.contains("truncate"), end?.classList.contains("shrink-0")]).toEqual([true, true]);
  await userEvent.selectOptions(list, "Short");
  expect(onPick).toHaveBeenCalledWith("b");
});

it("shows a short name whole", () => {
  render(<Picker label="Model" onPick={() => {}} options={[{ value: "b", name: "b" }]} testId="picker" value="b" />);
  expect(screen.getByTestId("picker-name").textContent).toBe("b");
});

function labelBeside(integrations: Integration[]) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  client.setQueryData(integrationsQuery.queryKey, integrations);
  const settings = { connectionId: "d", model: null, permissionMode: "approve" as const };
  const { unmount } = render(
    <QueryClientProvider client={client}>
      <PanelHeader onChange={() => {}} settings={settings} title="Payments" />
    </QueryClientProvider>,
  );
  const label = screen.getByTestId("demo-label").textContent;
  unmount();
  return label;
}

it("says what the demo model is once: beside a picker with its name the label is short", () => {
  const demo = {
    connectionId: "d",
    name: "Demo model (scripted, no AI)",
    kind: "demo",
    defaultModel: "demo",
    availableModels: [],
  } as unknown as Integration;
  expect(labelBeside([demo])).toContain("scripted, no AI");
  expect(labelBeside([demo, { ...demo, connectionId: "o", name: "Own", kind: "openai-compatible" }])).toBe("Demo");
});
