import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { PayloadView } from "./ChangeView";

const said = () => [...screen.getByTestId("payload").querySelectorAll("dd")].map(({ textContent }) => textContent);

it("tells small records line by line, with all that they say", () => {
  const contacts = [
    { type: "phone", label: "on-call", address: "+43 1", userId: null },
    { type: "mailbox", first: false, order: 0 },
  ];
  render(<PayloadView payload={{ contacts, rest: [{ on: false }], none: [{}] }} toolName="catalog.createSystem" />);
  expect(said()).toEqual(["phone · on-call · +43 1\nmailbox · first: No · order: 0", "on: No", "{}"]);
});

it("shows the records of tools that people have written with the names of their fields", () => {
  render(<PayloadView payload={{ moves: [{ to: "staging", from: "prod" }] }} />);
  expect(JSON.parse(said()[0] ?? "")).toEqual([{ to: "staging", from: "prod" }]);
});
