import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { keepAliveWarning } from '../../../config/settings/consistency.ts';
import type { Config, LibraryFacts } from '../../../config/settings/types.ts';
import { messageOf } from '../../../text.ts';
import type { FindHttpLibrary } from '../../program/command.ts';
import { type CheckResult, fail, ok, warn } from '../check.ts';

/**
 * Names the HTTP library that the service uses, with what its binary can be checked by, how long it keeps idle connections, and
 * why others were passed over.
 */
export async function checkHttpLibrary(
  config: Pick<Config, 'http' | 'dataDir'>,
  origins: Readonly<Record<string, unknown>>,
  find: FindHttpLibrary,
): Promise<CheckResult> {
  try {
    const facts = await find(config);
    const others = facts.passedOver.length === 0 ? '' : `; passed over: ${facts.passedOver.join('; ')}`;
    const idle = `keeps idle connections for ${facts.idleSeconds ?? config.http.keepAliveSeconds} s`;
    const detail = `${await describe(facts)}; ${idle}${others}`;
    const warning = keepAliveWarning(origins, facts);
    if (warning === undefined) return ok('http library', detail);
    const cure =
      'Set http.library to node, or remove http.keepAliveSeconds and let proxies end their connections earlier.';
    return warn('http library', `${detail}; ${warning}`, cure);
  } catch (error) {
    return fail(
      'http library',
      messageOf(error),
      'Set http.library to auto, or install a package with a binary for this system.',
    );
  }
}

async function describe(facts: LibraryFacts): Promise<string> {
  if (facts.file === undefined) return `${facts.package} of Node ${facts.version}`;
  const digest = createHash('sha256')
    .update(await readFile(facts.file))
    .digest('hex');
  const source = facts.source ?? 'unknown source';
  return `uWebSockets.js from package ${facts.package} ${facts.version}, ${source}, ${facts.file}, SHA-256 ${digest}`;
}
