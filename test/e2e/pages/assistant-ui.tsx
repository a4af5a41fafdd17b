import {
  ActionBarPrimitive,
  AssistantRuntimeProvider,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
  type ToolCallMessagePartProps,
} from "@assistant-ui/react";
import { AssistantChatTransport, useChatRuntime } from "@assistant-ui/react-ai-sdk";
import { lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";
import { createRoot } from "react-dom/client";

/** A tool call, with the buttons of an approval that waits. */
function Call({ toolName, approval, respondToApproval, result }: ToolCallMessagePartProps) {
  const waits = approval !== undefined && approval.approved === undefined;
  return (
    <div data-testid="call">
      {toolName}
      {waits && (
        <>
          <button onClick={() => void respondToApproval({ approved: true, reason: "Looks right" })}>Approve</button>
          <button onClick={() => void respondToApproval({ approved: false })}>Decline</button>
        </>
      )}
      {result !== undefined && <output>{JSON.stringify(result)}</output>}
    </div>
  );
}

function Message() {
  return (
    <MessagePrimitive.Root data-testid="message">
      <MessagePrimitive.Parts components={{ tools: { Fallback: Call } }} />
      <MessagePrimitive.If assistant>
        <ActionBarPrimitive.Root>
          <ActionBarPrimitive.Reload>Again</ActionBarPrimitive.Reload>
        </ActionBarPrimitive.Root>
      </MessagePrimitive.If>
    </MessagePrimitive.Root>
  );
}

/** Stock use of assistant-ui: its runtime, which knows only the address. */
function Page() {
  const runtime = useChatRuntime({
    transport: new AssistantChatTransport({ api: "/api/ai/chat" }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Viewport>
          <ThreadPrimitive.Messages components={{ Message }} />
        </ThreadPrimitive.Viewport>
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input aria-label="Message" />
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}

const root = document.querySelector("#root");
if (root) createRoot(root).render(<Page />);
