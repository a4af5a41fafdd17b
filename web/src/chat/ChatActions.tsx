import { lazy, Suspense, useState } from "react";
import { loaded } from "../api/reach";
import type { paths } from "../api/schema";
import { iconButtonShape } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { IconButton } from "../ui/IconButton";

const ShareDialog = lazy(async () => ({ default: (await loaded(() => import("./ShareDialog"))).ShareDialog }));

/** Actions on a whole chat. */
export function ChatActions({ conversationId }: { conversationId: string }) {
  const file = "/api/ai/conversations/{id}/markdown" satisfies keyof paths;
  const [sharing, setSharing] = useState(false);
  const label = "Download this chat as Markdown";
  return (
    <span className="flex">
      <IconButton data-testid="share-chat" icon="people" label="Share this chat" onClick={() => setSharing(true)} />
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
      {sharing && (
        <Suspense>
          <ShareDialog conversationId={conversationId} onClose={() => setSharing(false)} />
        </Suspense>
      )}
    </span>
  );
}
