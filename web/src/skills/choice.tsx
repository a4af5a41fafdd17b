import { useQuery, useQueryClient } from "@tanstack/react-query";
import {
  lazy,
  Suspense,
  useEffect,
  useState,
  useSyncExternalStore,
  type Dispatch,
  type ReactNode,
  type SetStateAction,
} from "react";
import { loaded } from "../api/reach";
import { holds, meQuery } from "../api/session";
import { skillQuery, type SkillSummary } from "../api/skills";
import { composerId } from "../chat/Composer";
import { activeSkills } from "./active";
import { isGone, SkillBanner } from "./SkillBanner";

// Loaded beside the chat, not before it.
const loadPicker = () => loaded(() => import("./SkillPicker"));
const SkillPicker = lazy(async () => ({ default: (await loadPicker()).SkillPicker }));

interface SkillChoice {
  /** Skill of the next message. */
  skillId: string | undefined;
  /** Opens the picker; undefined without the right to use skills. */
  open: ((typed: boolean) => void) | undefined;
  banner: ReactNode;
  dialog: ReactNode;
}

/** The skill of one chat, with everything that shows and changes it. */
export function useSkillChoice(
  conversationId: string,
  text: string,
  setText: Dispatch<SetStateAction<string>>,
): SkillChoice {
  const queryClient = useQueryClient();
  const { data: me } = useQuery(meQuery);
  const permitted = holds(me, "ai.skill.read");
  const chosen = useSyncExternalStore(activeSkills.subscribe, () => activeSkills.get(conversationId));
  const active = permitted ? chosen : null;
  const { error } = useQuery({ ...skillQuery(active?.id ?? ""), enabled: active !== null });
  const [opened, setOpened] = useState<{ typed: boolean } | null>(null);

  useEffect(() => {
    if (permitted) void loadPicker();
  }, [permitted]);

  const close = () => {
    setOpened(null);
    if (opened?.typed) resumeWriting();
  };
  const pick = (skill: SkillSummary) => {
    setOpened(null);
    activeSkills.set(conversationId, skill);
    resumeWriting();
    // The slash was a command; when the picker is closed it is the first character of a message.
    const command = opened?.typed && text === "/";
    if (command) setText("");
    else if (text !== "") return;
    void queryClient
      .fetchQuery(skillQuery(skill.id))
      .then((whole) => setText((now) => now || whole.promptTemplate))
      // The template only saves typing; the banner tells when the skill is gone.
      .catch(() => {});
  };

  return {
    skillId: active && !isGone(error) ? active.id : undefined,
    open: permitted ? (typed) => setOpened({ typed }) : undefined,
    banner: active && <SkillBanner onRemove={() => activeSkills.set(conversationId, null)} skill={active} />,
    dialog: opened && (
      <Suspense>
        <SkillPicker activeId={active?.id} onClose={close} onPick={pick} />
      </Suspense>
    ),
  };
}

/**
 * Puts the caret behind the text of the message box. The dialog gives the focus
 * back, but to the button it was opened with, or in Chromium without a caret.
 */
function resumeWriting(): void {
  requestAnimationFrame(() => {
    const box = document.getElementById(composerId);
    if (!(box instanceof HTMLTextAreaElement)) return;
    box.focus();
    box.setSelectionRange(box.value.length, box.value.length);
  });
}
