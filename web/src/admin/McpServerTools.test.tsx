import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { mcpToolsQuery, type McpServer, type McpTool } from "../api/mcpservers";
import { McpServerTools } from "./McpServerTools";

const server = { id: "s1", name: "Tickets" } as McpServer;
const tool = {
  id: "find",
  name: "find",
  hash: "h1",
  state: "new",
  effect: "mutate",
  trusted: false,
  enabled: true,
} as McpTool;

it("asks before choices are lost that are not saved", async () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  client.setQueryData(mcpToolsQuery(server.id).queryKey, [tool]);
  const onClose = vi.fn<() => void>();
  render(
    <QueryClientProvider client={client}>
      <McpServerTools manages onClose={onClose} server={server} />
    </QueryClientProvider>,
  );
  const dialog = await screen.findByTestId("mcp-tools");
  fireEvent.change(screen.getByLabelText(/Effect/), { target: { value: "read" } });
  fireEvent.keyDown(dialog, { key: "Escape" });
  fireEvent.click(await screen.findByText("Keep editing"));
  expect(onClose).not.toHaveBeenCalled();
  fireEvent.change(screen.getByLabelText(/Effect/), { target: { value: "mutate" } });
  fireEvent.keyDown(dialog, { key: "Escape" });
  expect(onClose).toHaveBeenCalledOnce();
});
