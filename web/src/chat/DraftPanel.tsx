import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import {
  conversationQuery,
  conversationsQuery,
  createConversation,
  type ConversationDraft,
} from "../api/conversations";
import { integrationsQuery } from "../api/integrations";
import { meQuery } from "../api/session";
import { useWrite } from "../api/write";
import { activeSkills, newChatOf } from "../skills/active";
import { useSkillChoice } from "../skills/choice";
import { isLost } from "../ui/arrival";
import { ErrorNotice } from "../ui/Notice";
import { useDocumentTitle } from "../ui/Page";
import { Composer, composerId, focusComposer } from "./Composer";
import { Examples } from "./Examples";
import { loadSent, loadSession } from "./later";
import { chosenIntegration, chosenModel, PanelHeader, type ChatSettings } from "./PanelHeader";
import { useSessions } from "./registry";
import type { ChatSession } from "./session";
import { useComposerFocus } from "./keys";
import { keepPlace } from "./place";
import { keepUnsent, newChat, readUnsent, withPrompt } from "./unsent";

const route = getRouteApi("/app/chat/");

const Sent = lazy(async () => ({ default: (await loadSent()).Sent }));

const ignore = () => {};

/** A chat that exists only on this screen until its first message. */
export function DraftPanel() {
  const sessions = useSessions();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { data: integrations } = useQuery(integrationsQuery);
  const [settings, setSettings] = useState<ChatSettings>({
    connectionId: null,
    model: null,
    permissionMode: "approve",
  });
  const { prompt = "" } = route.useSearch();
  const { data: me } = useQuery(meQuery);
  const person = me?.id ?? "";
  const [text, setText] = useState(() => withPrompt(readUnsent(person, newChat), prompt));
  const [sent, setSent] = useState<string | null>(null);
  useDocumentTitle("Chat");

  const integration = chosenIntegration(integrations, settings.connectionId);
  const blocked = integrations?.length === 0 ? "An administrator has to add a model connection first." : undefined;
  const choice = {
    connectionId: integration?.connectionId,
    model: integration && chosenModel(integration, settings.model),
  };

  const skill = useSkillChoice(newChatOf(person), text, setText);

  const create = useWrite({
    send: async ({ draft }: { draft: ConversationDraft; message: string }, key) => {
      // First: a chat that nothing can be sent in would stay empty.
      const { ChatSession } = await loadSession();
      return { ChatSession, conversation: await createConversation(draft, key) };
    },
    onSuccess: ({ ChatSession, conversation }, { message }) => {
      queryClient.setQueryData(conversationQuery(conversation.id).queryKey, {
        ...conversation,
        messages: [],
        outside: [],
      });
      void queryClient.invalidateQueries({ queryKey: conversationsQuery.queryKey });
      activeSkills.move(newChatOf(person), conversation.id);
      const session = sessions.open(conversation.id, [], ChatSession);
      opened.current = session;
      session.leaveDraft(typed.current);
      keepUnsent(person, newChat, "");
      void session.send(message, { ...choice, skillId: skill.skillId });
      const writing = document.activeElement?.id === composerId;
      void navigate({ to: "/chat/$conversationId", params: { conversationId: conversation.id }, replace: true }).then(
        // A question that has come by then has the focus already.
        () => writing && isLost() && focusComposer(),
      );
    },
  });

  // Text typed while the conversation is created moves to its page.
  const typed = useRef(text);
  const opened = useRef<ChatSession | null>(null);
  useEffect(() => {
    // A prompt that nobody has touched is in the address, and a message that was sent has not arrived before there is a chat.
    const begun = text === prompt ? "" : text;
    keepUnsent(person, newChat, opened.current ? "" : withPrompt(sent ?? "", begun));
  }, [person, text, prompt, sent]);
  useEffect(() => keepPlace(person, ""), [person]);
  useEffect(() => {
    if (prompt !== "") focusComposer();
  }, [prompt]);
  useComposerFocus(true);
  const write = (content: string) => {
    setText(content);
    typed.current = content;
    opened.current?.leaveDraft(content);
  };

  const send = (content: string, rest: string) => {
    const message = content.trim();
    setSent(message);
    write(rest);
    create.mutate(
      { draft: { ...choice, permissionMode: settings.permissionMode }, message },
      {
        onError: () => {
          setSent(null);
          write(withPrompt(message, typed.current));
        },
      },
    );
  };

  return (
    <>
      <PanelHeader
        onChange={(changes) => setSettings({ ...settings, ...changes })}
        settings={settings}
        title="New chat"
      />
      {sent === null ? (
        <div className="flex min-h-0 flex-1 overflow-y-auto">
          <Examples disabled={Boolean(blocked)} onPick={(picked) => send(picked, text)} />
        </div>
      ) : (
        <Suspense
          fallback={
            <p className="mx-auto w-full max-w-3xl flex-1 overflow-y-auto p-6 whitespace-pre-wrap wrap-anywhere">
              {sent}
            </p>
          }
        >
          <Sent text={sent} />
        </Suspense>
      )}
      <Composer
        blocked={blocked}
        busy={sent !== null}
        notice={
          <>
            {skill.banner}
            <ErrorNotice className="mb-2" error={create.error} />
          </>
        }
        onSend={() => send(text, "")}
        onSkills={skill.open}
        onStop={ignore}
        onText={write}
        stopping={sent !== null}
        text={text}
      />
      {skill.dialog}
    </>
  );
}
