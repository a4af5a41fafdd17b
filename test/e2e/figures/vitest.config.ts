import shared from "../vitest.config.ts";

/** What it measures is for people to read, and takes a machine that does nothing else: make bench ONLY=browser. */
export default { ...shared, test: { ...shared.test, include: ["figures/*.test.ts"], retry: 0 } };
