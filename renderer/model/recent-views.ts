/** The state of what was on screen lately, by session. The least recently shown is closed when there are too many. */
export class RecentViews<View extends { close(): void }> {
  readonly #limit: number;
  readonly #make: (sessionId: string) => View;
  /** The least recently shown first. */
  readonly #views = new Map<string, View>();

  constructor(limit: number, make: (sessionId: string) => View) {
    this.#limit = limit;
    this.#make = make;
  }

  /** The view of a session, which is shown now. */
  of(sessionId: string): View {
    const view = this.#views.get(sessionId) ?? this.#make(sessionId);
    this.#views.delete(sessionId);
    this.#views.set(sessionId, view);
    for (const [id, oldest] of this.#views) {
      if (this.#views.size <= this.#limit) break;
      this.#views.delete(id);
      oldest.close();
    }
    return view;
  }

  /** Closes all views. */
  forget(): void {
    for (const view of this.#views.values()) view.close();
    this.#views.clear();
  }
}
