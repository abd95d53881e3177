import type { VNode } from 'preact';
import { confirmDialog } from '../../confirm-dialog.ts';
import { whileBusy } from '../../dom.ts';
import { explainProblem } from '../api/problem.ts';
import { useView, type ViewContext } from '../context.ts';
import { linkOf } from './content.tsx';

/** Attributes of a button that a token of scope read may not press. */
export interface Guard {
  readonly disabled?: true;
  readonly title?: string;
}

/** Returns the attributes of a button that changes something. @param isReading - Whether it changes nothing. */
export function useGuard(isReading = false): Guard {
  const { caller } = useView();
  return isReading || caller.scope === 'write' ? {} : { disabled: true, title: 'Your token may only read.' };
}

/** Sentence with the reason why buttons are disabled. */
export const READ_ONLY_NOTE: string = 'Your token may only read. A token of scope write can change this.';

/** Parts of a button. */
interface ButtonParts extends Guard {
  readonly class?: 'primary' | 'danger' | undefined;
  /** Name of the button where its text does not say enough. */
  readonly 'aria-label'?: string | undefined;
}

/** Returns a button. While the work of one press runs, further presses do nothing. */
export function button(text: string, press: () => Promise<void> | void, parts: ButtonParts = {}): VNode {
  return (
    <button type="button" {...parts} onClick={({ currentTarget }) => void whileBusy(currentTarget, press)}>
      {text}
    </button>
  );
}

/** Parts of a button that changes something. */
export interface ActionParts<T> {
  readonly text: string;
  /** Name of the button where its text does not say enough. */
  readonly label?: string;
  readonly mood?: 'primary' | 'danger' | undefined;
  /** Confirmation dialog, optionally with the text of its button; absent for none. */
  readonly ask?: readonly [title: string, text: string, confirm?: string] | undefined;
  readonly run: (context: ViewContext) => Promise<T>;
  /** Shows what was changed; opens the view again if absent. */
  readonly after?: (context: ViewContext) => Promise<void> | void;
  /** Returns what to say about it, and how. */
  readonly done: (result: T) => string | readonly [text: string, mood: 'good' | 'bad'];
}

/**
 * Returns a button that asks for confirmation, makes a change and reports the outcome; disabled for a read-only token.
 */
export function action<T>(parts: ActionParts<T>): VNode {
  return <Action {...parts} />;
}

function Action<T>({ text, label, mood, ask, run, after, done }: ActionParts<T>): VNode {
  const context = useView();
  const press = async (): Promise<void> => {
    const [title, what, confirm = text] = ask ?? ['', ''];
    if (ask !== undefined && !(await confirmDialog({ title, text: what, action: confirm }))) return;
    try {
      const result = await run(context);
      await (after ?? context.reload)(context);
      const said = done(result);
      if (typeof said === 'string') context.announce(said, 'good');
      else context.announce(...said);
    } catch (error) {
      context.announce(explainProblem(error), 'bad', linkOf(error));
    }
  };
  return button(text, press, { class: mood, 'aria-label': label, ...useGuard() });
}
