import { render, screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Connection, ConnectionTest } from "../api/connections";
import { CheckResult, ConnectionWindow } from "./ConnectionCheck";

const connection = (change: Partial<Connection>): Connection => ({
  id: "1",
  name: "Local",
  kind: "openai-compatible",
  baseUrl: "http://localhost:11434/v1",
  hasKey: false,
  defaultModel: "m",
  availableModels: [],
  modelFamily: "generic",
  disableTopicalClassifier: false,
  enabled: true,
  isDefault: true,
  unconfirmedChangesBy: [],
  lessons: [],
  figures: [],
  extraHeaderNames: [],
  streaming: "auto",
  textCalls: "auto",
  revision: 1,
  createdAt: "2026-01-01T00:00:00Z",
  updatedAt: "2026-01-01T00:00:00Z",
  ...change,
});

describe("the result of a test", () => {
  it("says each finding in words, and what to do", () => {
    const check: ConnectionTest = {
      ok: true,
      message: "The model m answered in 5 ms.",
      latencyMs: 5,
      findings: [
        { subject: "streaming", state: "ok", text: "The answer came in 3 pieces." },
        { subject: "tools", state: "not", text: "The model answered without a call.", advice: "Choose another model." },
      ],
    };
    render(<CheckResult check={check} />);
    within(screen.getByTestId("finding-streaming")).getByText("ok");
    const tools = within(screen.getByTestId("finding-tools"));
    for (const words of ["Tools", "not", "Choose another model."]) expect(tools.getByText(words)).toBeTruthy();
  });
});

it("says that a connection was changed after its test", () => {
  const check: ConnectionTest = { ok: true, message: "The model m answered.", latencyMs: 5, findings: [] };
  const { rerender } = render(<CheckResult check={check} />);
  expect(screen.queryByText(/Tested before/)).toBeNull();
  rerender(<CheckResult check={check} outdated />);
  screen.getByText("Tested before the last change of the connection.");
});

describe("the window of a connection", () => {
  it("says nothing that nobody knows", () => {
    const { container } = render(<ConnectionWindow connection={connection({ contextWindowTokens: 9000 })} />);
    expect(container.textContent).toBe("");
  });
  it("says that what the server tells is used", () => {
    render(<ConnectionWindow connection={connection({ askedWindowTokens: 32768 })} />);
    expect(screen.getByTestId("asked-window").textContent).toContain("32,768 tokens, as reported by the server");
    expect(screen.queryByTestId("window-warning")).toBeNull();
  });
  it("warns of a declared window that the server does not have", () => {
    render(<ConnectionWindow connection={connection({ contextWindowTokens: 128000, askedWindowTokens: 32768 })} />);
    expect(screen.getByTestId("window-warning").textContent).toContain("Declare 32,768 tokens at most");
  });
  it("warns of a server that leaves something out", () => {
    const cut = { sentTokens: 9800, readTokens: 4096, noticedAt: "2026-01-01T00:00:00Z" };
    render(<ConnectionWindow connection={connection({ cut })} />);
    const warning = screen.getByTestId("cut-warning").textContent;
    expect(warning).toContain("4,096 tokens of about 9,800");
    expect(warning).toContain("OLLAMA_CONTEXT_LENGTH");
  });
});
