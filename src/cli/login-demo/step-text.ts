import type { ShownStep } from './steps.ts';

const ACTORS: Readonly<Record<ShownStep['actor'], string>> = {
  app: 'the app',
  browser: 'the browser',
  wallet: 'the wallet',
};

/** A step as a paragraph: who does what, the request, the answer, and what is to be read in it. */
export function stepText({ step, actor, title, request, response, reads }: ShownStep): string {
  const lines = [`${step}. [${ACTORS[actor]}] ${title}`];
  if (request !== undefined) {
    lines.push(`   → ${String(request.method)} ${String(request.url)}`);
    lines.push(...named(request.headers, ': '), ...named(request.form, '='), ...json(request.json));
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

function json(value: unknown): string[] {
  if (value === undefined) return [];
  return JSON.stringify(value, undefined, 2)
    .split('\n')
    .map((line) => `     ${line}`);
}
