#!/usr/bin/env node
import './source-maps.ts';
import type { BuildApp, FindHttpLibrary } from './cli/program/command.ts';
import { handleEarlySignals } from './cli/program/signals.ts';

/** Only `serve` needs the service, and loading it takes longer than most commands run. */
const buildApp: BuildApp = async (config, options) => {
  const app = await import('./app/app.ts');
  return await app.buildApp(config, options);
};

/** Only `doctor` and the service load the HTTP library. */
const findHttpLibrary: FindHttpLibrary = async ({ http, dataDir }) => {
  const { loadHttpLibrary } = await import('./http/library/load-http-library.ts');
  return loadHttpLibrary(http.library, dataDir).facts;
};

const argv = process.argv.slice(2);
handleEarlySignals(argv);
// Loaded on demand: signals may come meanwhile.
const { runCli } = await import('./cli/cli.ts');
process.exitCode = await runCli(argv, { buildApp, findHttpLibrary });
