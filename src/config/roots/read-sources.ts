import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { isObject, type JsonObject, type JsonSchema, textOfFile } from '../../json.ts';
import { didYouMean, type Fault } from '../sources/faults.ts';
import { CHAIN_IDS, type ChainName, type ContractKind, PRESETS, SOURCE_TREES } from './presets.ts';
import type { ChainSource, HttpSource, RootSource, SourceConfirmations } from './source-types.ts';

/** The result of reading `roots.sources`. */
export interface SourcesReading {
  readonly sources: readonly RootSource[];
  /** Each with the name of its entry, without the origin. */
  readonly faults: readonly Fault[];
  /** Whether an entry contains a token. */
  readonly holdsSecret: boolean;
}

const ENVIRONMENTS = ['production', 'staging'] as const;
const KINDS: readonly ContractKind[] = ['identity-manager', 'bridged', 'registry4'];
const ID = /^[a-z0-9-]{1,40}$/;
const LARGEST_BLOCK = Number.MAX_SAFE_INTEGER;

interface Timing {
  readonly confirmations: number;
  readonly pollSeconds: number;
  readonly lookBackSeconds: number;
  readonly staleAfterSeconds: number;
}

// Look-back: for 3.0 the largest max_age plus a day, for 4.0 twice the window of its roots.
const DEFAULTS: Readonly<Record<ContractKind, Timing>> = {
  'identity-manager': {
    confirmations: 12,
    pollSeconds: 15,
    lookBackSeconds: 691_200,
    staleAfterSeconds: 14_400,
  },
  bridged: { confirmations: 10, pollSeconds: 15, lookBackSeconds: 691_200, staleAfterSeconds: 14_400 },
  registry4: { confirmations: 1, pollSeconds: 4, lookBackSeconds: 7200, staleAfterSeconds: 900 },
};
const MAX_RANGE = 2000;
const HTTP_DEFAULTS = { pollSeconds: 30, staleAfterSeconds: 900 };

/** A whole-number field of a source with its bounds. */
const NUMBERS = {
  chainId: [1, Number.MAX_SAFE_INTEGER],
  startBlock: [0, LARGEST_BLOCK],
  pollSeconds: [1, 3600],
  lookBackSeconds: [60, 31_536_000],
  maxRange: [1, 1_000_000],
  staleAfterSeconds: [1, 31_536_000],
} as const;
const TEXTS = [
  'preset',
  'id',
  'kind',
  'environment',
  'tree',
  'rpc',
  'contract',
  'issuers',
  'oprfKeys',
  'verifier',
  'url',
  'token',
  'tokenFile',
] as const;

/** Schema of `roots.sources` in the configuration file. */
export const SOURCES_SCHEMA: JsonSchema = {
  type: 'array',
  maxItems: 32,
  items: {
    anyOf: [
      { type: 'string', enum: Object.keys(PRESETS) },
      {
        type: 'object',
        additionalProperties: false,
        properties: {
          ...Object.fromEntries(TEXTS.map((field) => [field, { type: 'string', maxLength: 4096 }])),
          ...Object.fromEntries(
            Object.entries(NUMBERS).map(([field, [minimum, maximum]]) => [
              field,
              { type: 'integer', minimum, maximum },
            ]),
          ),
          confirmations: {
            anyOf: [
              { type: 'integer', minimum: 0, maximum: 100_000 },
              { type: 'string', enum: ['safe', 'finalized'] },
            ],
          },
        },
      },
    ],
  },
};

/**
 * Reads `roots.sources`: names of presets, and objects that override a preset or describe a source. A value that is not
 * a list is reported by the schema.
 *
 * @param cwd - Base folder of relative paths.
 */
export function readRootSources(list: unknown, cwd: string): SourcesReading {
  const sources: RootSource[] = [];
  const faults: Fault[] = [];
  const entries: readonly unknown[] = Array.isArray(list) ? list : [];
  for (const [index, entry] of entries.entries()) {
    const reading = new EntryReading(entry, cwd);
    const source = reading.source();
    const name = `roots.sources[${index}]`;
    faults.push(...reading.faults.map((fault) => `${name}: ${fault}`));
    if (source === undefined || reading.faults.length > 0) continue;
    for (const other of sources) {
      if (other.id === source.id) faults.push(`${name}: id: ${source.id} is also that of another source`);
      if (other.environment === source.environment && other.tree === source.tree) {
        faults.push(
          `${name}: ${source.environment}/${source.tree} has a source already, ${other.id}; a tree has one source`,
        );
      }
    }
    sources.push(source);
  }
  const holdsSecret = entries.some((entry) => isObject(entry) && entry.token !== undefined);
  return { sources, faults, holdsSecret };
}

/** Reader of one entry; collects its faults. */
class EntryReading {
  readonly faults: string[] = [];
  readonly #entry: unknown;
  readonly #cwd: string;

  constructor(entry: unknown, cwd: string) {
    this.#entry = entry;
    this.#cwd = cwd;
  }

  source(): RootSource | undefined {
    const entry = this.#entry;
    if (typeof entry === 'string') return this.#source({ preset: entry });
    if (!isObject(entry)) return this.#fault('expected the name of a preset or an object');
    const known = [...TEXTS, ...Object.keys(NUMBERS), 'confirmations'];
    for (const field of Object.keys(entry)) {
      if (known.includes(field)) continue;
      const near = didYouMean(field, known);
      this.#fault(
        `unknown field ${JSON.stringify(field.slice(0, 64))}${near === undefined ? '' : `; did you mean ${near}?`}`,
      );
    }
    return this.#source(entry);
  }

  #source(entry: JsonObject): RootSource | undefined {
    const { preset } = entry;
    if (preset === undefined)
      return entry.kind === 'http' ? this.#http(entry) : this.#chain(entry, undefined);
    const publication = typeof preset === 'string' ? PRESETS[preset] : undefined;
    if (publication === undefined) {
      const near = didYouMean(String(preset), Object.keys(PRESETS));
      const hint =
        near === undefined
          ? `, expected one of ${Object.keys(PRESETS).join(', ')}`
          : `; did you mean ${near}?`;
      return this.#fault(`unknown preset ${JSON.stringify(String(preset).slice(0, 64))}${hint}`);
    }
    const { chain, ...fields } = publication;
    return this.#chain({ id: preset, rpc: chain, ...fields, ...entry }, preset as string);
  }

  #chain(fields: JsonObject, preset: string | undefined): ChainSource | undefined {
    const kind = this.#word(fields, 'kind', [...KINDS, ...(preset === undefined ? ['http' as const] : [])]);
    if (kind === undefined || kind === 'http') return undefined;
    const defaults = DEFAULTS[kind];
    const place = this.#place(fields, kind);
    const chainId = this.#number(fields, 'chainId', undefined);
    const rpc = this.#rpc(fields.rpc, chainId);
    const contract = this.#address(fields, 'contract', true);
    const keys = kind === 'registry4';
    const [issuers, oprfKeys] = [
      this.#address(fields, 'issuers', keys),
      this.#address(fields, 'oprfKeys', keys),
    ];
    const verifier = this.#address(fields, 'verifier', false);
    if (!place || chainId === undefined || rpc === undefined || contract === undefined) return undefined;
    return {
      ...place,
      kind,
      rpc,
      chainId,
      contract,
      issuers,
      oprfKeys,
      verifier,
      startBlock: this.#number(fields, 'startBlock', 0) ?? 0,
      confirmations: this.#confirmations(fields.confirmations, defaults.confirmations),
      pollSeconds: this.#number(fields, 'pollSeconds', defaults.pollSeconds) ?? 1,
      lookBackSeconds: this.#number(fields, 'lookBackSeconds', defaults.lookBackSeconds) ?? 1,
      maxRange: this.#number(fields, 'maxRange', MAX_RANGE) ?? 1,
      staleAfterSeconds: this.#number(fields, 'staleAfterSeconds', defaults.staleAfterSeconds) ?? 1,
    };
  }

  #http(fields: JsonObject): HttpSource | undefined {
    const place = this.#place(fields, 'http');
    const { url } = fields;
    if (typeof url !== 'string' || !/^https?:\/\//.test(url) || !URL.canParse(url)) {
      return this.#fault('url: expected an http or https URL');
    }
    const { username, password } = new URL(url);
    if (username !== '' || password !== '') {
      return this.#fault('url: expected no credentials, which fetch refuses; use token or tokenFile');
    }
    if (!place) return undefined;
    return {
      ...place,
      kind: 'http',
      url,
      token: this.#token(fields),
      pollSeconds: this.#number(fields, 'pollSeconds', HTTP_DEFAULTS.pollSeconds) ?? 1,
      staleAfterSeconds: this.#number(fields, 'staleAfterSeconds', HTTP_DEFAULTS.staleAfterSeconds) ?? 1,
    };
  }

  #place(
    fields: JsonObject,
    kind: ContractKind | 'http',
  ): Pick<RootSource, 'id' | 'environment' | 'tree'> | undefined {
    const { id } = fields;
    const environment = this.#word(fields, 'environment', ENVIRONMENTS);
    const tree = this.#word(fields, 'tree', SOURCE_TREES);
    if (typeof id !== 'string' || !ID.test(id))
      return this.#fault('id: expected 1 to 40 of a-z, 0-9 and "-"');
    if (environment === undefined || tree === undefined) return undefined;
    if (kind !== 'http' && (kind === 'registry4') !== (tree === 'account')) {
      return this.#fault(`tree: the tree account, and no other, is published by the kind registry4`);
    }
    return { id, environment, tree };
  }

  #token({ token, tokenFile }: JsonObject): string | undefined {
    if (token !== undefined && tokenFile !== undefined)
      return this.#fault('expected token or tokenFile, got both');
    if (tokenFile === undefined) return typeof token === 'string' ? token : undefined;
    try {
      return textOfFile(readFileSync(resolve(this.#cwd, String(tokenFile)))).trim();
    } catch (error) {
      return this.#fault(`tokenFile: cannot be read: ${(error as Error).message}`);
    }
  }

  #rpc(value: unknown, chainId: number | undefined): ChainName | undefined {
    const names: readonly ChainName[] = [...(Object.keys(CHAIN_IDS) as (keyof typeof CHAIN_IDS)[]), 'custom'];
    if (value === undefined)
      return names.find((name) => name !== 'custom' && CHAIN_IDS[name] === chainId) ?? 'custom';
    const found = names.find((name) => name === value);
    return found ?? this.#fault(`rpc: expected one of ${names.join(', ')}`);
  }

  #confirmations(value: unknown, usual: number): SourceConfirmations {
    if (value === undefined) return usual;
    if (value === 'safe' || value === 'finalized') return value;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 100_000) return value;
    this.#fault('confirmations: expected 0..100000, "safe" or "finalized"');
    return usual;
  }

  #address(fields: JsonObject, field: string, isRequired: boolean): string | undefined {
    const value = fields[field];
    if (value === undefined && !isRequired) return undefined;
    const fault = chainAddressFault(value);
    if (fault !== undefined) return this.#fault(`${field}: ${fault}`);
    return String(value).toLowerCase();
  }

  #number(fields: JsonObject, field: keyof typeof NUMBERS, usual: number | undefined): number | undefined {
    const value = fields[field] ?? usual;
    const [minimum, maximum] = NUMBERS[field];
    if (typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum)
      return value;
    return this.#fault(`${field}: expected ${minimum}..${maximum}, got ${JSON.stringify(value) ?? 'none'}`);
  }

  #word<W extends string>(fields: JsonObject, field: string, words: readonly W[]): W | undefined {
    const word = words.find((candidate) => candidate === fields[field]);
    return word ?? this.#fault(`${field}: expected ${words.join(', ')}`);
  }

  #fault(text: string): undefined {
    this.faults.push(text);
    return undefined;
  }
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/**
 * Checks an address of Ethereum: 20 bytes in hex. Digits of mixed case must match the checksum (ERC-55), which detects
 * typing errors.
 *
 * @returns The expectation as text; undefined for a valid address.
 */
export function chainAddressFault(text: unknown): string | undefined {
  if (typeof text !== 'string' || !ADDRESS.test(text)) return 'expected 0x and 40 hex digits';
  const digits = text.slice(2);
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return undefined;
  const correct = withChecksum(digits.toLowerCase());
  return text === correct
    ? undefined
    : `wrong checksum (ERC-55), expected ${correct} if its digits are right`;
}

/**
 * Returns an address in its checksummed form (ERC-55): a letter is upper case if the corresponding digit of the hash is 8
 * or more.
 *
 * @param digits - 40 lower-case hex digits.
 */
export function withChecksum(digits: string): string {
  const hash = Buffer.from(keccak_256(Buffer.from(digits))).toString('hex');
  return `0x${[...digits].map((digit, index) => (Number.parseInt(hash[index] ?? '0', 16) >= 8 ? digit.toUpperCase() : digit)).join('')}`;
}
