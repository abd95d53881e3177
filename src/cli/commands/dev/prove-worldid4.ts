import { findApp } from '../../../apps/apps.ts';
import type { LoadedConfig } from '../../../config/sources/loaded-config.ts';
import { type Proof4Input, proveWorldId4 } from '../../../development/worldid4/prove.ts';
import { developmentIssuer, TRAPDOOR_KEY } from '../../../development/worldid4/seed.ts';
import { ServiceError } from '../../../errors/service-error.ts';
import { parseNumber } from '../../../membership/worldid4/keys.ts';
import { isBelowScalarOrder } from '../../../semaphore/words.ts';
import type { Bytes32 } from '../../../storage/values.ts';
import type { CommandContext, CommandInput } from '../../program/command.ts';
import { filledOption, proofCheck, refuseOptions, withInlineEngine } from './development.ts';

/** `dev prove --protocol 4.0`: prints a request body with a World ID 4.0 proof. */
export async function proveWorldId4Body(
  input: CommandInput,
  context: CommandContext,
  loaded: LoadedConfig,
): Promise<number> {
  const { config } = loaded;
  refuseOptions(input, ['person', 'tree'], '3.0');
  const purpose = purposeOf(input);
  const nullifier = nullifierOf(input);
  const signal = input.option('signal');
  const issuer = developmentIssuer(config);
  return await context.withStore(loaded, async (store) => {
    const app = await findApp(store.apps, input.option('app') ?? '');
    const proof = {
      app,
      purpose,
      ...issuer,
      ...(signal === undefined ? {} : { signal }),
      ...(nullifier === undefined ? {} : { nullifier }),
    };
    const request = await withInlineEngine(context, config, async (engine) => {
      const { key } = await proofCheck(engine, config, TRAPDOOR_KEY);
      await engine.registerKey(TRAPDOOR_KEY, key);
      return await proveWorldId4(proof, store, engine, context.now());
    });
    if (!input.has('quiet')) {
      if (!config.verify.worldid4.enabled) {
        context.note('verify.worldid4.enabled is off: a service with these settings refuses the body');
      }
      if (request.proof_type !== undefined && !config.verify.worldid4.boundSessions) {
        context.note('verify.worldid4.boundSessions is off: a service with these settings refuses the body');
      }
      context.note(`proved; the body is for POST ${config.verifyUrl}/api/v4/verify/${app.rpId}`);
    }
    await context.print(request, JSON.stringify(request));
    return 0;
  });
}

function purposeOf(input: CommandInput): Proof4Input['purpose'] {
  const action = filledOption(input, 'action');
  const sessionId = filledOption(input, 'session');
  const session = sessionId !== undefined || input.has('session') ? { sessionId } : undefined;
  if (action !== undefined) return { action, ...session };
  if (session === undefined) throw new ServiceError('cli.usage', 'expected --action, --session or both');
  return session;
}

function nullifierOf(input: CommandInput): Bytes32 | undefined {
  const text = input.option('nullifier');
  if (text === undefined) return undefined;
  const nullifier = parseNumber(text);
  if (nullifier !== undefined && isBelowScalarOrder(nullifier)) return nullifier;
  throw new ServiceError(
    'cli.usage',
    '--nullifier: expected a number below the scalar order r, as 0x and hex digits, or decimal',
  );
}
