import { activeSkills, newChatOf } from "../skills/active";
import { newChat, readUnsent } from "./unsent";

/**
 * Starts a new chat, which is created by its first message. An earlier draft is still there, and a skill chosen without
 * a message is not.
 */
export function beginChat(person: string): void {
  if (readUnsent(person, newChat) === "") activeSkills.set(newChatOf(person), null);
}
