import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

const FILE_NAME = /^(\d{4})-([a-z0-9-]+)\.sql$/;

/** One numbered file of the folder `migrations`. */
export interface Migration {
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
