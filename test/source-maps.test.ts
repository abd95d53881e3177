import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PROGRAM } from './support/server/program.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** Has the program print a stack trace of the moment at which it writes its answer. */
const PRELOAD = `data:text/javascript,${encodeURIComponent(`
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = () => write(new Error('probe').stack);
`)}`;

describe('a stack trace of the bundled program', () => {
  const trace = execFileSync(process.execPath, [`--import=${PRELOAD}`, PROGRAM, 'hash', 'signal', 'x'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const sites = trace.split('\n').slice(1);

  it('begins with the error, as without maps', () => {
    expect(trace.split('\n')[0]).toBe('Error: probe');
    expect(sites.every((site) => site.startsWith('    at '))).toBe(true);
  });

  it('names the function, the source and its line', () => {
    const site = sites.find((line) => line.includes('writeText'));
    const [, file = '', line] = /\((file:.*):(\d+):\d+\)$/.exec(site ?? '') ?? [];
    expect(file).toBe(new URL('../src/cli/output/output.ts', import.meta.url).href);
    const source = readFileSync(new URL(file), 'utf8').split('\n');
    expect(source[Number(line) - 1]).toContain('.write(');
  });

  it('leaves places in Node as they are', () => {
    expect(sites.some((site) => /\(node:internal\/|data:text/.test(site))).toBe(true);
    expect(trace).not.toContain('/dist/');
  });
});
