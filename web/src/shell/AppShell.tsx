import { useQuery } from "@tanstack/react-query";
import { Link, Outlet } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import type { Destination } from "../area";
import { loaded } from "../api/reach";
import { meQuery, type Principal } from "../api/session";
import { useChanges } from "../changes/useChanges";
import { Icon, Mark } from "../ui/Icon";
import { usePhone } from "../ui/phone";
import { SearchContext } from "../ui/search";
import { AccountMenu } from "./AccountMenu";
import { destinationsOf } from "./destinations";
import { useShortcuts } from "./shortcuts";
import { topBarId } from "./topbar";

const loadDrawer = () => loaded(() => import("../ui/Drawer"));
const Drawer = lazy(async () => ({ default: (await loadDrawer()).Drawer }));
const Palette = lazy(async () => ({ default: (await loaded(() => import("../palette/Palette"))).Palette }));
const HelpDialog = lazy(async () => ({ default: (await loaded(() => import("./HelpDialog"))).HelpDialog }));

/** The frame of the signed-in application: navigation, shortcuts, the page. */
export function AppShell() {
  const { data: me } = useQuery(meQuery);
  const [help, setHelp] = useState(false);
  const [drawer, setDrawer] = useState(false);
  useChanges(me?.id);
  const [palette, setPalette] = useState(false);
  const openPalette = useCallback(() => setPalette(true), []);
  useShortcuts({ onHelp: () => setHelp(true), onPalette: openPalette });
  // Only a narrow window has the button that opens it, and it should open at once.
  const phone = usePhone();
  useEffect(() => {
    if (phone) void loadDrawer();
  }, [phone]);

  return (
    <div className="flex h-dvh flex-col md:flex-row">
      <a
        className="sr-only z-50 rounded-lg bg-card px-3 py-2 focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
        href="#main"
      >
        Skip to the content
      </a>
      <header className="flex h-11 items-center gap-2 border-b px-2 md:hidden">
        <button
          aria-label="Menu"
          className="inline-flex size-9 items-center justify-center rounded-lg hover:bg-muted"
          data-testid="open-menu"
          onClick={() => setDrawer(true)}
          type="button"
        >
          <Icon name="menu" />
        </button>
        <Mark size={24} />
        <span className="font-semibold tracking-tight">Countersign</span>
        <div className="ml-auto flex items-center" id={topBarId} />
        <button
          aria-label="Search and go"
          className="inline-flex size-9 items-center justify-center rounded-lg hover:bg-muted"
          data-testid="open-palette-phone"
          onClick={openPalette}
          type="button"
        >
          <Icon name="search" />
        </button>
      </header>
      <aside className="hidden w-20 shrink-0 border-r md:block">
        <Navigation me={me} onHelp={() => setHelp(true)} onLeave={() => {}} onPalette={openPalette} />
      </aside>
      <main className="min-h-0 min-w-0 flex-1" id="main">
        <SearchContext value={openPalette}>
          <Outlet />
        </SearchContext>
      </main>
      <Suspense>
        {drawer && (
          <Drawer label="Menu" onClose={() => setDrawer(false)}>
            <Navigation
              me={me}
              onHelp={() => {
                setDrawer(false);
                setHelp(true);
              }}
              onLeave={() => setDrawer(false)}
              onPalette={() => {
                setDrawer(false);
                setPalette(true);
              }}
              wide
            />
          </Drawer>
        )}
        {palette && <Palette onClose={() => setPalette(false)} onHelp={() => setHelp(true)} />}
        {help && <HelpDialog onClose={() => setHelp(false)} />}
      </Suspense>
    </div>
  );
}

interface NavigationProps {
  me: Principal | undefined;
  wide?: boolean;
  onHelp: () => void;
  onLeave: () => void;
  onPalette: () => void;
}

function Navigation({ me, wide, onHelp, onLeave, onPalette }: NavigationProps) {
  const items = destinationsOf(me);
  return (
    <div className={`flex h-full flex-col gap-1 ${wide ? "p-3" : "items-center px-2 py-2"}`}>
      <div className={`flex items-center gap-2 ${wide ? "mb-2 px-2" : ""}`}>
        <Mark size={wide ? 28 : 34} />
        {wide && <span className="font-semibold tracking-tight">Countersign</span>}
      </div>
      <button
        aria-keyshortcuts="Control+K Meta+K"
        aria-label="Search and go"
        className={
          "flex shrink-0 items-center text-muted-foreground transition-colors hover:bg-muted " +
          "hover:text-foreground " +
          (wide ? "mb-1 gap-3 rounded-xl border px-3 py-2" : "h-8 w-full justify-center rounded-xl")
        }
        data-testid="open-palette"
        onClick={onPalette}
        title="Search and go (Ctrl K)"
        type="button"
      >
        <Icon name="search" size={18} />
        {wide && "Search and go"}
      </button>
      <nav aria-label="Main" className="-m-0.5 flex min-h-0 w-full flex-col gap-0.5 overflow-y-auto p-0.5">
        {items.map((item) => (
          <Link
            activeOptions={{ includeSearch: false }}
            activeProps={{ className: "bg-primary-soft text-primary", "aria-current": "page" }}
            className={
              "relative flex items-center rounded-xl transition-colors " +
              (wide ? "gap-3 px-3 py-2.5" : "flex-col gap-0.5 py-1.5 text-[0.6875rem]")
            }
            data-testid={`nav-${item.label.toLowerCase()}`}
            inactiveProps={{ className: "text-muted-foreground hover:bg-muted hover:text-foreground" }}
            key={item.label}
            onClick={onLeave}
            search={item.search}
            to={item.to}
          >
            <Icon name={item.icon} size={20} />
            {item.label}
            {item.useCount && <Count me={me} useCount={item.useCount} wide={wide} />}
          </Link>
        ))}
      </nav>
      <AccountMenu me={me} onHelp={onHelp} onLeave={onLeave} wide={wide} />
    </div>
  );
}

interface CountProps {
  me: Principal | undefined;
  useCount: NonNullable<Destination["useCount"]>;
  wide?: boolean;
}

function Count({ me, useCount, wide }: CountProps) {
  // oxlint-disable-next-line react/hooks -- an entry of the navigation has one hook, always the same
  const count = useCount(me);
  if (count === 0) return null;
  return (
    <span
      className={
        "min-w-4.5 rounded-full bg-primary px-1 text-center text-[0.6875rem] leading-4.5 font-semibold " +
        `text-primary-foreground ${wide ? "ml-auto" : "absolute top-1 right-2.5"}`
      }
      data-testid="pending-count"
    >
      {count}
      <span className="sr-only"> pending</span>
    </span>
  );
}
