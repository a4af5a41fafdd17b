/** Receives the system whose health has changed, undefined for any. */
type Reader = (system: string | undefined) => void;

/** Distributes health events of the change stream, while a reader is subscribed. */
class HealthNews {
  #told = false;
  readonly #readers = new Set<Reader>();
  readonly #listeners = new Set<() => void>();

  /** Whether health events are being received. */
  readonly isTold = (): boolean => this.#told;

  readonly isAsked = (): boolean => this.#readers.size > 0;

  /** Hears when either becomes otherwise. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Subscribes to health changes until the returned function is called. */
  hear(reader: Reader): () => void {
    this.#readers.add(reader);
    this.#changed();
    return () => {
      this.#readers.delete(reader);
      this.#changed();
    };
  }

  /** Called by the follower of the stream, as is setTold. */
  say(system?: string): void {
    for (const reader of this.#readers) reader(system);
  }

  setTold(told: boolean): void {
    if (this.#told === told) return;
    this.#told = told;
    this.#changed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

export const healthNews = new HealthNews();
