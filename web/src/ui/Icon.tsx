const paths = {
  chat: "M4 5.500h16v11H10l-4.5 3.500v-3.500H4z",
  inbox: "M4 13.5 6.5 5h11L20 13.500V19H4zM4 13.500h4.500l1.2 2.500h4.600l1.2-2.500H20",
  catalog: "M4 5h7v6H4zM13 5h7v6h-7zM4 13h7v6H4zM13 13h7v6h-7z",
  admin: "M12 3.5 19 6v5.500c0 4.2-2.8 7.3-7 9-4.2-1.7-7-4.8-7-9V6zM9 12l2.2 2.200L15.2 10",
  memory: "M6.5 4h11v16L12 16.200 6.5 20zM9.500 8.500h5M9.500 12h5",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.400M18.4 5.6 17 7M7 17l-1.4 1.4",
  moon: "M19.5 14.500A8 8 0 0 1 9.5 4.500a8 8 0 1 0 10 10z",
  help:
    "M12 3.500a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM9.6 9.700c.2-1.5 1.2-2.2 2.5-2.2 1.4 0 2.4.9 2.4 " +
    "2.1 0 1.9-2.5 2-2.5 4M12 16.300v.2",
  signOut: "M10 4.500H5v15h5M14 8l4.5 4-4.5 4M18 12H9.5",
  plus: "M12 5v14M5 12h14",
  pencil: "M5 19l.9-3.900L16 5l3 3L8.9 18.100z",
  trash: "M5 7h14M10 7V4.500h4V7M7 7l.8 12.500h8.400L17 7M10.5 10.500v5.500M13.5 10.500v5.5",
  close: "M6 6l12 12M18 6 6 18",
  menu: "M4 7h16M4 12h16M4 17h16",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  list: "M9 6.500h11M9 12h11M9 17.500h11M4.500 6.500h.2M4.500 12h.2M4.500 17.500h.2",
  repeat: "M19 11a7 7 0 1 0-1.8 5.600M19.5 5v6h-6",
  check: "M5 12.5 10 17.5 19.5 7",
  chevron: "M9 6l6 6-6 6",
  down: "M12 5v14M6 13l6 6 6-6",
  external: "M13 5h6v6M19 5l-8 8M10 6H5v13h13v-5",
  copy: "M9 9h10v10H9zM15 9V5H5v10h4",
  alert: "M12 4 2.8 19.500h18.400zM12 10v4.500M12 17v.2",
  search: "M10.5 4.500a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM15 15l4.8 4.8",
  skill: "M11 4l1.9 5.100L18 11l-5.100 1.900L11 18l-1.900-5.100L4 11l5.100-1.900zM18.5 16v4M16.5 18h4",
  script: "M9 8l-4 4 4 4M15 8l4 4-4 4",
  play: "M8 5.500v13l10.5-6.500z",
  clock: "M12 3.500a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM12 7.500V12l3 2",
  health: "M3 12.500h4l2.500-7 4.500 13 2.500-6H21",
  healthy: "M12 3.500a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM8.200 12.300l2.700 2.700 5-5.600",
  partly: "M12 3.500a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM8 12h8",
  unhealthy: "M8.500 3.500h7l5 5v7l-5 5h-7l-5-5v-7zM9 9l6 6M15 9l-6 6",
  agent: "M6 8.500h12v10H6zM12 4.500v4M3.500 12v3M20.500 12v3M9.800 12.300v.8M14.200 12.300v.8M9.500 16h5",
  key: "M14.500 4.500a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM11 13l-6.500 6.500M6.500 17.500l2 2M9 15l1.500 1.500",
  pause: "M8.500 6v12M15.500 6v12",
  people:
    "M9 5a3.200 3.200 0 1 0 0 6.400A3.200 3.200 0 0 0 9 5zM3.500 19c.4-3.200 2.500-5 5.500-5s5.100 1.800 5.500 5M18 8.500v6M15 11.500h6",
  thumbUp:
    "M7 11v8.500H4V11zM7 11l4-7c1.500 0 2.500 1 2.500 2.500v3h5c1.200 0 2 1 1.800 2.200l-1 6c-.2 1-1 1.800-2 1.800H7",
  thumbDown:
    "M7 13V4.500H4V13zM7 13l4 7c1.500 0 2.500-1 2.500-2.500v-3h5c1.200 0 2-1 1.800-2.200l-1-6c-.2-1-1-1.800-2-1.800H7",
  book:
    "M12 6.500C10 5 7.200 4.800 4.500 5.500v13c2.700-.7 5.500-.5 7.500 1 2-1.500 4.800-1.700 " +
    "7.500-1v-13c-2.700-.7-5.500-.5-7.500 1zM12 6.500v13",
} as const;

export type IconName = keyof typeof paths;

/** A decorative stroke icon; the control around it carries the label. */
export function Icon({ name, size = 18, className = "" }: { name: IconName; size?: number; className?: string }) {
  return (
    <svg
      aria-hidden="true"
      className={`shrink-0 ${className}`}
      fill="none"
      height={size}
      stroke="currentColor"
      strokeLinecap="round"
      strokeLinejoin="round"
      strokeWidth={1.7}
      viewBox="0 0 24 24"
      width={size}
    >
      <path d={paths[name]} />
    </svg>
  );
}

/** The product's mark: a signature on its line. */
export function Mark({ size = 32 }: { size?: number }) {
  return (
    <svg aria-hidden="true" height={size} viewBox="0 0 32 32" width={size}>
      <rect className="fill-[#2b4a8b]" height="32" rx="8" width="32" />
      <path
        d="M7 21c3.5 0 4-9 7-9 2.6 0-.5 8 2 8 2.2 0 2.3-4.5 4.5-4.5 1.7 0 .8 3.5 4.5 3.5"
        fill="none"
        stroke="#fff"
        strokeLinecap="round"
        strokeLinejoin="round"
        strokeWidth="2.4"
      />
      <path d="M7 25.500h18" stroke="#9db5ea" strokeLinecap="round" strokeWidth="1.8" />
    </svg>
  );
}
