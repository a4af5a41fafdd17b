/** Descriptions of the keyboard shortcuts; `shortcuts.ts` and the chat implement them. */
export const shortcuts = [
  { keys: "Ctrl K", does: "Search and go: pages, systems, chats, proposals, documentation, actions" },
  { keys: "n", does: "Start a new chat" },
  { keys: "a", does: "Go to Apply on the newest open card; Enter presses it" },
  { keys: "d", does: "Go to Decline on the newest open card; Enter presses it" },
  { keys: "/", does: "Focus the message box, or the search field of a list; in the empty message box, choose a skill" },
  { keys: "g c", does: "Go to the chat" },
  { keys: "g p", does: "Go to the proposals" },
  { keys: "g s", does: "Go to the systems" },
  { keys: "g t", does: "Go to the teams" },
  { keys: "g d", does: "Go to the documentation" },
  { keys: "Enter", does: "Send the message" },
  { keys: "Ctrl Enter", does: "Run the script, on the page of scripts; run the tool, in the tool studio" },
  { keys: "Ctrl S", does: "Save the tool, in the tool studio" },
  { keys: "Shift Enter", does: "Start a new line" },
  {
    keys: "Esc",
    does: "Stop the answer, from anywhere in the chat; close a dialog; leave the message box, so that single keys work",
  },
  { keys: "?", does: "Show this help" },
] as const;
