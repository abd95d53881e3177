import type { DemoConfig } from '../../pages.ts';
import { button, element, statusLine } from '../dom.ts';
import { type Call, getWithToken, NoAnswer, postForm } from './calls.ts';
import { callView, section } from './views.ts';

/** Values of a finished sign-in that can be misused. */
export interface Leftovers {
  readonly accessToken: string | undefined;
  /** Form fields of the code exchange; undefined if there was no code. */
  readonly exchange: Readonly<Record<string, string>> | undefined;
}

/** Creates buttons that misuse a sign-in or end it, and show the answer of the service. */
export function misuseSection(
  config: DemoConfig,
  { accessToken, exchange }: Leftovers,
): HTMLElement | undefined {
  const { token, userinfo, revoke } = config.urls;
  const line = statusLine();
  const calls = element('div', { class: 'panel' });
  const attempt =
    (work: () => Promise<{ readonly words: string; readonly made: readonly Call[] }>) => async () => {
      line.say('Asking the service…', 'busy');
      try {
        const { words, made } = await work();
        calls.replaceChildren(...made.map(callView));
        line.say(words, 'good');
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        line.say('The service does not answer.', 'bad');
      }
    };
  const askAgain = async (): Promise<Call[]> =>
    accessToken === undefined ? [] : [await getWithToken(userinfo, accessToken)];

  const buttons: HTMLElement[] = [];
  if (exchange !== undefined) {
    const replay = attempt(async () => {
      const made = [await postForm(token, exchange), ...(await askAgain())];
      return { words: replayWords(made), made };
    });
    buttons.push(button('Use the code again', replay));
  }
  if (accessToken !== undefined) {
    const end = attempt(async () => {
      const made = [
        await postForm(revoke, { client_id: config.clientId, token: accessToken }),
        ...(await askAgain()),
      ];
      return { words: revocationWords(made), made };
    });
    buttons.push(button('Revoke the access token', end));
  }
  if (buttons.length === 0) return undefined;
  return section(
    'Try what must not work',
    element(
      'p',
      {},
      'A code works once: using it again is refused, and ends the access token that it gave. A revoked access token opens nothing any more.',
    ),
    element('div', { class: 'buttons' }, ...buttons),
    line.node,
    calls,
  );
}

function replayWords([again, after]: readonly Call[]): string {
  const isRefused = again?.body.error === 'invalid_grant';
  if (!isRefused) return `The service answered ${again?.status} to the second use of the code.`;
  const isEnded = after?.status === 401;
  return `Refused: the code was used already (invalid_grant).${isEnded ? ' The access token is revoked: /userinfo answers 401.' : ''}`;
}

function revocationWords([revoked, after]: readonly Call[]): string {
  if (revoked?.status !== 200) return `The service answered ${revoked?.status} to the revocation.`;
  return `Revoked: /userinfo now answers ${after?.status}.`;
}
