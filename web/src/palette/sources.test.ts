import { expect, it } from "vitest";
import { foundProposals, type Place } from "./sources";

const place = (id: string, label: string, words = ""): Place => ({
  key: `proposal ${id}`,
  label,
  words,
  icon: "inbox",
  href: `/proposals?status=all&proposal=${id}`,
});

const labels = (places: Place[]) => places.map(({ label }) => label);

it("finds a proposal that is older than those that the page knows, once", () => {
  const newest = [place("1", "Create Payments"), place("2", "Delete Orders", "Applied")];
  const found = [place("1", "Create Payments"), place("9", "Rename Payments API")];
  expect(labels(foundProposals(newest, found, "payments"))).toEqual(["Create Payments", "Rename Payments API"]);
  // By words that the page shows, and with a slip.
  expect(labels(foundProposals(newest, [], "aplied"))).toEqual(["Delete Orders"]);
});

it("leads to the rest where there may be more than it shows", () => {
  const found = Array.from({ length: 5 }, (_, at) => place(`${at}`, `Create Payments ${at}`));
  const shown = foundProposals([], found, " 123 ");
  expect(shown).toHaveLength(6);
  expect(shown.at(-1)).toMatchObject({
    label: "All proposals with “123”",
    href: `/proposals?status=all&query=${encodeURIComponent('"123"')}`,
  });
});
