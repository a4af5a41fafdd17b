import type { paths } from "../api/schema";
import { iconButtonShape } from "../ui/Button";
import { Icon } from "../ui/Icon";

/** What can be done with a chat as a whole. */
export function ChatActions({ conversationId }: { conversationId: string }) {
  const file = "/api/ai/conversations/{id}/markdown" satisfies keyof paths;
  const label = "Download this chat as Markdown";
  return (
    <span className="flex">
      <a
        aria-label={label}
        className={iconButtonShape}
        data-hint={label}
        data-testid="export-chat"
        download
        href={file.replace("{id}", conversationId)}
      >
        <Icon name="down" size={17} />
      </a>
    </span>
  );
}
