// Types that the OpenAPI document cannot express: parts of messages and chunks of streams are those of the AI SDK's
// protocol. Its types are the library's; the product's data in them has types of the API.
import type { UIMessage } from "ai";
import type { Schema } from "./client";

export type MessageMetadata = Schema<"TurnMessageMetadata">;
export type ChatMessage = UIMessage<MessageMetadata, Schema<"ApiMessageData">>;

/** Stored messages are in the shape of the protocol: the server has reduced streams to them. */
export const asMessages = (stored: Schema<"ApiStoredMessage">[]) => stored as ChatMessage[];
