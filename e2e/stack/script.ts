/** The demo model that does what the directives of a message say. */
export const scriptedModel = "countersign-demo-script";
