import { confirmDialog, type Question } from '../../confirm-dialog.ts';
import { type Attributes, button } from '../../dom.ts';
import { explainProblem } from '../api/problem.ts';
import type { ViewContext } from '../context.ts';
import { guard } from './form.ts';
import { linksOf } from './problem-note.ts';

/** Settings of a button that changes something. */
export interface ActionParts {
  readonly text: string;
  readonly context: Pick<ViewContext, 'caller' | 'announce'>;
  /** Asked before; nothing is asked if it is absent. */
  readonly question?: Question;
  /** Changes something and returns what to say about it. */
  readonly run: () => Promise<string>;
  readonly attributes?: Attributes;
}

/** Creates a button that asks, changes something and says what came of it; disabled for a token that may only read. */
export function actionButton({ text, context, question, run, attributes }: ActionParts): HTMLButtonElement {
  const press = async (): Promise<void> => {
    if (question !== undefined && !(await confirmDialog(question))) return;
    try {
      context.announce(await run(), 'good');
    } catch (error) {
      context.announce(explainProblem(error), 'bad', linksOf(error));
    }
  };
  return guard(button(text, press, attributes), context);
}
