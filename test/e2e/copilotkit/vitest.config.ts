import shared from "../vitest.config.ts";

/** CopilotKit brings half a gigabyte of packages, so its page is tested apart, by make conformance. */
export default { ...shared, test: { ...shared.test, include: ["copilotkit/*.test.ts"] } };
