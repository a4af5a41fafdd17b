import type { Reading } from "./reading";

/** Closer to the end than this counts as reading the end. */
const nearEndPixels = 80;
/** Nesting depth of scroll anchors in a message: a list item in an answer is at this depth. */
const depth = 5;

/**
 * Scroll anchor of a list that changes above and below: its end, or the reader's place, which then stays. Browsers have
 * scroll anchoring, but not at the upper edge of the list, and some not at all; two anchors would add up, so the frame
 * must disable its own.
 */
export class View {
  #following = true;
  readonly #listeners = new Set<() => void>();
  #frame: HTMLElement | null = null;
  #list: Element | null = null;
  /**
   * Elements at the reader's place, from the whole message to a block in it, each with its distance from the upper
   * edge, in pixels.
   */
  #held: { element: Element; top: number }[] = [];
  /** How far it was scrolled then. */
  #lastTop = 0;

  /** The end is read, also when more comes. */
  following = (): boolean => this.#following;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Watches a frame that scrolls a list, with whatever stands above and below the list in one element. */
  attach(frame: HTMLElement, list: Element): () => void {
    this.#frame = frame;
    this.#list = list;
    if (typeof ResizeObserver === "undefined") return () => {};
    // It runs before anything is drawn.
    const observer = new ResizeObserver(() => this.keep());
    for (const each of [frame, frame.firstElementChild]) if (each) observer.observe(each);
    return () => observer.disconnect();
  }

  /** Restores the scroll position after content above has changed. */
  keep(): void {
    const frame = this.#frame;
    if (!frame) return;
    if (this.#following) frame.scrollTop = frame.scrollHeight;
    else {
      const kept = this.#held.findLast(({ element }) => element.isConnected);
      const scrolled = frame.scrollTop - this.#lastTop;
      const moved = kept ? this.#below(kept.element) - kept.top + scrolled : 0;
      if (Math.abs(moved) >= 1) frame.scrollTop += moved;
    }
    this.#hold();
  }

  toEnd(): void {
    this.#follow(true);
    this.keep();
  }

  /** Shows a message so far below the upper edge; null when it is not there. */
  show({ message, top }: Reading): HTMLElement | null {
    const frame = this.#frame;
    const element = frame?.querySelector<HTMLElement>(`[data-message="${CSS.escape(message)}"]`);
    if (!frame || !element) return null;
    this.#follow(false);
    // Not scrollIntoView, which may move the shell as well.
    frame.scrollTop += this.#below(element) - top;
    this.#hold();
    return element;
  }

  /** Handles a scroll. A list whose end is not loaded cannot be followed. */
  scrolled(endIsThere: boolean): void {
    const frame = this.#frame;
    if (!frame) return;
    const below = frame.scrollHeight - frame.scrollTop - frame.clientHeight;
    // Only a move upwards means that the reader left: the text may have grown
    // between a scroll to the end and its event.
    const left = frame.scrollTop < this.#lastTop;
    this.#follow(endIsThere && (below < nearEndPixels || (this.#following && !left)));
    if (this.#following) this.#hold();
    else this.keep();
  }

  /** Null for the end. */
  reading(): Reading | null {
    const shown = this.#held[0]?.element;
    const element = shown?.querySelector("[data-message]") ?? shown;
    const message = element?.getAttribute("data-message");
    return this.#following || !element || !message ? null : { message, top: this.#below(element) };
  }

  #follow(following: boolean): void {
    if (following === this.#following) return;
    this.#following = following;
    for (const listener of this.#listeners) listener();
  }

  #hold(): void {
    if (!this.#frame) return;
    this.#lastTop = this.#frame.scrollTop;
    const edge = this.#frame.getBoundingClientRect().top;
    this.#held = [];
    for (let inside = this.#list; inside && this.#held.length < depth;) {
      const element: Element | undefined = inside.children[firstBelow(inside.children, edge)];
      if (element) this.#held.push({ element, top: this.#below(element) });
      inside = element ?? null;
    }
  }

  #below(element: Element): number {
    return element.getBoundingClientRect().top - (this.#frame?.getBoundingClientRect().top ?? 0);
  }
}

/** The first that ends below an edge; they stand below each other. */
function firstBelow(elements: HTMLCollection, edge: number): number {
  let [low, high] = [0, elements.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((elements[middle]?.getBoundingClientRect().bottom ?? 0) > edge) high = middle;
    else low = middle + 1;
  }
  return low;
}
