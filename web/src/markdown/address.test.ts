import { expect, it } from "vitest";
import { docLink } from "./address";

const origin = "https://ops.example.org";

it("finds pages of the documentation however a model writes them", () => {
  for (const [href, link] of [
    ["/docs/concepts/plans", "/docs/concepts/plans"],
    ["/docs/concepts/plans#order-and-failure", "/docs/concepts/plans#order-and-failure"],
    ["/docs/concepts/plans.md#order-and-failure", "/docs/concepts/plans#order-and-failure"],
    ["docs/concepts/plans.md", "/docs/concepts/plans"],
    ["https://ops.example.org/docs/concepts/plans/#x", "/docs/concepts/plans#x"],
  ] as const) {
    expect([href, docLink(href, origin)]).toEqual([href, link]);
  }
});

it("leaves everything else alone", () => {
  for (const href of [
    "",
    "/docs",
    "/docs/",
    "//evil.example/docs/x",
    "https://evil.example/docs/x",
    "https://ops.example.org.evil.example/docs/x",
    "/docs/../admin",
    "/docs/x?next=//evil.example",
    "/admin/docs/x",
    "javascript:alert(1)//docs/x",
  ]) {
    expect([href, docLink(href, origin)]).toEqual([href, ""]);
  }
});
