import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Outlet, useNavigate, useParams } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { catalogKey } from "../api/catalog";
import { conversationQuery, conversationsQuery } from "../api/conversations";
import { proposalsKey } from "../api/proposals";
import { loaded } from "../api/reach";
import { meQuery } from "../api/session";
import { TopBarActions } from "../shell/topbar";
import { Button } from "../ui/Button";
import { IconButton } from "../ui/IconButton";
import { usePhone } from "../ui/phone";
import { focusComposer } from "./Composer";
import { ConversationList } from "./ConversationList";
import { preloadAnswers } from "./later";
import { beginChat } from "./newchat";
import { SessionRegistry, SessionsContext } from "./registry";
import type { ChatSession } from "./session";

// Only a narrow window has the button that opens it.
const Drawer = lazy(async () => ({ default: (await loaded(() => import("../ui/Drawer"))).Drawer }));

/** The chat: conversations at the side, one of them open. */
export function ChatLayout() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { conversationId } = useParams({ strict: false });
  const [drawer, setDrawer] = useState(false);
  const phone = usePhone();
  useEffect(preloadAnswers, []);

  const [sessions] = useState(
    () =>
      new SessionRegistry((session: ChatSession) => {
        const query = conversationQuery(session.conversationId);
        queryClient.setQueryData(
          query.queryKey,
          (known) => known && { ...known, activeTurnId: null, messages: session.chat.messages },
        );
        void queryClient.invalidateQueries({ queryKey: query.queryKey });
        // A turn may have proposed a change, or made one in auto mode.
        for (const queryKey of [conversationsQuery.queryKey, proposalsKey, catalogKey]) {
          void queryClient.invalidateQueries({ queryKey });
        }
      }),
  );

  const { data: me } = useQuery(meQuery);
  const startChat = () => {
    setDrawer(false);
    beginChat(me?.id ?? "");
    if (conversationId === undefined) focusComposer();
    else void navigate({ to: "/chat" }).then(focusComposer);
  };

  const list = <ConversationList activeId={conversationId} onNewChat={startChat} onOpened={() => setDrawer(false)} />;
  return (
    <SessionsContext value={sessions}>
      <div className="flex h-full min-h-0">
        <aside aria-label="Conversations" className="hidden w-65 shrink-0 border-r bg-muted/50 lg:block">
          {list}
        </aside>
        <div className="flex min-w-0 flex-1 flex-col" data-testid="chat-panel">
          {phone ? (
            <TopBarActions>
              <IconButton
                className="size-9"
                data-testid="open-conversations"
                icon="list"
                label="Conversations"
                onClick={() => setDrawer(true)}
              />
              <IconButton className="size-9" icon="plus" label="New chat" onClick={startChat} />
            </TopBarActions>
          ) : (
            <div className="flex h-10 items-center gap-1 border-b px-1 lg:hidden">
              <Button data-testid="open-conversations" icon="list" onClick={() => setDrawer(true)} variant="quiet">
                Conversations
              </Button>
              <Button className="ml-auto" icon="plus" onClick={startChat} variant="quiet">
                New chat
              </Button>
            </div>
          )}
          <Outlet />
        </div>
      </div>
      {drawer && (
        <Suspense>
          <Drawer label="Conversations" onClose={() => setDrawer(false)}>
            {list}
          </Drawer>
        </Suspense>
      )}
    </SessionsContext>
  );
}
