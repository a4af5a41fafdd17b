import { askingNotice, type Asks } from "../api/governed";
import { Icon } from "./Icon";

/** Says before the click what a policy asks for. */
export function AskingNotice({ asks }: { asks: Asks }) {
  const text = askingNotice(asks);
  if (!text) return null;
  return (
    <p
      className="mt-2 flex items-start gap-1.5 rounded-lg bg-warning-soft px-3 py-2 text-sm text-warning"
      data-testid="asking-notice"
    >
      <Icon className="mt-0.5" name="admin" size={16} />
      <span>{text}</span>
    </p>
  );
}
