import { render, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import MarkdownRenderer from "../markdown/MarkdownRenderer";
import { Picture } from "./pictures";

test.each([
  ["../images/chat.png", "/manual/chat.png"],
  ["../../images/tour-operator-1.png", "/manual/tour-operator-1.png"],
])("shows the picture %s of the documentation", (src, address) => {
  const { container } = render(<Picture alt="What is seen" src={src} />);
  expect(container.querySelector("img")?.getAttribute("src")).toBe(address);
  expect(container.querySelector("img")?.getAttribute("alt")).toBe("What is seen");
});

test.each([
  "https://example.org/a.png",
  "//example.org/images/a.png",
  "../images/../../api/session.png",
  "images/a.svg",
  "",
])("leaves out %s", (src) => {
  const { container } = render(<Picture alt="" src={src} />);
  expect(container.innerHTML).toBe("");
});

const parts = { img: Picture };

test("is drawn in a page", async () => {
  const { container } = render(
    <MarkdownRenderer parts={parts} streaming={false} text="![A card](../images/chat.png)" />,
  );
  await waitFor(() => expect(container.querySelector("img")?.getAttribute("src")).toBe("/manual/chat.png"));
});
