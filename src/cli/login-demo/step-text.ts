const ACTORS: Readonly<Record<ShownStep['actor'], string>> = {
  app: 'the app',
  browser: 'the browser',
  wallet: 'the wallet',
};

/** Matches a list without lists or objects in it, which is shown in one line. */
const FLAT_LIST = /\[[^[\]{}]*\]/g;

/**
 * Formats a step as a paragraph: who does what, the request, the response, and what the actor reads in it.
 */
export function stepText({ step, actor, title, request, response, reads }: ShownStep): string {
  const lines = [`${step}. [${ACTORS[actor]}] ${title}`];
  if (request !== undefined) {
    const [address = '', query] = String(request.url).split('?', 2);
    lines.push(`   → ${String(request.method)} ${address}${query === undefined ? '' : '?'}`);
    lines.push(
      ...queryFields(query),
      ...named(request.headers, ': '),
      ...named(request.form, '='),
      ...json(request.json),
    );
  }
  if (response !== undefined) {
    lines.push(`   ← ${String(response.status)}`);
    lines.push(...named(response.headers, ': '), ...json(response.json));
    if (response.page !== undefined) lines.push(`     (${String(response.page)})`);
  }
  if (reads !== undefined) lines.push('   reads', ...json(reads));
  return `${lines.join('\n')}\n`;
}

function named(members: unknown, separator: string): string[] {
  return Object.entries(members ?? {}).map(([name, value]) => `     ${name}${separator}${String(value)}`);
}

/** Formats the fields of a query, decoded and one per line, which is easier to read. */
function queryFields(query: string | undefined): string[] {
  return [...new URLSearchParams(query)].map(([name, value]) => `     ${name}=${value}`);
}

function json(value: unknown): string[] {
  if (value === undefined) return [];
  return JSON.stringify(value, undefined, 2)
    .replaceAll(FLAT_LIST, (list) => list.replaceAll(/\s*\n\s*/g, ' '))
    .split('\n')
    .map((line) => `     ${line}`);
}

/** Role that the command plays in a step. */
export type Actor = 'app' | 'browser' | 'wallet';

/** Step as it is printed: one line of JSON, or a paragraph. */
export interface ShownStep {
  readonly step: number;
  readonly actor: Actor;
  readonly title: string;
  readonly request?: Readonly<Record<string, unknown>>;
  readonly response?: Readonly<Record<string, unknown>>;
  /** Content of the response that only the actor can read: decrypted, decoded or checked. */
  readonly reads?: unknown;
}
