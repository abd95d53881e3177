import type { ComponentChildren, VNode } from 'preact';
import { confirmDialog, type Question } from '../../confirm-dialog.ts';
import { whileBusy } from '../../dom.ts';
import { explainProblem } from '../api/problem.ts';
import { useView, type ViewContext } from '../context.ts';
import { linkOf } from './problem.tsx';

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

/** The sentence that says why buttons are disabled. */
export function ReadOnlyNote(): VNode {
  return <p class="hint">Your token may only read. A token of scope write can change this.</p>;
}

/** Parts of a button. */
export interface ButtonProps extends Guard {
  readonly press: () => Promise<void> | void;
  readonly class?: 'primary' | 'danger' | undefined;
  /** Name of the button where its text does not say enough. */
  readonly label?: string | undefined;
  readonly children: ComponentChildren;
}

/** A button. While the work of one press runs, further presses do nothing. */
export function Button({ press, label, children, ...attributes }: ButtonProps): VNode {
  return (
    <button
      type="button"
      aria-label={label}
      {...attributes}
      onClick={({ currentTarget }) => void whileBusy(currentTarget, press)}
    >
      {children}
    </button>
  );
}

/** Parts of a button that changes something. */
export interface ActionProps extends Pick<ButtonProps, 'class' | 'label'> {
  readonly text: string;
  /** Asked before; nothing is asked if it is absent. */
  readonly question?: Question | undefined;
  /** Changes something and returns what to say about it; nothing if it has said so itself. */
  readonly run: (context: ViewContext) => Promise<string | undefined>;
}

/** A button that asks, changes something and says what came of it; disabled for a token that may only read. */
export function Action({ text, question, run, ...attributes }: ActionProps): VNode {
  const context = useView();
  const { announce } = context;
  const guard = useGuard();
  const press = async (): Promise<void> => {
    if (question !== undefined && !(await confirmDialog(question))) return;
    try {
      const said = await run(context);
      if (said !== undefined) announce(said, 'good');
    } catch (error) {
      announce(explainProblem(error), 'bad', linkOf(error));
    }
  };
  return (
    <Button press={press} {...attributes} {...guard}>
      {text}
    </Button>
  );
}
