import shared from "../vitest.config.ts";

/** Measurements are for people to read, and need an otherwise idle machine: make bench ONLY=browser. */
export default { ...shared, test: { ...shared.test, include: ["figures/*.test.ts"], retry: 0 } };
