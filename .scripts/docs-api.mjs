/**
 * `npm run docs:api`: builds the API documentation of the TypeScript sources (TypeDoc, `.typedoc.json`) and of the Rust
 * crates, which is skipped by name without cargo and fails then in CI. A warning of either is an error.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { checkPlatform, ensurePackages } from './steps.mjs';
import { fail, root, say } from './tools.mjs';

checkPlatform();
ensurePackages();

const typedoc = join(root, 'node_modules', 'typedoc', 'bin', 'typedoc');
const options = join(root, '.typedoc.json');
run('TypeDoc', process.execPath, [typedoc, '--options', options, '--logLevel', 'Warn'], root);
say('TypeScript: .docs/api/typescript/index.html');

if (spawnSync('cargo', ['--version'], { stdio: 'ignore' }).status === 0) {
  run('cargo doc', 'cargo', ['doc', '--no-deps', '--locked', '--quiet'], join(root, 'native'));
  say('Rust: native/target/doc/proofgate_core/index.html');
} else if (process.env.CI === 'true') {
  fail('the Rust documentation cannot be built: cargo is not installed');
} else {
  say('skipped: the Rust documentation: cargo is not installed');
}

function run(name, command, args, cwd) {
  const env = { ...process.env, RUSTDOCFLAGS: '-D warnings' };
  const { status } = spawnSync(command, args, { cwd, env, stdio: 'inherit' });
  if (status !== 0) fail(`${name} ended with status ${status}`);
}
