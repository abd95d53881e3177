import { ERRORS, type ErrorCode } from './catalogue.ts';
import type { ErrorSpec } from './spec.ts';

/** Title, cause and cure of a code, for people. */
export type Explanation = Pick<ErrorSpec, 'title' | 'cause' | 'cure'>;

const RETRY: Readonly<Record<ErrorSpec['retry'], string>> = {
  never: 'The same call fails again; change it first.',
  later: 'The same call can succeed later.',
};

/** Explains a code, also one that a node of another release has stored. */
export function explainCode(code: string): Explanation {
  if (!Object.hasOwn(ERRORS, code)) {
    return { title: code, cause: 'A code of another release.', cure: 'See its documentation.' };
  }
  const { title, cause, cure } = ERRORS[code as ErrorCode];
  return { title, cause, cure };
}

/** Lists the documented facts about a code: names with their texts, in which backticks mark code. */
export function factsOf(spec: ErrorSpec): (readonly [name: string, text: string])[] {
  return [['Cause', spec.cause], ['Cure', spec.cure], ['Retry', RETRY[spec.retry]], ...wireForms(spec)];
}

function wireForms({ verify, verifyItem, verifyItem4, signin, refresh, exit }: ErrorSpec) {
  const forms: (readonly [name: string, text: string])[] = [];
  if (verify !== undefined) {
    const { status, code, detail, attribute } = verify;
    const text = `${status} \`${code}\`, ${quoted(detail)}${named(attribute)}`;
    forms.push(['Verification, whole request', text]);
  }
  if (verifyItem !== undefined) {
    const { code, detail, attribute } = verifyItem;
    forms.push(['Verification, one item', `\`${code}\`, ${quoted(detail)}${named(attribute)}`]);
  }
  if (verifyItem4 !== undefined) {
    const { code, detail } = verifyItem4;
    forms.push(['Verification, one item of World ID 4.0', `\`${code}\`, ${quoted(detail)}`]);
  }
  if (signin !== undefined) {
    const { status, code, error, text } = signin;
    forms.push(['Sign-in and wallet bridge', `${status} \`${code}\`, error \`${error}\`, ${quoted(text)}`]);
  }
  if (refresh !== undefined) {
    const { status, error, text } = refresh;
    const code = error === undefined ? 'without `error`' : `\`${error}\``;
    forms.push(['Credential refresh', `${status} ${code}, ${quoted(text)}`]);
  }
  if (exit !== undefined) forms.push(['Exit code of a command', String(exit)]);
  return forms;
}

function quoted(text: string | undefined): string {
  return text === undefined ? 'with a detail that depends on the request' : `“${text}”`;
}

function named(attribute: string | undefined): string {
  return attribute === undefined ? '' : `, attribute \`${attribute}\``;
}
