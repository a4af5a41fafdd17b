import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { chatTokensQuery } from "../api/account";
import { makeChatToken, revokeChatToken } from "../api/accountcalls";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { TextField } from "../ui/Field";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Row, Rows } from "../ui/Rows";
import { fullTime, timeAgo, useNow } from "../ui/time";
import { useToast } from "../ui/Toast";
import { TokenDialog } from "../ui/TokenDialog";

const longestName = 200;

/** The tokens with which programs chat in the person's name. */
export function ChatTokensPanel() {
  const toast = useToast();
  const now = useNow(60_000);
  const heading = useRef<HTMLHeadingElement>(null);
  const [name, setName] = useState("");
  const [made, setMade] = useState<{ name: string; token: string } | null>(null);
  const { data: tokens, error, refetch } = useQuery(chatTokensQuery);
  const make = useWrite({
    send: (body: { name: string }) => makeChatToken(body),
    invalidates: [chatTokensQuery.queryKey],
    onSuccess: ({ chatToken, token }) => {
      setName("");
      setMade({ name: chatToken.name, token });
    },
  });
  const revoke = useWrite({
    send: revokeChatToken,
    invalidates: [chatTokensQuery.queryKey],
    onSuccess: (_, token) => {
      toast(`The token of ${token.name} was revoked`);
      // Its button is gone with it.
      heading.current?.focus();
    },
  });
  return (
    <section className="flex flex-col gap-2" data-testid="chat-tokens">
      <h2 className="text-sm font-semibold" ref={heading} tabIndex={-1}>
        Chat tokens
      </h2>
      <p className="text-sm text-muted-foreground">
        OpenAI-compatible clients use a token to chat as you, at {location.origin}/v1. Changes wait for you here.
      </p>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      <ErrorNotice error={revoke.error} />
      {!tokens && !error && <SkeletonRows rows={1} />}
      {tokens && tokens.length > 0 && (
        <Rows itemKey={({ id }) => id} items={tokens} label="Chat tokens">
          {(token) => (
            <Row
              actions={
                <Button
                  aria-label={`Revoke the token of ${token.name}`}
                  busy={revoke.isPending && revoke.variables.id === token.id}
                  data-testid="revoke-chat-token"
                  onClick={() => revoke.mutate(token)}
                >
                  Revoke
                </Button>
              }
              detail={
                <span title={`Created ${fullTime(token.createdAt)}`}>
                  {/* It counts as used when it is made. */}
                  {token.lastUsedAt === token.createdAt
                    ? "not used yet"
                    : `last used ${timeAgo(token.lastUsedAt, now)}`}
                  {` · expires ${fullTime(token.expiresAt)}`}
                </span>
              }
              title={token.name}
            />
          )}
        </Rows>
      )}
      <form
        className="flex max-w-sm flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate({ name });
        }}
      >
        <TextField
          hint="Expires after 90 days, or when you change your password."
          label="Purpose"
          maxLength={longestName}
          onChange={(event) => setName(event.currentTarget.value)}
          required
          value={name}
        />
        <ErrorNotice error={make.error} />
        <Button busy={make.isPending} className="self-start" data-testid="make-chat-token" type="submit">
          Create chat token
        </Button>
      </form>
      {made && <TokenDialog onClose={() => setMade(null)} title={`Chat token of ${made.name}`} token={made.token} />}
    </section>
  );
}
