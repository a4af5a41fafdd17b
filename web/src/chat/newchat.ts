import { activeSkills, newChatOf } from "../skills/active";
import { newChat, readUnsent } from "./unsent";

/**
 * A person begins a new chat, which is made by its first message. What they began in it before is still there, and a skill that
 * was chosen for nothing is not.
 */
export function beginChat(person: string): void {
  if (readUnsent(person, newChat) === "") activeSkills.set(newChatOf(person), null);
}
