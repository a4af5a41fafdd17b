import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import { below, issuesOf, pathOf } from "./issues";
import SchemaForm from "./SchemaForm";
import { nameInWords, splitMembers, type Schema } from "./schema";

const schema: Schema = {
  type: "object",
  additionalProperties: false,
  required: ["url"],
  properties: {
    url: { type: "string", description: "What to ask.", "x-template": true },
    method: { type: "string", enum: ["GET", "POST"], default: "GET" },
    timeout: { type: "integer", default: 30_000, "x-unit": "ms" },
    followRedirects: { type: "boolean", default: true },
    password: { type: "string", "x-secret": true },
    headers: {
      type: "array",
      items: {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string" }, value: { type: "string" } },
      },
    },
    tags: { type: "array", items: { type: "string" }, "x-template": true },
  },
};

function Harness({ begin, issues }: { begin: Record<string, unknown>; issues?: Record<string, string> }) {
  const [value, setValue] = useState(begin);
  return (
    <>
      <SchemaForm
        declarations=""
        issues={new Map(Object.entries(issues ?? {}))}
        name="config"
        onChange={setValue}
        references={["environment.baseUrl"]}
        schema={schema}
        secrets={["API_TOKEN"]}
        value={value}
      />
      <output>{JSON.stringify(value)}</output>
    </>
  );
}

const value = () => JSON.parse(screen.getByRole("status").textContent ?? "") as unknown;

describe("A form by a schema", () => {
  it("holds only what somebody has entered, and shows what counts without", async () => {
    const user = userEvent.setup();
    render(<Harness begin={{ url: "https://a" }} />);
    expect(value()).toEqual({ url: "https://a" });
    const timeout = screen.getByLabelText<HTMLInputElement>(/^Timeout \(ms\)/);
    expect(timeout.placeholder).toBe("30000");
    await user.type(timeout, "500");
    expect(screen.getByLabelText<HTMLInputElement>("Follow redirects").checked).toBe(true);
    await user.click(screen.getByLabelText("Follow redirects"));
    await user.selectOptions(screen.getByLabelText(/^Method/), "POST");
    expect(value()).toEqual({ url: "https://a", timeout: 500, followRedirects: false, method: "POST" });
    await user.clear(timeout);
    expect(value()).toEqual({ url: "https://a", followRedirects: false, method: "POST" });
  });

  it("refers to secrets and to what is known of the system", async () => {
    const user = userEvent.setup();
    render(<Harness begin={{ url: "" }} />);
    await user.selectOptions(screen.getByLabelText("Secret into Password"), "API_TOKEN");
    await user.selectOptions(screen.getByLabelText("Insert into URL"), "environment.baseUrl");
    expect(value()).toEqual({ url: "{{ environment.baseUrl }}", password: "${{ secrets.API_TOKEN }}" });
  });

  it("warns of a secret that would be stored as it stands", async () => {
    const user = userEvent.setup();
    render(<Harness begin={{ url: "https://a" }} />);
    await user.type(screen.getByLabelText(/^Password/), "hunter2");
    expect(screen.getByText(/would be stored as it stands/)).toBeDefined();
  });

  it("has lists of objects", async () => {
    const user = userEvent.setup();
    render(<Harness begin={{ url: "https://a" }} />);
    await user.click(screen.getByRole("button", { name: "Add to headers" }));
    await user.type(screen.getByLabelText("Name"), "accept");
    expect(value()).toEqual({ url: "https://a", headers: [{ name: "accept" }] });
    await user.click(screen.getByRole("button", { name: "Remove item 1" }));
    expect(value()).toEqual({ url: "https://a", headers: [] });
  });

  it("says what is wrong at the field", () => {
    render(
      <Harness
        begin={{ url: "x", headers: [{ name: "" }] }}
        issues={{ url: "Must be an address.", "headers[0].name": "Is empty." }}
      />,
    );
    const url = screen.getByLabelText(/^URL/);
    expect(url.getAttribute("aria-invalid")).toBe("true");
    expect(document.getElementById(url.getAttribute("aria-describedby") ?? "")?.textContent).toBe(
      "Must be an address.",
    );
    expect(screen.getByLabelText("Name").getAttribute("aria-invalid")).toBe("true");
  });
});

it("What need not be known is folded away", () => {
  expect(splitMembers(schema, { url: "x", password: "y" }, (name) => name === "tags")).toEqual({
    first: ["url", "password", "tags"],
    more: ["method", "timeout", "followRedirects", "headers"],
  });
});

it("Names of members are words", () => {
  expect(["minDaysUntilExpiry", "url", "useTLS", "servername", "query_text"].map(nameInWords)).toEqual([
    "Min days until expiry",
    "URL",
    "Use TLS",
    "Servername",
    "Query text",
  ]);
});

it("Issues find their field however their path is written", () => {
  expect(pathOf("/collectors/0/config/url")).toBe("collectors[0].config.url");
  expect(pathOf("body.collectors[0].config.url")).toBe("collectors[0].config.url");
  const issues = issuesOf([
    { path: "collectors[0].config", message: "is bad" },
    { path: "collectors[0].config.url", message: "is empty" },
    { path: "collectors[1].config.url", message: "x" },
  ]);
  expect([...below(issues, "collectors[0].config")]).toEqual([
    ["", "Is bad."],
    ["url", "Is empty."],
  ]);
});
