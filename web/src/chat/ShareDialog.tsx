import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useRef, useState } from "react";
import { loaded } from "../api/reach";
import { holds, meQuery } from "../api/session";
import { readersQuery, shareChat, unshareChat, type Reader } from "../api/shared";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { TextField } from "../ui/Field";
import { IconButton } from "../ui/IconButton";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";

const PersonField = lazy(() => loaded(() => import("./PersonField")));

/** With whom a chat is shared. */
export function ShareDialog({ conversationId, onClose }: { conversationId: string; onClose: () => void }) {
  const { data: readers, error, refetch } = useQuery(readersQuery(conversationId));
  const [email, setEmail] = useState("");
  const share = useWrite({
    send: (address: string) => shareChat(conversationId, address),
    invalidates: [readersQuery(conversationId).queryKey],
    // The next one may have been begun by then.
    onSuccess: (_, address) => setEmail((now) => (now.trim() === address ? "" : now)),
  });
  const { data: me } = useQuery(meQuery);
  // Only account administrators can search people: others know the address, or ask for it.
  const finds = holds(me, "auth.users.manage");
  const [issue, setIssue] = useState<string>();
  const write = (text: string) => {
    setIssue(undefined);
    setEmail(text);
  };
  const form = useRef<HTMLFormElement>(null);
  const list = useRef<HTMLDivElement>(null);
  // A removed reader's button is gone. A user who is typing an address keeps the focus.
  const toList = () => {
    if (!form.current?.contains(document.activeElement)) list.current?.focus();
  };
  return (
    <Dialog onClose={onClose} testId="share-dialog" title="Share this chat">
      <p className="text-sm text-muted-foreground">
        Colleagues find it under <em>Shared with me</em> and can read it, including new messages. From the first answer
        beyond their rights on, the chat is hidden. They can read what you wrote and what the assistant says about your
        memories.
      </p>
      <form
        className="mt-3 flex items-start gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          const address = email.trim();
          if (!address.includes("@")) setIssue("Choose a person from the list, or type a full address.");
          else share.mutate(address);
        }}
        noValidate={finds}
        ref={form}
      >
        <div className="min-w-0 flex-1">
          <Suspense fallback={<TextField disabled label={finds ? findLabel : addressLabel} />}>
            {finds ? (
              <PersonField
                issue={issue}
                label={findLabel}
                onText={write}
                text={email}
                without={[me?.id ?? "", ...(readers ?? []).map(({ id }) => id)]}
              />
            ) : (
              <TextField
                autoComplete="off"
                data-testid="share-email"
                issue={issue}
                label={addressLabel}
                maxLength={254}
                onChange={(event) => write(event.currentTarget.value)}
                required
                type="email"
                value={email}
              />
            )}
          </Suspense>
        </div>
        <Button busy={share.isPending} className="mt-6" data-testid="share-add" type="submit" variant="primary">
          Share
        </Button>
      </form>
      <ErrorNotice className="mt-3" error={share.error} />
      <ErrorNotice className="mt-3" error={error} onRetry={() => void refetch()} />
      {!readers && !error && <SkeletonRows rows={2} />}
      <div className="mt-4 outline-none" ref={list} tabIndex={-1}>
        {readers?.length === 0 && <p className="text-sm text-muted-foreground">Only you can read this chat.</p>}
        {readers && readers.length > 0 && (
          <ul aria-label="People who can read it" className="divide-y rounded-lg border">
            {readers.map((reader) => (
              <ReaderRow conversationId={conversationId} key={reader.id} onRemoved={toList} reader={reader} />
            ))}
          </ul>
        )}
      </div>
    </Dialog>
  );
}

const addressLabel = "E-mail address of a colleague";
const findLabel = "Name or e-mail of a colleague";

interface ReaderRowProps {
  conversationId: string;
  reader: Reader;
  onRemoved: () => void;
}

function ReaderRow({ conversationId, reader, onRemoved }: ReaderRowProps) {
  const remove = useWrite({
    send: (personId: string, key) => unshareChat(conversationId, personId, key),
    invalidates: [readersQuery(conversationId).queryKey],
    onSuccess: onRemoved,
  });
  return (
    <li className="flex items-center gap-2 px-3 py-2" data-testid="share-reader">
      <span className="min-w-0 flex-1">
        <span className="block truncate text-sm">{reader.name}</span>
        <span className="block truncate text-xs text-muted-foreground">{reader.email}</span>
        <ErrorNotice error={remove.error} />
      </span>
      <IconButton
        data-testid="share-remove"
        busy={remove.isPending}
        icon="close"
        label={`Stop sharing with ${reader.name}`}
        onClick={() => remove.mutate(reader.id)}
      />
    </li>
  );
}
