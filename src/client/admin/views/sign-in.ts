import { element, whileBusy } from '../../dom.ts';
import { explainProblem, Problem } from '../api/problem.ts';
import { formField } from '../parts/form.ts';
import { brandMark } from '../parts/icons.ts';

/** Settings of the form. */
export interface SignInParts {
  /** Why the form is shown again; empty at first. */
  readonly reason: string;
  /** Tries a token; rejects with a `Problem`. */
  readonly submit: (token: string) => Promise<void>;
}

/** Creates the form that asks for the admin token. */
export function signInView({ reason, submit }: SignInParts): { readonly node: HTMLElement; focus(): void } {
  const control = element('input', {
    ...{ type: 'password', name: 'token', autocomplete: 'current-password', required: true },
    ...{ spellcheck: 'false', maxlength: '512' },
  });
  const hint =
    'The setting admin.token, or a token that “proofgate admin-tokens add” printed. In development it is in the file admin-token of the data folder.';
  const token = formField('token', 'Admin token', control, hint);
  const press = element('button', { class: 'primary' }, 'Sign in');
  const status = element('p', { class: 'status', role: 'status' }, reason);
  const form = element('form', { novalidate: true }, status, token.node, press);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void whileBusy(press, async () => {
      token.fail('');
      const value = control.value.trim();
      try {
        if (value === '') throw new Problem(401);
        await submit(value);
      } catch (error) {
        token.fail(refusal(error, value));
        control.focus();
      }
    });
  });
  const note =
    'The token stays in this tab and is forgotten when you close it. Nothing is loaded from other servers.';
  const node = element(
    'main',
    { class: 'sign-in' },
    element(
      'section',
      { 'aria-labelledby': 'sign-in-title' },
      element('h1', { id: 'sign-in-title' }, brandMark(), 'Proofgate'),
      element('p', { class: 'muted' }, 'Dashboard for operators'),
      form,
      element('p', { class: 'hint' }, note),
    ),
  );
  return { node, focus: () => control.focus() };
}

function refusal(error: unknown, value: string): string {
  if (value === '') return 'Enter a token.';
  if (error instanceof Problem && error.status === 401) {
    return 'The service does not accept this token. Check that it is complete, of this service, and not expired or revoked.';
  }
  return explainProblem(error);
}
