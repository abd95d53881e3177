import { type BuildApp, runCli } from './cli/index.ts';

/** Loads the service on demand: only `serve` needs it, and loading takes longer than most commands run. */
const buildApp: BuildApp = async (config, options) => {
  const app = await import('./app/app.ts');
  return await app.buildApp(config, options);
};

process.exitCode = await runCli(process.argv.slice(2), { buildApp });
