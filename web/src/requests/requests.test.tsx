import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { ChangeView } from "../proposals/ChangeView";
import { piecesOf } from "./placeholders";
import { isRequestTool, requestOf } from "./request";

const nonce = `nonce_${"a1".repeat(16)}`;
const names = { [nonce]: "the secret API_KEY of the agent Desk" };

describe("A text with secrets", () => {
  it("is cut where a value is filled in", () => {
    expect(piecesOf(`Bearer ${nonce}!`, names)).toEqual([
      { text: "Bearer " },
      { text: nonce, secret: "API_KEY of the agent Desk" },
      { text: "!" },
    ]);
    expect(piecesOf(nonce)[0]?.secret).toBe("a secret");
  });

  it("keeps what only looks like a placeholder", () => {
    for (const text of ["nonce_", "nonce_12", "Nonce"]) expect(piecesOf(text, names)).toEqual([{ text }]);
    expect(piecesOf("")).toEqual([]);
  });
});

describe("A request", () => {
  it("is read from the call of its tool", () => {
    expect(isRequestTool("http_request")).toBe(true);
    expect(requestOf({ url: "https://a", method: "post", headers: { a: "1" }, body: "x" })).toEqual({
      method: "POST",
      url: "https://a",
      headers: [["a", "1"]],
      body: "x",
    });
    expect([requestOf(null), requestOf({ url: 1 }), requestOf("https://a")]).toEqual([null, null, null]);
  });

  it("shows secrets by their names on its card, and never their placeholders", () => {
    const { container } = render(
      <ChangeView
        labels={names}
        payload={{
          method: "GET",
          url: `https://api.example.com/${nonce}`,
          headers: { authorization: `Bearer ${nonce}` },
        }}
        toolName="http.request"
      />,
    );
    expect(screen.getAllByTestId("secret-name").map(({ textContent }) => textContent)).toEqual([
      "API_KEY of the agent Desk",
      "API_KEY of the agent Desk",
    ]);
    expect(container.textContent).not.toContain("nonce_");
  });
});
