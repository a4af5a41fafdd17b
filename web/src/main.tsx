import { createRoot } from "react-dom/client";
import { start } from "./app";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no element with the id root");
start(createRoot(root));
