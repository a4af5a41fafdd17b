import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { Capabilities } from "../../api/agents";
import { CapabilitySummary } from "./CapabilitySummary";

const capabilities: Capabilities = {
  secret_refs: ["API_KEY", "OTHER"],
  dynamic_secret_refs: true,
  reasons: [{ message: "The name is no constant.", line: 7, column: 3 }],
  modules: ["crypto"],
  actions: ["default", "preview"],
};

it("What a tool can reach is told, with what is not declared and why the list may be incomplete", async () => {
  const goTo = vi.fn<(at: { line: number }) => void>();
  render(<CapabilitySummary capabilities={capabilities} declared={["API_KEY"]} onGoTo={goTo} />);
  expect(screen.getByText("OTHER").parentElement?.textContent).toBe("OTHER not declared");
  expect(screen.getByText("API_KEY").parentElement?.textContent).toBe("API_KEY");
  expect(screen.getByText("crypto")).toBeDefined();
  expect(screen.getByText("preview")).toBeDefined();
  await userEvent.click(screen.getByRole("button", { name: "Line 7" }));
  expect(goTo).toHaveBeenCalledWith(expect.objectContaining({ line: 7, column: 3 }));
});

it("A tool that reaches nothing says so, and nothing more", () => {
  render(
    <CapabilitySummary
      capabilities={{ secret_refs: [], dynamic_secret_refs: false, modules: [], actions: ["default"] }}
    />,
  );
  expect(screen.getByTestId("capabilities").textContent).toBe("Secretsnone");
});
