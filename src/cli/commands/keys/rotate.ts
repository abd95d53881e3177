import { ServiceError } from '../../../errors/index.ts';
import { createKeyOperator, rotateNow } from '../../../oidc/keys/operate.ts';
import type { Command } from '../../program/command.ts';
import { rotateCredential } from './credential.ts';
import { USE_OPTION, useOf } from './key-uses.ts';

/** `keys rotate`: rotates now, before the rotation is due. */
export const keysRotate: Command = {
  path: ['keys', 'rotate'],
  summary: 'make the next sign-in key active now, or with --use credential make a new credential key',
  details: `Running servers follow within storage.cacheSeconds.
Sign-in: the former key stays published until its tokens have expired. Refused while the next key has been published for
less than keys.publishLeadSeconds, since verifiers with a cached key set would refuse its tokens.
Credentials: makes the first key, too. The former key stays listed as retired. The new key must be registered with the
verifiers of credentials. Refused if refresh.signingSeed is set, since each start makes its key active.`,
  options: [
    USE_OPTION,
    { flags: '--force', description: 'rotate although the next sign-in key is too young' },
  ],
  run: async (input, context) => {
    const loaded = await context.loadConfig();
    if (useOf(input) === 'credential') {
      if (input.has('force')) throw new ServiceError('cli.usage', '--force applies only to sign-in keys');
      return await rotateCredential(loaded, context);
    }
    const { config } = loaded;
    return await context.withStore(loaded, async ({ signingKeys }) => {
      const operator = createKeyOperator(signingKeys, config, context.now);
      const change = await rotateNow(operator, input.has('force'));
      if (change.isEarly) context.note(earlyWarning(config.keys.jwksMaxAgeSeconds));
      await context.print(
        { active: change.activeKid, next: change.nextKid, early: change.isEarly },
        `active  ${change.activeKid}\nnext    ${change.nextKid}`,
      );
      return 0;
    });
  },
};

/** Returns the warning for a key that signs before its publication lead is over. */
export function earlyWarning(jwksMaxAgeSeconds: number): string {
  return `warning: the active key was published only now: verifiers with a cached key set may refuse its tokens for up to ${jwksMaxAgeSeconds} s`;
}
