import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readMigrations } from '../../../src/storage/migrations/migration-files.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Statements with which the former release still runs. */
const ADDITIVE = `create table if not exists next_release (name text not null primary key);
create index if not exists nullifiers_next on nullifiers (app_id, created_at);
`;

/** Matches the source of an entity in the bundled program. */
const ENTITIES =
  /^\/\/ src\/storage\/[\s\S]*?(?=^\/\/ (?!src\/storage\/)(?:src|node_modules|wasm)\/|(?![\s\S]))/gm;

/** The program as its next release may be: with another version and a further migration. */
export interface NextRelease {
  /** Path of the program. */
  readonly program: string;
  readonly version: string;
  /** Number of its migration. */
  readonly migration: number;
  remove(): void;
}

/**
 * Makes the next release from the compiled program. Its migration declares that the former release can run on the store.
 *
 * @param statements - Of its migration.
 * @param edit - Changes its entities; must change one.
 */
export function makeNextRelease(
  statements: string = ADDITIVE,
  edit?: (source: string) => string,
): NextRelease {
  // Within the root, where it finds the same packages.
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.cache', 'next-release-'));
  const own = ['dist', 'package.json', '.cache', '.git'];
  for (const entry of readdirSync(ROOT)) {
    if (!own.includes(entry)) symlinkSync(join(ROOT, entry), join(folder, entry));
  }
  cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true });
  const known = readMigrations().length;
  const number = (version: number): string => String(version).padStart(4, '0');
  const file = join(folder, 'dist', 'storage', 'migrations', `${number(known + 1)}-next.sql`);
  writeFileSync(
    file,
    `-- Adds the tables of the next release.\n-- runs-from: ${number(known)}\n${statements}`,
  );
  if (edit !== undefined) {
    const place = join(folder, 'dist');
    let isChanged = false;
    for (const name of readdirSync(place, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.js') || /^(?:client|library)\//.test(name)) continue;
      const source = readFileSync(join(place, name), 'utf8');
      const changed = source.replace(ENTITIES, edit);
      isChanged ||= changed !== source;
      writeFileSync(join(place, name), changed);
    }
    if (!isChanged) throw new Error('no entity of the program was changed');
  }
  const version = '99.0.0';
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as object;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, version }));
  return {
    program: join(folder, 'dist', 'main.js'),
    version,
    migration: known + 1,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
