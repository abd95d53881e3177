import { createKeyOperator, rotateNow } from '../oidc/keys/index.ts';
import type { Command } from './command.ts';

/** `keys rotate`: the rotation that is due later, now. */
export const keysRotate: Command = {
  path: ['keys', 'rotate'],
  summary: 'let the next key of sign-in sign now; the active one stays published until its tokens have ended',
  details: `Running servers follow within storage.cacheSeconds. Refused while the next key has been published for less
than keys.publishLeadSeconds, since verifiers with a cached key set would refuse its tokens.`,
  options: [{ flags: '--force', description: 'rotate although the next key is too young' }],
  run: async (input, context) => {
    const { config, ...loaded } = await context.loadConfig();
    return await context.withStore({ config, ...loaded }, async ({ signingKeys }) => {
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

/** What a key that signs before its lead is over leads to. */
export function earlyWarning(jwksMaxAgeSeconds: number): string {
  return `warning: the active key was published only now: verifiers with a cached key set may refuse its tokens for up to ${jwksMaxAgeSeconds} s`;
}
