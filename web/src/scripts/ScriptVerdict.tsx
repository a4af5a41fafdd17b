import { useMemo } from "react";
import { Badge } from "../ui/Badge";
import { verdictOf } from "./problems";
import { scriptTestOf, type ScriptTool } from "./scripttest";

/** The outcome of a script that the assistant has run, beside the call. */
export default function ScriptVerdict({ call }: { call: ScriptTool }) {
  const test = useMemo(() => scriptTestOf(call), [call]);
  if (!test) return null;
  const { tone, label } = verdictOf(test.outcome, test.place.area);
  return (
    <>
      <span className="sr-only">, </span>
      <Badge tone={tone}>{label}</Badge>
    </>
  );
}
