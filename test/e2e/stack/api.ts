import type { components } from "../../../web/src/api/schema";

/** A type of the API, by its name in the OpenAPI document. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];
