import { type ComponentChildren, type Context, createContext, type FunctionComponent } from 'preact';
import { useContext } from 'preact/hooks';
import type { AdminClient } from './api/client.ts';
import type { Caller } from './api/session.ts';
import type { LiveFeed } from './charts/live-feed.ts';

/** Everything that a view reaches. */
export interface ViewContext {
  readonly api: AdminClient;
  readonly caller: Caller;
  /** Parts of the path after the name of the view: `['app_…']` for `#/apps/app_…`. */
  readonly path: readonly string[];
  /** Parameters of the address. */
  readonly query: URLSearchParams;
  /** Fires when the view is left. */
  readonly signal: AbortSignal;
  /** Readings of the metrics, which outlive the view. */
  readonly feed: LiveFeed;
  /**
   * Announces a text, also to screen readers, without moving the focus.
   *
   * @param mood - Also shows the text; without a mood it is only announced.
   * @param links - Shown after the text.
   */
  announce(text: string, mood?: 'good' | 'bad', links?: ComponentChildren): void;
  /** Opens another address of the page, without `#`. */
  open(address: string): void;
  /** Renders the view again. */
  reload(): void;
  /** Replaces the parameters of the address without a new entry in the history. */
  remember(query: Readonly<Record<string, string>>): void;
  /** Sets the heading and the title of the document, once the name of an object is known. */
  rename(title: string): void;
}

/** Passes the context to the parts of a view. */
export const CurrentView: Context<ViewContext | undefined> = createContext<ViewContext | undefined>(
  undefined,
);

/** Returns the context of the view that a component is part of. */
export function useView(): ViewContext {
  const context = useContext(CurrentView);
  if (context === undefined) throw new Error('expected a component of a view');
  return context;
}

/** One view: its title and what fills it. */
export interface View {
  readonly title: string;
  /** A sentence below the heading. */
  readonly lead?: string;
  readonly Content: FunctionComponent;
}
