/**
 * Keys and proofs of Groth16 over BN254 that other tools make, fresh in each run, in every form that they write. The
 * programs are beside this file; `.ci/interop-setup.sh` fetches what they need, and nothing is fetched here.
 */
import { execFile } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runs, supportPath } from './relying-party.ts';

/** Signs of y of A, B and C: whether y is the larger root. */
export type Signs = readonly [boolean, boolean, boolean];

/** One value as gnark writes it; the bytes are hex. */
export interface GnarkForms<Json> {
  /** What `encoding/json` makes of the Go struct. */
  readonly json: Json;
  /** `WriteRawTo`. */
  readonly raw: string;
  /** `WriteTo`. */
  readonly compressed: string;
}

/** A coordinate in gnark's JSON: decimal text, or a JSON number if it has at most 15 characters. */
export type GnarkNumber = string | number;

/** A point of G1 in gnark's JSON. */
export interface GnarkG1 {
  readonly X: GnarkNumber;
  readonly Y: GnarkNumber;
}

/** A point of G2 in gnark's JSON: `A0 + A1·u`. */
export interface GnarkG2 {
  readonly X: { readonly A0: GnarkNumber; readonly A1: GnarkNumber };
  readonly Y: { readonly A0: GnarkNumber; readonly A1: GnarkNumber };
}

/** gnark's verifying key in JSON. */
export interface GnarkKeyJson {
  readonly G1: {
    readonly Alpha: GnarkG1;
    readonly Beta: GnarkG1;
    readonly Delta: GnarkG1;
    readonly K: readonly GnarkG1[];
  };
  readonly G2: { readonly Beta: GnarkG2; readonly Delta: GnarkG2; readonly Gamma: GnarkG2 };
  /** `null` without commitments. */
  readonly CommitmentKeys: readonly { readonly G: GnarkG2; readonly GSigmaNeg: GnarkG2 }[] | null;
  readonly PublicAndCommitmentCommitted: readonly (readonly number[])[];
}

/** gnark's proof in JSON. */
export interface GnarkProofJson {
  readonly Ar: GnarkG1;
  readonly Krs: GnarkG1;
  readonly Bs: GnarkG2;
  readonly Commitments: readonly GnarkG1[];
  readonly CommitmentPok: GnarkG1;
}

/** A proof of gnark with its public signals. */
export interface GnarkProof extends GnarkForms<GnarkProofJson> {
  /** Decimal, without those that the commitments add. */
  readonly signals: readonly string[];
  /** gnark's public witness; a signal close to r is a negative number in its JSON. */
  readonly witness: { readonly json: Readonly<Record<string, GnarkNumber>>; readonly binary: string };
  readonly yIsLarger: Signs;
  /** How commitments are hashed to a signal; absent without commitments. */
  readonly commitmentHash?: 'expand_message_xmd' | 'keccak256';
  /** `MarshalSolidity`. */
  readonly solidity: string;
}

/** What the program of gnark prints. */
export interface GnarkDocument {
  readonly tool: 'gnark';
  readonly version: string;
  readonly circuits: readonly {
    readonly name: string;
    readonly commitments: number;
    readonly key: GnarkForms<GnarkKeyJson>;
    readonly proofs: readonly GnarkProof[];
  }[];
  /** Generators, their negatives, infinity, and the point with the largest x. */
  readonly points: Readonly<Record<string, GnarkForms<GnarkG1 | GnarkG2>>>;
}

/** One value in hex of both forms of arkworks. */
export interface ArkworksForms {
  readonly compressed: string;
  readonly uncompressed: string;
}

/** A proof of arkworks with its public signals. */
export interface ArkworksProof extends ArkworksForms {
  readonly signals: readonly string[];
  /** The signals as `Vec<Fr>`. */
  readonly signalBytes: string;
  readonly yIsLarger: Signs;
}

/** What the program of arkworks prints. */
export interface ArkworksDocument {
  readonly tool: 'arkworks';
  readonly version: string;
  readonly circuits: readonly {
    readonly name: string;
    readonly key: ArkworksForms;
    /** What follows the key, in either form, in a prepared key. One circuit has it. */
    readonly preparedTail?: string;
    readonly proofs: readonly ArkworksProof[];
  }[];
  readonly points: Readonly<Record<string, ArkworksForms>>;
}

type ZokratesG1 = readonly [string, string];
type ZokratesG2 = readonly [ZokratesG1, ZokratesG1];

/** A key of ZoKrates under g16, `verification.key`. */
export interface ZokratesKey {
  readonly scheme: 'g16';
  readonly curve: string;
  readonly alpha: ZokratesG1;
  readonly beta: ZokratesG2;
  readonly gamma: ZokratesG2;
  readonly delta: ZokratesG2;
  readonly gamma_abc: readonly ZokratesG1[];
}

/** A key of ZoKrates under gm17, which is another proof system. */
export interface ZokratesGm17Key {
  readonly scheme: 'gm17';
  readonly curve: string;
  readonly h: ZokratesG2;
  readonly g_alpha: ZokratesG1;
  readonly h_beta: ZokratesG2;
  readonly g_gamma: ZokratesG1;
  readonly h_gamma: ZokratesG2;
  readonly query: readonly ZokratesG1[];
}

/** A proof of ZoKrates, `proof.json`. */
export interface ZokratesProof {
  readonly scheme: 'g16' | 'gm17';
  readonly curve: string;
  readonly proof: { readonly a: ZokratesG1; readonly b: ZokratesG2; readonly c: ZokratesG1 };
  readonly inputs: readonly string[];
}

/** What the program of ZoKrates prints. */
export interface ZokratesDocument {
  readonly tool: 'ZoKrates';
  readonly version: string;
  readonly circuits: readonly {
    readonly name: string;
    readonly scheme: 'g16' | 'gm17';
    readonly backend: 'ark' | 'bellman';
    readonly key: ZokratesKey | ZokratesGm17Key;
    readonly proofs: readonly { readonly signals: readonly string[]; readonly json: ZokratesProof }[];
  }[];
}

/** A committed document: what a program once printed, with its source and the layout of its bytes. */
export type FormVectors<Document> = Document & {
  readonly source: string;
  readonly layout: Readonly<Record<string, string>>;
};

/** Another tool, with the program that makes keys and proofs with it. */
export interface Groth16Tool<Document> {
  readonly name: string;
  /** The file of `test/vectors/forms`, without its ending. */
  readonly vectors: string;
  /** What the program lacks on this machine, or undefined. */
  missing(): string | undefined;
  /** Builds the program, which may take minutes, and runs it. */
  made(): Promise<Document>;
}

// As in the tests of go-oidc: the setup fetches the modules.
const goEnv = {
  ...process.env,
  GOPROXY: 'off',
  GOTOOLCHAIN: 'local',
  GOFLAGS: '-mod=readonly -buildvcs=false',
};

/** gnark, a module of Go. */
export const GNARK: Groth16Tool<GnarkDocument> = {
  name: 'gnark (Go)',
  vectors: 'gnark',
  missing() {
    if (!runs('go', ['version'], { env: goEnv })) return 'no go';
    return runs('go', ['list', '-deps', '.'], { cwd: supportPath('gnark'), env: goEnv })
      ? undefined
      : 'no Go that builds gnark, or not in the cache of go';
  },
  made: madeByGnark,
};

/** arkworks, crates of Rust. */
export const ARKWORKS: Groth16Tool<ArkworksDocument> = {
  name: 'arkworks (Rust)',
  vectors: 'arkworks',
  missing() {
    if (!runs('cargo', ['--version'])) return 'no cargo';
    return runs('cargo', ['tree', '--locked', '--offline'], { cwd: supportPath('arkworks') })
      ? undefined
      : 'no crates of arkworks in the cache of cargo';
  },
  made: madeByArkworks,
};

/** ZoKrates, compiled to WebAssembly. */
export const ZOKRATES: Groth16Tool<ZokratesDocument> = {
  name: 'ZoKrates (WebAssembly)',
  vectors: 'zokrates',
  missing: () =>
    existsSync(inCache('zokrates/node_modules/zokrates-js')) ? undefined : 'not in .cache/zokrates',
  made: madeByZokrates,
};

/** Fresh keys and proofs of gnark. */
export async function madeByGnark(): Promise<GnarkDocument> {
  const program = inCache('groth16-gnark');
  await promisify(execFile)('go', ['build', '-o', program, '.'], { cwd: supportPath('gnark'), env: goEnv });
  return await printed(program);
}

/** Fresh keys and proofs of arkworks. */
export async function madeByArkworks(): Promise<ArkworksDocument> {
  const target = inCache('groth16-arkworks');
  await promisify(execFile)('cargo', ['build', '--locked', '--offline', '--quiet'], {
    cwd: supportPath('arkworks'),
    env: { ...process.env, CARGO_TARGET_DIR: target },
  });
  return await printed(`${target}/debug/proofgate-interop-arkworks`);
}

/** Fresh keys and proofs of ZoKrates. */
export async function madeByZokrates(): Promise<ZokratesDocument> {
  // a package is found above the program
  const program = inCache('zokrates/main.mjs');
  cpSync(supportPath('zokrates/main.mjs'), program);
  return await printed(process.execPath, program);
}

async function printed<Document>(command: string, ...args: string[]): Promise<Document> {
  const { stdout } = await promisify(execFile)(command, args, { maxBuffer: 2 ** 26 });
  return JSON.parse(stdout) as Document;
}

function inCache(path: string): string {
  return fileURLToPath(new URL(`../../../.cache/${path}`, import.meta.url));
}
