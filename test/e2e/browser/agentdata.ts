import { expect } from "vitest";
import type { Person } from "../stack/person";

/** A tool that adds up prices. */
export const right = `import type { CustomTool } from "@countersign/sdk/tool";

export default {
  actions: {
    default: async (args: { prices: number[] }, ctx) => {
      ctx.log("info", "adding", { count: args.prices.length });
      if (args.prices.length === 0) throw new Error("there is nothing to add");
      return { total: args.prices.reduce((sum, price) => sum + price, 0) };
    },
  },
} satisfies CustomTool;
`;

/** What it is called with. */
export const schema = JSON.stringify(
  {
    type: "object",
    properties: { prices: { type: "array", items: { type: "number" }, description: "The price of each thing." } },
    required: ["prices"],
    additionalProperties: false,
  },
  null,
  2,
);

/** The short name that the form makes of a name. */
export const slugOf = (name: string) => name.toLowerCase().replaceAll(/\s+/g, "-");

/** Writes something, whatever is stored. */
export async function put(person: Person, path: string, body: object): Promise<void> {
  const answer = await person.request(path, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}
