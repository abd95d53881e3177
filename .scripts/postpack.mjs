/**
 * Checks that a package has what its manifest exports: `npm pack` packs what is there, and another command may have been
 * building it anew. A tarball without it is removed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fail, root } from './tools.mjs';

const { name, version, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const targets = (value) => (typeof value === 'string' ? [value] : Object.values(value).flatMap(targets));
const paths = targets(exports).map((path) => path.replace(/^\.\//, ''));
const expected = [...new Set(paths)].filter((path) => !path.includes('*'));
const tarball = join(process.env.npm_config_pack_destination ?? process.cwd(), `${name}-${version}.tgz`);
const isWritten = existsSync(tarball);
const listed = isWritten ? spawnSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).stdout.split('\n') : [];
const isThere = (path) => (isWritten ? listed.includes(`package/${path}`) : existsSync(join(root, path)));
const missing = expected.filter((path) => !isThere(path));
if (missing.length > 0) {
  rmSync(tarball, { force: true });
  fail(`the package lacks ${missing.join(', ')}: run npm pack again, without another build beside it`);
}
