#!/usr/bin/env node
/**
 * The bin `proofgate`. In a checkout it sets up what a command needs and runs it. In the package of the library, which
 * has no service, it hands over to the package proofgate-server.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const steps = new URL('./steps.mjs', import.meta.url);

async function runCheckout() {
  const { ensureForCommand, ensureForService } = await import(steps.href);
  const [command, ...argv] = process.argv.slice(2);
  await (command === 'serve' ? ensureForService : ensureForCommand)(argv);
  await import('../dist/main.js');
}

/** Finds the server's program beside the library or in the caller's project. */
function serverProgram() {
  for (const from of [import.meta.url, pathToFileURL(join(process.cwd(), 'package.json'))]) {
    try {
      return createRequire(from).resolve('proofgate-server/dist/main.js');
    } catch {
      // not installed there
    }
  }
  return undefined;
}

async function runServerPackage() {
  const program = serverProgram();
  if (program !== undefined) return await import(pathToFileURL(program).href);
  process.stderr.write(
    'proofgate: this package is the library. The service and its commands are in proofgate-server:\n' +
      '  npm install proofgate-server\n',
  );
  process.exitCode = 78;
}

await (existsSync(steps) ? runCheckout() : runServerPackage());
