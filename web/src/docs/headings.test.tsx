import { expect, it } from "vitest";
import { textOf } from "./headings";

it("reads the text of a heading with marks in it", () => {
  expect(textOf("Auto mode")).toBe("Auto mode");
  expect(
    textOf([
      "When ",
      <code key="1">
        {"If-"}
        <b>Match</b>
      </code>,
      " fails",
    ]),
  ).toBe("When If-Match fails");
  expect(textOf(null)).toBe("");
});
