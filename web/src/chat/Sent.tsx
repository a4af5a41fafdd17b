import { Message, Thinking } from "./Message";
import { MessageList } from "./MessageList";

const ignore = () => {};

/** The first message of a chat, until there is a chat that it is in. */
export function Sent({ text }: { text: string }) {
  return (
    <MessageList anchor={text} busy>
      <Message
        live={false}
        message={{ id: "draft", role: "user", parts: [{ type: "text", text }] }}
        onProposalSettled={ignore}
        settings={undefined}
      />
      <Thinking text="Sending…" />
    </MessageList>
  );
}
