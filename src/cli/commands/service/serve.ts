import { isServiceError } from '../../../errors/service-error.ts';
import type { Command, CommandContext, RunningApp } from '../../program/command.ts';
import {
  DRAIN_SIGNALS,
  endBySignal,
  listenToServiceSignals,
  noteIgnoredSignal,
} from '../../program/signals.ts';

const EXIT_AFTER_CRASH = 70;

/** `serve`: runs the service until a signal or a failure, then drains it. */
export const serve: Command = {
  path: ['serve'],
  summary: 'run the service and print the URLs to try',
  details:
    'SIGTERM and SIGINT drain it: open requests are finished first. A second signal, or SIGQUIT, ends it immediately. SIGHUP reads changed certificates and secrets again.',
  showsSettings: true,
  options: [{ flags: '--migrate', description: 'apply pending migrations before listening' }],
  run: async (input, context) => {
    let app: RunningApp | undefined;
    let isReloadWanted = false;
    const stopListening = listenToServiceSignals({
      ignored: (signal) => (app === undefined ? noteIgnoredSignal(signal) : app.logIgnoredSignal(signal)),
      reload(signal) {
        if (app !== undefined) return app.onReload(signal);
        isReloadWanted = true;
        context.note(`proofgate: ${signal}: changed files are read again when the service has started`);
      },
    });
    try {
      const { config, ...examined } = await context.examineConfig();
      app = await context.buildApp(config, {
        migrate: input.has('migrate'),
        ...examined,
        examine: () => context.examineConfig(),
        // Standard output contains only the result, so that a program can read it.
        ...(context.isJson ? { logDestination: 'stderr' } : {}),
      });
      if (isReloadWanted) app.onReload('SIGHUP');
      // Before the banner: a reader of it may send a signal.
      const stopped = runUntilStopped(app, context);
      if (context.isJson || config.profile !== 'production') await printBanner(app, context);
      return await stopped;
    } finally {
      stopListening();
    }
  },
};

async function printBanner(app: RunningApp, context: CommandContext): Promise<void> {
  const { publicUrl, adminUrl, verifyUrl, issuerUrl, demoUrl, walletUrl, docsUrl, circuit } = app;
  const { exampleCurl, exampleCurl4, groth16Curl, refreshCurl } = app;
  const lines = [
    '',
    'Proofgate is running.',
    '',
    `  health      ${publicUrl}/healthz`,
    `  readiness   ${adminUrl}/health/ready`,
    `  metrics     ${adminUrl}/metrics`,
    `  dashboard   ${adminUrl}/`,
    `  verify      ${verifyUrl}/api/v4/verify/{rp_id}`,
    ...(groth16Curl === undefined ? [] : [`  any circuit ${verifyUrl}/api/v1/groth16/{key_id}`]),
    `  refresh     ${issuerUrl}/api/v1/refresh`,
    ...(demoUrl === undefined ? [] : [`  sign in     ${demoUrl}`]),
    ...(walletUrl === undefined ? [] : [`  wallet      ${walletUrl}`]),
    ...(docsUrl === undefined ? [] : [`  API         ${docsUrl}`]),
    `  admin API   ${adminUrl}/docs`,
    '',
  ];
  if (exampleCurl !== undefined) {
    lines.push('Verify a real World ID proof (a second call shows the reuse message):', '', exampleCurl, '');
  }
  if (exampleCurl4 !== undefined) {
    lines.push(
      'Verify a World ID 4.0 proof (of a made-up person; the wallet page makes them, too):',
      '',
      exampleCurl4,
      '',
    );
  }
  if (refreshCurl !== undefined) {
    lines.push('Refresh the credential of the demo holder (at most five times a day):', '', refreshCurl, '');
  }
  if (groth16Curl !== undefined) {
    lines.push('Check a proof of any circuit under an imported key (vkey import):', '', groth16Curl, '');
  }
  if (circuit === 'making') {
    lines.push('The circuit for proofs of your own is being made; the pages continue when it is ready.', '');
  } else if (circuit === 'missing' || circuit === 'failed') {
    lines.push('To make proofs of your own: npx proofgate circuits setup (once, some seconds)', '');
  }
  await context.print(
    { publicUrl, adminUrl, exampleCurl, exampleCurl4, groth16Curl, refreshCurl, demoUrl, walletUrl, docsUrl },
    lines.join('\n'),
  );
}

/** Returns the exit code: 0 after a clean stop, 1 when an open request was cut off, 70 after a crash. */
async function runUntilStopped(app: RunningApp, context: CommandContext): Promise<number> {
  let isStopping = false;
  let stop: (crash: unknown) => void = () => undefined;
  const stopped = new Promise<unknown>((resolve) => {
    stop = resolve;
  });
  const onSignal = (signal: NodeJS.Signals): void => {
    // The kernel repeats SIGXCPU each second.
    if (isStopping && signal === 'SIGXCPU') return;
    if (isStopping) endBySignal(signal);
    isStopping = true;
    stop(undefined);
  };
  for (const signal of DRAIN_SIGNALS) process.off(signal, endBySignal).on(signal, onSignal);
  process.on('uncaughtException', stop);
  process.on('unhandledRejection', stop);
  try {
    app.failed.then(stop, stop);
    const crash = await stopped;
    isStopping = true;
    if (crash !== undefined) context.note(`proofgate: stopping after a failure: ${describe(crash)}`);
    const isClean = await app.stop();
    if (crash !== undefined) return EXIT_AFTER_CRASH;
    return isClean ? 0 : 1;
  } finally {
    for (const signal of DRAIN_SIGNALS) process.off(signal, onSignal);
    process.off('uncaughtException', stop);
    process.off('unhandledRejection', stop);
  }
}

function describe(crash: unknown): string {
  if (isServiceError(crash)) return `${crash.code}: ${crash.message}`;
  return crash instanceof Error ? (crash.stack ?? crash.message) : String(crash);
}
