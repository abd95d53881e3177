import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Config, LibraryFacts } from '../../../config/settings/types.ts';
import { messageOf } from '../../../text.ts';
import type { FindHttpLibrary } from '../../program/command.ts';
import { type CheckResult, fail, ok } from '../check.ts';

/** Names the HTTP library that the service uses, with what its binary can be checked by, and why others were passed over. */
export async function checkHttpLibrary(
  config: Pick<Config, 'http' | 'dataDir'>,
  find: FindHttpLibrary,
): Promise<CheckResult> {
  try {
    const facts = await find(config);
    const others = facts.passedOver.length === 0 ? '' : `; passed over: ${facts.passedOver.join('; ')}`;
    return ok('http library', `${await describe(facts)}${others}`);
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
