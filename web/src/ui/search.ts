import { createContext } from "react";

/** Opens the search over pages and records, where there is a shell around the page. */
export const SearchContext = createContext<(() => void) | null>(null);
