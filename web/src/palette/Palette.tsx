import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog } from "@base-ui/react/dialog";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { meQuery, signOut } from "../api/session";
import { isPaletteKey, startChat } from "../shell/shortcuts";
import { useTheme } from "../shell/theme";
import { Icon } from "../ui/Icon";
import { IconButton } from "../ui/IconButton";
import { ErrorNotice } from "../ui/Notice";
import { pages, type Command } from "./commands";
import { ranked } from "./rank";
import { keepRecent, recentKeys } from "./recent";
import { useSources, type Place } from "./sources";

interface PaletteProps {
  onClose: () => void;
  onHelp: () => void;
}

type Item = Place | Command;

interface Group {
  value: string;
  items: Item[];
}

const longestText = 200;
/** How many pages and actions are shown for a text. */
const mostCommands = 6;
const typingPauseMilliseconds = 150;

/** Goes to any page, system, chat, proposal or section of the documentation, and does what the shell can do. */
export function Palette({ onClose, onHelp }: PaletteProps) {
  const router = useRouter();
  const { data: me } = useQuery(meQuery);
  const person = me?.id ?? "";
  const [text, setText] = useState("");
  const asked = usePaused(text);
  const commands = useCommands(onHelp);
  const sources = useSources(asked, me);
  const [recent] = useState(() => recentKeys(person));

  const typed = text.trim() !== "";
  const known: Item[] = [...commands, ...pages(me)];
  const latest = recent.flatMap((key) => known.find((item) => item.key === key) ?? []);
  const fitting = ranked(known, text, recent);
  const local: Group[] = typed
    ? [{ value: "Pages and actions", items: fitting.slice(0, mostCommands) }]
    : [
        { value: "Recent", items: latest },
        { value: "Actions", items: commands.filter((item) => !latest.includes(item)) },
      ];
  const groups: Group[] = [
    ...local,
    ...sources.map(({ group, places }) => ({ value: group, items: places })),
    ...(typed ? [{ value: "Ask", items: [ask(text.trim())] }] : [{ value: "Pages", items: pages(me) }]),
  ].filter(({ items }) => items.length > 0);
  const loading = asked !== text || sources.some((source) => source.loading);
  const failed = sources.find(({ error }) => error)?.error ?? null;
  const found = groups.reduce((sum, { items }) => sum + items.length, 0);

  const went = useRef(false);
  const choose = (item: Item) => {
    // Where it goes to has a place for the focus.
    went.current = item.key !== "do theme";
    onClose();
    // Questions, and text found in messages, are not kept here.
    if (!item.key.startsWith("ask")) keepRecent(person, item.key);
    if ("run" in item) item.run();
    else router.history.push(item.href);
  };

  return (
    <Dialog.Root onOpenChange={(open) => !open && onClose()} open>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Viewport className="fixed inset-0 z-40 flex items-start justify-center p-2 pt-[max(0.5rem,8dvh)] sm:p-4 sm:pt-[12dvh]">
          <Dialog.Popup
            className={
              "rise flex max-h-[80dvh] w-full max-w-xl flex-col overflow-hidden rounded-2xl border bg-card " +
              "text-card-foreground shadow-floating outline-none"
            }
            data-testid="palette"
            finalFocus={() => !went.current}
            // The opening shortcut closes it; else a browser goes to its address bar.
            onKeyDown={(event) => {
              if (!isPaletteKey(event)) return;
              event.preventDefault();
              onClose();
            }}
          >
            <Dialog.Title className="sr-only">Search and go</Dialog.Title>
            <Autocomplete.Root
              autoHighlight="always"
              filter={null}
              inline
              items={groups}
              itemToStringValue={({ label }: Item) => label}
              keepHighlight
              onValueChange={(value) => setText(value)}
              open
              value={text}
            >
              <div className="flex items-center gap-2 border-b px-3">
                <Icon className="text-muted-foreground" name="search" size={18} />
                <Autocomplete.Input
                  aria-label="Search pages, systems, chats, proposals and documentation"
                  className="min-w-0 flex-1 bg-transparent py-3 outline-none placeholder:text-muted-foreground"
                  data-testid="palette-input"
                  maxLength={longestText}
                  placeholder="Search, or type what to do…"
                />
                <IconButton icon="close" label="Close" onClick={onClose} />
              </div>
              <p className="sr-only" data-testid="palette-status" role="status">
                {loading ? "Searching…" : `${found} ${found === 1 ? "entry" : "entries"}`}
              </p>
              {failed && (
                <div className="px-3 pt-2">
                  <ErrorNotice error={failed} />
                </div>
              )}
              <Autocomplete.List
                className="min-h-0 flex-1 overflow-y-auto p-1.5 outline-none"
                data-testid="palette-list"
              >
                {(group: Group) => (
                  <Autocomplete.Group className="pb-1" items={group.items} key={group.value}>
                    <Autocomplete.GroupLabel className="px-2 py-1 text-xs font-medium text-muted-foreground">
                      {group.value}
                    </Autocomplete.GroupLabel>
                    <Autocomplete.Collection>
                      {(item: Item) => (
                        <Autocomplete.Item
                          className={
                            "flex cursor-pointer items-center gap-2.5 rounded-lg px-2 py-2 text-sm outline-none " +
                            "data-highlighted:bg-primary-soft"
                          }
                          data-testid="palette-item"
                          key={`${group.value} ${item.key}`}
                          onClick={() => choose(item)}
                          value={item}
                        >
                          <Icon className="shrink-0 text-muted-foreground" name={item.icon} size={17} />
                          <span className="min-w-0 flex-1">
                            <span className="block truncate">{item.label}</span>
                            {item.detail && (
                              <span className="block truncate text-xs text-muted-foreground">{item.detail}</span>
                            )}
                          </span>
                        </Autocomplete.Item>
                      )}
                    </Autocomplete.Collection>
                  </Autocomplete.Group>
                )}
              </Autocomplete.List>
            </Autocomplete.Root>
            <p
              aria-hidden="true"
              className="flex gap-4 border-t px-3 py-1.5 text-xs text-muted-foreground pointer-coarse:hidden"
            >
              <span>↑↓ choose</span>
              <span>Enter opens</span>
              <span>Esc closes</span>
              {loading && <span className="ml-auto">Searching…</span>}
            </p>
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Puts a text into the message box of a new chat, where the person may still change it. */
const ask = (text: string): Place => ({
  key: "ask",
  label: `Ask the assistant: ${text}`,
  icon: "chat",
  href: `/chat?prompt=${encodeURIComponent(JSON.stringify(text))}`,
});

function useCommands(onHelp: () => void): Command[] {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { data: me } = useQuery(meQuery);
  const { dark, toggle } = useTheme();
  const leave = useMutation({
    mutationFn: signOut,
    onSuccess: async () => {
      await navigate({ to: "/sign-in" });
      queryClient.clear();
    },
  });
  return [
    {
      key: "do new chat",
      label: "New chat",
      words: "start begin conversation",
      icon: "plus",
      run: () => void startChat(me, navigate),
    },
    {
      key: "do theme",
      label: dark ? "Light theme" : "Dark theme",
      words: "toggle switch appearance mode colour color",
      icon: dark ? "sun" : "moon",
      run: toggle,
    },
    { key: "do help", label: "Help and shortcuts", words: "keyboard keys", icon: "help", run: onHelp },
    {
      key: "do sign out",
      label: "Sign out",
      words: "log out logout leave",
      icon: "signOut",
      run: () => leave.mutate(),
    },
  ];
}

/** A text, once typing pauses. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => setPaused(text), typingPauseMilliseconds);
    return () => window.clearTimeout(timer);
  }, [text]);
  return paused;
}
