import { cleanup } from "@testing-library/react";
import { afterEach } from "vitest";

// jsdom has no layout, and the router scrolls after each navigation.
window.scrollTo = () => {};

afterEach(cleanup);
