import shared from "../vitest.config.ts";

/** Results are screenshots for the documentation, so it runs on demand: make tour. */
export default { ...shared, test: { ...shared.test, include: ["tour/*.test.ts"], retry: 0 } };
