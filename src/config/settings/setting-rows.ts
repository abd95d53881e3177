import {
  type BooleanSetting,
  type ComputedDefault,
  type DefaultInput,
  envName,
  type IntegerSetting,
  type Setting,
  type TextSetting,
} from './setting.ts';

/** A row with literal types of key and default, from which the type of its member follows (`types.ts`). */
export type Row<
  S extends Setting,
  K extends string,
  D extends S['default'] = Exclude<S['default'], undefined>,
> = Omit<S, 'key' | 'default'> & { readonly key: K; readonly default: D };

/** Whether the profile is production. */
export const isProduction = (input: DefaultInput): boolean => input.profile === 'production';

/** Returns a default that differs in production. */
export function byProfile<T extends string | number | boolean>(
  development: T,
  production: T,
): ComputedDefault<T> {
  return {
    text: `\`${development}\` (production \`${production}\`)`,
    compute: (input) => (isProduction(input) ? production : development),
  };
}

/** A whole number in a range. */
export function integer<const K extends string>(
  key: K,
  unit: IntegerSetting['unit'],
  value: IntegerSetting['default'],
  [minimum, maximum]: readonly [number, number],
  sentence: string,
): Row<IntegerSetting, K> {
  return { type: 'integer', key, unit, default: value, minimum, maximum, sentence };
}

/** A public address. */
export function url<const K extends string, const D extends TextSetting['default']>(
  key: K,
  value: D,
  sentence: string,
): Row<TextSetting, K, D> {
  return {
    type: 'text',
    key,
    default: value,
    pattern: '^https?://[^\\s/?#]+(/[^\\s?#]*[^\\s/?#])?$',
    expected: 'an http or https URL without trailing slash, query and fragment',
    sentence,
  };
}

/** The address to which a listener binds. */
export function host<const K extends string, const D extends TextSetting['default']>(
  key: K,
  value: D,
  sentence: string,
): Row<TextSetting, K, D> {
  return {
    type: 'text',
    key,
    default: value,
    pattern: '^[A-Za-z0-9:._-]{1,255}$',
    expected: 'an IP address or a host name',
    sentence,
  };
}

/** Returns a default equal to the value of an earlier setting. */
export function sameAs(key: string): ComputedDefault<string> {
  return { text: `value of \`${key}\``, compute: (input) => String(input.value(key)), follows: key };
}

/** A switch. */
export function flag<const K extends string>(
  key: K,
  value: boolean | ComputedDefault<boolean>,
  sentence: string,
): Row<BooleanSetting, K> {
  return { type: 'boolean', key, default: value, sentence };
}

/** A rate limit per client address, off in the test suites. */
export function perMinute<const K extends string>(
  key: K,
  usual: number,
  sentence: string,
): Row<IntegerSetting, K> {
  return perMinutePer('client address (IPv6: per /64)', key, usual, sentence);
}

/** A rate limit per `what`, off in the test suites. */
export function perMinutePer<const K extends string>(
  what: string,
  key: K,
  usual: number,
  sentence: string,
): Row<IntegerSetting, K> {
  return integer(
    key,
    'requests/min',
    {
      text: `\`${usual}\` (test and bench \`0\`)`,
      compute: ({ profile }) => (profile === 'test' || profile === 'bench' ? 0 : usual),
    },
    [0, 1_000_000],
    `${sentence} Counted per node and ${what}; 0 turns the limit off.`,
  );
}

/** Returns instructions for setting a required secret: a new one, in a file of its own. */
export function newSecretFile(key: string): string {
  return `write one to a file (\`umask 077; openssl rand -base64 32 >FILE\`) and set ${envName(key)}_FILE=FILE`;
}

/** 32 secret bytes. */
export function secretKey<const K extends string>(
  key: K,
  unset: string,
  sentence: string,
): Row<TextSetting, K, ComputedDefault<undefined>> {
  return {
    type: 'text',
    key,
    isSecret: true,
    default: { text: unset, compute: () => undefined },
    pattern: '^([A-Za-z0-9_-]{43}|[A-Za-z0-9+/]{43}=)$',
    expected: '32 bytes in base64 or base64url',
    sentence,
  };
}

/** The id of a verifying key. Such settings have no members: they are read by pattern. */
export function keyBinding(key: string, value: TextSetting['default'], sentence: string): TextSetting {
  return {
    type: 'text',
    key,
    default: value,
    pattern: '^[a-z0-9][a-z0-9._-]{0,63}$',
    expected: 'a key id: 1 to 64 of a-z, 0-9, ".", "_" and "-", letter or digit first',
    sentence,
  };
}
