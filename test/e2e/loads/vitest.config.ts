import shared from "../vitest.config.ts";

/** Results are figures, not outcomes, so it runs on demand: make bench ONLY=loads. */
export default { ...shared, test: { ...shared.test, include: ["loads/*.test.ts"], retry: 0 } };
