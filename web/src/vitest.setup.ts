import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

// jsdom has no layout, and the router scrolls after each navigation.
window.scrollTo = () => {};

// Awaited results come sooner, unless the machine is busy.
configure({ asyncUtilTimeout: 60_000 });

afterEach(cleanup);
