import shared from "../vitest.config.ts";

/** What it finds are figures, not outcomes, so it runs when somebody wants them: make bench ONLY=loads. */
export default { ...shared, test: { ...shared.test, include: ["loads/*.test.ts"], retry: 0 } };
