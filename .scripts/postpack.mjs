/**
 * Checks that a package has what its manifest exports: `npm pack` packs what is there, and another command may have been
 * building it anew. A tarball without it is removed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { libraryFolder } from './library.mjs';
import { fail } from './tools.mjs';

const { name, version, exports } = JSON.parse(readFileSync(join(libraryFolder, 'package.json'), 'utf8'));
const targets = (value) => (typeof value === 'string' ? [value] : Object.values(value).flatMap(targets));
const paths = targets(exports).map((path) => path.replace(/^\.\//, ''));
const expected = [...new Set(paths)].filter((path) => !path.includes('*'));
// Scripts of a workspace run in its folder; INIT_CWD is that of the caller.
const { INIT_CWD: caller = '', npm_config_pack_destination: destination = '' } = process.env;
const tarball = resolve(caller, destination, `${name}-${version}.tgz`);
const isWritten = existsSync(tarball);
const listed = isWritten ? spawnSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).stdout.split('\n') : [];
const isThere = (path) =>
  isWritten ? listed.includes(`package/${path}`) : existsSync(join(libraryFolder, path));
const missing = expected.filter((path) => !isThere(path));
if (missing.length > 0) {
  rmSync(tarball, { force: true });
  fail(`the package lacks ${missing.join(', ')}: run npm pack again, without another build beside it`);
}
