import type { OutsideContent } from "../api/outside";
import { describeTool } from "./verbs";

/** Source of external content in a chat, such as "Probed a URL". */
export function describeOutside({ kind, tool }: Pick<OutsideContent, "kind" | "tool">): string {
  switch (kind) {
    case "skill":
      return "A skill of somebody else";
    case "memory":
      return "A memory saved after reading content from outside";
    case "written":
      return "Text of somebody with fewer rights";
    case "program":
      return "Messages of a program";
    case "connection":
      return "Answers over a model connection that no administrator confirmed";
    case "earlier":
      return "Messages from before an update";
    case "decision":
      return "The reason of somebody else for a decision";
    case "tool":
      return describeTool(tool ?? "", "done");
  }
}
