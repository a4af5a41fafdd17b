import shared from "../vitest.config.ts";

/** What it takes are pictures for the documentation, so it runs when somebody wants new ones: make tour. */
export default { ...shared, test: { ...shared.test, include: ["tour/*.test.ts"], retry: 0 } };
