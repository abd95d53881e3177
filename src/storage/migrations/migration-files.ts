import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

const FILE_NAME = /^(\d{4})-([a-z0-9-]+)\.sql$/;
const RUNS_FROM = /^-- runs-from: (\d{4})$/m;

/** One numbered file of the folder `migrations`. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  /** Purpose: the first sentence of the file, a comment. */
  readonly summary: string;
  /**
   * Lowest version that a program must know to run on the store afterwards, as the file declares; by default the
   * version itself, so that no earlier program runs.
   */
  readonly runsFrom: number;
  /** SHA-256 of the text, hexadecimal. */
  readonly checksum: string;
  readonly statements: readonly string[];
}

/** Folder of the migrations, next to this file; the build copies it. */
export const MIGRATIONS_FOLDER: URL = new URL('./', import.meta.url);

let own: readonly Migration[] | undefined;

/**
 * Reads the migrations of a folder by number; those of this program once. Each has one or more statements, each ended by
 * `;`.
 */
export function readMigrations(folder?: URL): readonly Migration[] {
  if (folder !== undefined) return readFolder(folder);
  own ??= readFolder(MIGRATIONS_FOLDER);
  return own;
}

function readFolder(folder: URL): Migration[] {
  return readdirSync(folder)
    .sort()
    .flatMap((file) => {
      const [, version, name] = FILE_NAME.exec(file) ?? [];
      if (version === undefined || name === undefined) return [];
      return [parseMigration(Number(version), name, readFileSync(new URL(file, folder), 'utf8'))];
    });
}

function parseMigration(version: number, name: string, source: string): Migration {
  const text = source.replaceAll('\r\n', '\n');
  const statements = text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('--'))
    .join('\n')
    .split(/;\s*(?:\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  const runsFrom = Number(RUNS_FROM.exec(text)?.[1] ?? version);
  const checksum = createHash('sha256').update(text).digest('hex');
  return { version, name, summary: firstSentence(text), runsFrom, checksum, statements };
}

/** Returns the first sentence of the comment at the head of a file; empty if there is none. */
function firstSentence(text: string): string {
  const comment = /^(?:--.*\n)*/.exec(text)?.[0].replaceAll(/^-- ?/gm, '').replaceAll('\n', ' ') ?? '';
  return /^.*?\.(?= |$)/.exec(comment)?.[0] ?? comment.trim();
}
