import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { whileBusy } from '../../dom.ts';
import { explainProblem, Problem } from '../api/problem.ts';
import { type FieldSpec, field } from '../parts/fields.tsx';
import { brandMark } from '../parts/icons.tsx';

/** Settings of the form. */
export interface SignInProps {
  /** Reason why the form is shown again; empty at first. */
  readonly reason: string;
  /** Tries a token; rejects with a `Problem`. */
  readonly submit: (token: string) => Promise<void>;
}

const TOKEN: FieldSpec = {
  label: 'Admin token',
  kind: 'password',
  hint: 'The setting admin.token, or a token that “proofgate admin-tokens add” printed. In development it is in the file admin-token of the data folder.',
  attributes: { autocomplete: 'current-password', required: true, maxlength: 512 },
};

/** The form for the admin token. */
export function SignIn({ reason, submit }: SignInProps): VNode {
  const form = useRef<HTMLFormElement>(null);
  const [error, setError] = useState<string>();
  const focus = (): void => form.current?.querySelector('input')?.focus();
  useLayoutEffect(focus, []);
  const send = (value: string) => async (): Promise<void> => {
    setError(undefined);
    try {
      if (value === '') throw new Problem(401);
      await submit(value);
    } catch (thrown) {
      setError(refusalOf(thrown, value));
      focus();
    }
  };
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    const value = form.current?.querySelector('input')?.value ?? '';
    if (event.submitter instanceof HTMLElement) void whileBusy(event.submitter, send(value.trim()));
  };
  return (
    <main class="sign-in">
      <section aria-labelledby="sign-in-title">
        <h1 id="sign-in-title">
          {brandMark()}
          Proofgate
        </h1>
        <p class="muted">Dashboard for operators</p>
        <form noValidate ref={form} onSubmit={onSubmit}>
          <p class="status" role="status">
            {reason}
          </p>
          {field('token', TOKEN, undefined, error)}
          <button type="submit" class="primary">
            Sign in
          </button>
        </form>
        <p class="hint">
          The token stays in this tab and is forgotten when you close it. Nothing is loaded from other
          servers.
        </p>
      </section>
    </main>
  );
}

function refusalOf(error: unknown, value: string): string {
  if (value === '') return 'Enter a token.';
  if (error instanceof Problem && error.status === 401) {
    return 'The service does not accept this token. Check that it is complete, of this service, and not expired or revoked.';
  }
  return explainProblem(error);
}
