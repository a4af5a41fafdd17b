import { useChat } from "@ai-sdk/react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import {
  conversationQuery,
  conversationsQuery,
  updateConversation,
  type ChatMessage,
  type Conversation,
  type ConversationDraft,
} from "../api/conversations";
import { integrationsQuery } from "../api/integrations";
import { Problem } from "../api/problem";
import type { Decision, ProposalStatus } from "../api/proposals";
import { meQuery, settingsQuery } from "../api/session";
import { useWrite } from "../api/write";
import { useFocusAfterDecision } from "../proposals/afterdecision";
import { useSkillChoice } from "../skills/choice";
import { isMissing, MissingPage } from "../ui/Missing";
import { ErrorNotice } from "../ui/Notice";
import { useDocumentTitle } from "../ui/Page";
import type { Crumb } from "../ui/Trail";
import { ChatActions } from "./ChatActions";
import { ChatNotice } from "./ChatNotice";
import { Composer, composerId, focusComposer } from "./Composer";
import { Examples } from "./Examples";
import { Message, Thinking } from "./Message";
import { OutsideNotice } from "./OutsideNotice";
import { chosenIntegration, chosenModel, PanelHeader } from "./PanelHeader";
import { questionStates } from "./questions";
import { useSessions } from "./registry";
import { ChatSession } from "./session";
import { useTitle } from "./titles";
import { Transcript } from "./Transcript";
import { TranscriptSkeleton } from "./TranscriptSkeleton";
import { plainText } from "./outline";
import { typesOnGlass, useComposerFocus, useStopKey } from "./keys";
import { keepPlace, leavePlace } from "./place";
import { editField, keepOutgoing, keepUnsent, readUnsent, sentAnew, undelivered, withPrompt } from "./unsent";

const route = getRouteApi("/app/chat/$conversationId");

const above: Crumb[] = [{ label: "New chat", link: { to: "/chat" } }];

export function ConversationPanel() {
  const { conversationId } = route.useParams();
  const { data, error, refetch, isFetchedAfterMount } = useQuery({
    ...conversationQuery(conversationId),
    refetchOnMount: "always",
  });
  const { data: me } = useQuery(meQuery);
  const gone = isMissing(error);
  useEffect(() => {
    if (me && gone) leavePlace(me.id, conversationId);
    else if (me) keepPlace(me.id, conversationId);
  }, [me, gone, conversationId]);
  // One that was deleted in another window is gone here too.
  if (data && !gone) return <OpenConversation conversation={data} fresh={isFetchedAfterMount} key={conversationId} />;
  if (gone) {
    return (
      <div className="min-h-0 flex-1">
        <MissingPage noun="chat" trail={above} />
      </div>
    );
  }
  if (error) {
    return (
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-3 p-6">
        <ErrorNotice error={error} onRetry={() => void refetch()} />
        <Link className="text-sm underline underline-offset-2" to="/chat">
          Start a new chat
        </Link>
      </div>
    );
  }
  return <TranscriptSkeleton />;
}

interface OpenConversationProps {
  conversation: Conversation;
  /** It was read since it was opened, and not before. */
  fresh: boolean;
}

function OpenConversation({ conversation, fresh }: OpenConversationProps) {
  const sessions = useSessions();
  const queryClient = useQueryClient();
  const [session] = useState(() => sessions.open(conversation.id, conversation.messages, ChatSession));
  useEffect(() => sessions.hold(session), [sessions, session]);

  const { messages, error } = useChat<ChatMessage>({ chat: session.chat, throttle: 40 });
  const state = useSyncExternalStore(session.subscribe, session.state);
  const { busy } = state;

  useEffect(() => session.adopt(conversation.messages), [session, conversation.messages]);
  const { activeTurnId } = conversation;
  useEffect(() => session.notice(activeTurnId), [session, activeTurnId]);

  const { data: me } = useQuery(meQuery);
  const person = me?.id ?? "";
  const { rejected, outgoing } = state;
  const [text, setText] = useState(() => session.takeDraft() || readUnsent(person, conversation.id));
  useEffect(() => {
    session.leaveDraft(text);
    keepUnsent(person, conversation.id, text);
  }, [session, person, conversation.id, text]);
  // A message that was on its way when the page was left has arrived, or comes back to the box that it was sent from.
  const [arrived, setArrived] = useState(false);
  const [edit, setEdit] = useState<ReturnType<typeof sentAnew>>(null);
  if (fresh && !arrived) {
    setArrived(true);
    const left = undelivered(person, conversation.id, conversation.messages, (id) => session.hasSent(id));
    if (!outgoing) {
      setText(withPrompt(left, text));
      const stored = conversation.messages.map((message) => ({ id: message.id, text: plainText(message) }));
      setEdit(sentAnew(person, conversation.id, stored));
    }
  }
  // An edited message stays at its place until it has arrived, or is back in the message box.
  const sending = useRef<string>(undefined);
  useEffect(() => {
    const over = outgoing ? undefined : (sending.current ?? (edit?.arrived ? edit.id : undefined));
    sending.current = outgoing?.before === undefined ? undefined : outgoing.id;
    if (over) keepUnsent(person, editField(conversation.id, over), "");
  }, [person, conversation.id, outgoing, edit]);
  useEffect(() => {
    if (arrived || outgoing) keepOutgoing(person, conversation.id, outgoing);
  }, [person, conversation.id, arrived, outgoing]);
  const [seenRejected, setSeenRejected] = useState(rejected);
  if (rejected !== seenRejected) {
    setSeenRejected(rejected);
    if (rejected) setText(withPrompt(rejected.text, text));
  }

  const { message: wanted } = route.useSearch();
  useComposerFocus(wanted === undefined);
  useStopKey(busy && !state.stopping, () => void session.stop());
  useFocusAfterDecision(() => {
    if (typesOnGlass()) return false;
    focusComposer();
    return document.activeElement?.id === composerId;
  });

  const { data: settings } = useQuery(settingsQuery);
  const { data: integrations } = useQuery(integrationsQuery);
  const update = useWrite({
    send: (changes: ConversationDraft, key) => updateConversation(conversation.id, changes, key),
    invalidates: [conversationsQuery.queryKey, conversationQuery(conversation.id).queryKey],
  });
  // A choice counts at once, whatever is read of the conversation while it is being stored.
  const chosen = update.isPending ? { ...conversation, ...update.variables } : conversation;
  const integration = chosenIntegration(integrations, chosen.connectionId);
  const blocked = integrations?.length === 0 ? "An administrator has to add a model connection first." : undefined;
  const title = useTitle(conversation) ?? "Untitled chat";
  useDocumentTitle(title);

  const skill = useSkillChoice(conversation.id, text, setText);
  const { skillId } = skill;
  const connectionId = integration?.connectionId;
  const model = integration && chosenModel(integration, chosen.model);
  // Text in the box stays there: an answer to a question is sent from its card.
  const answer = useCallback(
    (content: string) => void session.send(content.trim(), { connectionId, model, skillId }),
    [session, connectionId, model, skillId],
  );
  const send = (content: string) => {
    setText("");
    answer(content);
  };

  const choose = (changes: ConversationDraft) => {
    queryClient.setQueryData(conversationQuery(conversation.id).queryKey, (known) => known && { ...known, ...changes });
    update.mutate(changes);
  };

  const onProposalSettled = useCallback(
    (proposalId: string, outcome: ProposalStatus) => {
      if (outcome === "applied" || outcome === "failed") void session.react(proposalId, "apply");
      else if (outcome === "declined") void session.react(proposalId, "decline");
      else void queryClient.invalidateQueries({ queryKey: conversationQuery(session.conversationId).queryKey });
    },
    [session, queryClient],
  );

  const onPlanDecided = useCallback(
    (planId: string, decision: Decision) => void session.reactToPlan(planId, decision),
    [session],
  );

  const last = messages.at(-1);
  const sent = messages.findLast((message) => message.role === "user");
  const lastSent = sent?.id;
  const lastId = messages.at(-1)?.id;
  const repeat = useCallback(() => {
    keepFocus();
    if (lastId) void session.regenerate(lastId, { connectionId, model, skillId });
  }, [session, lastId, connectionId, model, skillId]);
  const sendAnew = useCallback(
    (content: string) => {
      setEdit(null);
      keepFocus();
      if (lastSent) void session.edit(lastSent, content, { connectionId, model, skillId });
    },
    [session, lastSent, connectionId, model, skillId],
  );
  const questions = useMemo(() => questionStates(messages), [messages]);
  const ready = !busy && !blocked;
  const failure = rejected?.error ?? (state.connection === "live" ? shownError(error, last) : null);

  const [opened] = useState(() => new Set(messages.map(({ id }) => id)));
  const draw = (message: ChatMessage, place: boolean) => (
    <Message
      chat={conversation.id}
      fresh={session.isNew(message.id)}
      key={message.id}
      live={busy && message === last && message.role === "assistant"}
      message={message}
      onAnswer={answer}
      onEdit={ready && message === sent ? sendAnew : undefined}
      onPlanDecided={onPlanDecided}
      onProposalSettled={onProposalSettled}
      onRepeat={ready && message === last && repeatable(messages) ? repeat : undefined}
      pace={session.isNew(message.id) && !opened.has(message.id) ? "forward" : place ? undefined : "backward"}
      open={questions.get(message.id)?.open}
      ready={questions.get(message.id)?.open && ready}
      reply={questions.get(message.id)?.reply}
      settings={settings}
      unsent={edit?.arrived === false && message.id === edit.id}
    />
  );

  return (
    <>
      <PanelHeader
        actions={messages.length > 0 && <ChatActions conversationId={conversation.id} />}
        onChange={choose}
        settings={chosen}
        title={title}
      />
      {messages.length === 0 ? (
        <div className="flex min-h-0 flex-1 overflow-y-auto">
          <Examples disabled={Boolean(blocked) || busy} onPick={answer} />
        </div>
      ) : (
        <Transcript
          busy={busy}
          conversation={conversation}
          draw={draw}
          messages={messages}
          sent={lastSent}
          tail={
            busy &&
            last?.role === "user" && <Thinking text={state.connection === "sending" ? "Sending…" : "Thinking…"} />
          }
          wanted={wanted}
        />
      )}
      <Composer
        blocked={blocked}
        busy={busy}
        notice={
          <>
            {skill.banner}
            {conversation.permissionMode === "auto" && conversation.outside.length > 0 && !busy && (
              <OutsideNotice conversationId={conversation.id} outside={conversation.outside} />
            )}
            <ChatNotice
              failure={failure ?? update.error}
              onDismiss={() => {
                session.forgetRejection();
                update.reset();
              }}
              state={state}
              writing={last?.parts.some((part) => "state" in part && part.state === "streaming") ?? false}
            />
          </>
        }
        onSend={() => send(text)}
        onSkills={skill.open}
        onStop={() => void session.stop()}
        onText={setText}
        stopping={state.stopping}
        text={text}
      />
      {skill.dialog}
    </>
  );
}

/** Moves the focus from a removed element while an answer streams; a phone would open its keyboard. */
function keepFocus() {
  if (!typesOnGlass()) focusComposer();
}

/** An answer that only says something can be had again; a change would be proposed twice. */
function repeatable(messages: ChatMessage[]): boolean {
  const [question, answer] = messages.slice(-2);
  return question?.role === "user" && answer?.role === "assistant" && !answer.parts.some(({ type }) => cards.has(type));
}

const cards = new Set<string>(["data-proposal", "data-applied", "data-question", "data-plan"]);

/** An error that the last message already shows is not repeated above the composer. */
function shownError(error: Error | undefined, last: ChatMessage | undefined): Error | null {
  if (!error) return null;
  if (error instanceof Problem) return error;
  return last?.metadata?.error || last?.parts.some((part) => part.type === "data-error") ? null : error;
}
