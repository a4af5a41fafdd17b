import type { OutsideContent } from "../api/outside";
import { describeTool } from "./verbs";

/** Source of external content in a chat, such as "Probed a URL". */
export function describeOutside({ kind, tool }: Pick<OutsideContent, "kind" | "tool">): string {
  switch (kind) {
    case "skill":
      return "Another user's skill";
    case "memory":
      return "A memory saved after reading external content";
    case "written":
      return "Content from a less-privileged user";
    case "program":
      return "Messages from a program";
    case "connection":
      return "Answers over an unconfirmed model connection";
    case "earlier":
      return "Messages from before an update";
    case "decision":
      return "Another user's reason for a decision";
    case "tool":
      return describeTool(tool ?? "", "done");
  }
}
