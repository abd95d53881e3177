import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

const FILE_NAME = /^(\d{4})-([a-z0-9-]+)\.sql$/;

/** Versions of one release are numbered from this multiple of its number, plus 1. */
const VERSIONS_PER_RELEASE = 1000;

/** One numbered file of the folder `migrations`. */
export interface Migration {
  /** The number of its release times 1000, plus its number in the release. */
  readonly version: number;
  readonly name: string;
  /** SHA-256 of the text, hexadecimal. */
  readonly checksum: string;
  readonly statements: readonly string[];
}

/** Folder of the migrations, next to this file; the build copies it. */
export const MIGRATIONS_FOLDER: URL = new URL('./', import.meta.url);

/** Reads the migrations of a folder by number. Each has one or more statements, each ended by `;`. */
export function readMigrations(folder: URL = MIGRATIONS_FOLDER): Migration[] {
  return readdirSync(folder)
    .sort()
    .flatMap((file) => {
      const [, version, name] = FILE_NAME.exec(file) ?? [];
      if (version === undefined || name === undefined) return [];
      return [parseMigration(Number(version), name, readFileSync(new URL(file, folder), 'utf8'))];
    });
}

/** Returns the number of the release that a migration came with; 0 before the first one. */
export function releaseOf(version: number): number {
  return Math.floor(version / VERSIONS_PER_RELEASE);
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
  return { version, name, checksum: createHash('sha256').update(text).digest('hex'), statements };
}
