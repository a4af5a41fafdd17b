import { useState } from "react";
import type { SpendFilter } from "../api/spend";
import { Panel } from "../ui/Page";
import { SpendPanel } from "./SpendPanel";

/** Reader's own model usage, with the limits. */
export function OwnSpend() {
  const [filter, setFilter] = useState<SpendFilter>({});
  return (
    <Panel title="Your model usage">
      <SpendPanel filter={filter} onFilter={setFilter} own />
    </Panel>
  );
}
