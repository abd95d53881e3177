/**
 * Snippets of the guides. Each fenced block names its file, for example `ts file=server.ts`, and tests run that text:
 * what a reader copies is what was run.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';

/** Folder of the repository. */
export const ROOT: string = fileURLToPath(new URL('../../../../', import.meta.url));
/** Folder of the guides. */
export const GUIDES: string = join(ROOT, 'src/docs/guides');
/** Address of the service in the guides, which tests replace by that of theirs. */
export const GUIDE_ADDRESS = 'http://localhost:8080';

/** A fenced block of a guide. */
export interface Snippet {
  /** Name of the guide, without `.md`. */
  readonly guide: string;
  readonly language: string;
  /** Path below the folder of the reader; undefined if the block names none. */
  readonly file: string | undefined;
  /** Whether the block says that tests cannot run it: `sh by=hand`. */
  readonly isByHand: boolean;
  readonly text: string;
}

const BLOCK = /^```(\w*)(?: file=(\S+)| (by=hand))?[^\n]*\n(.*?)^```$/gms;

/** Reads the fenced blocks of a guide, in order. */
export function snippetsOf(guide: string): Snippet[] {
  const page = readFileSync(join(GUIDES, `${guide}.md`), 'utf8');
  return [...page.matchAll(BLOCK)].map(([, language = '', file, byHand, text = '']) => ({
    guide,
    language,
    file,
    isByHand: byHand !== undefined,
    text,
  }));
}

/** Reads one block of a guide by its file. */
export function snippet(guide: string, file: string): string {
  const found = snippetsOf(guide).filter((block) => block.file === file);
  if (found[0] === undefined || found.length > 1)
    throw new Error(`expected one block ${file} in ${guide}.md, got ${found.length}`);
  return found[0].text;
}

/** Imports a block of TypeScript, which may import modules of Node alone. */
export async function importSnippet<T>(guide: string, file: string): Promise<T> {
  const { code } = await transform(snippet(guide, file), { loader: 'ts' });
  return (await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`)) as T;
}

/** Reads a block with JSON. */
export function jsonSnippet(guide: string, file: string): Record<string, unknown> {
  return JSON.parse(snippet(guide, file)) as Record<string, unknown>;
}

/** The folder of a reader who follows a guide. */
export interface Scratch {
  readonly folder: string;
  /** Writes a block under the name of its file. Returns its path. */
  add(guide: string, file: string): string;
  /** Writes another file. Returns its path. */
  write(file: string, text: string): string;
  end(): void;
}

/** Makes an empty folder with the npm packages of the repository, for blocks of TypeScript and JavaScript. */
export function makeScratch(): Scratch {
  const folder = mkdtempSync(join(tmpdir(), 'proofgate-guide-'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  return scratchAt(folder);
}

/** Uses a folder that exists, with packages of its own. `end` removes it, unless it is kept. */
export function scratchAt(folder: string, isKept = false): Scratch {
  const write = (file: string, text: string): string => {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  return {
    folder,
    write,
    add: (guide, file) => write(file, snippet(guide, file)),
    end: () => {
      if (!isKept) rmSync(folder, { recursive: true, force: true });
    },
  };
}
