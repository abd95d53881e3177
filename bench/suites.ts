import { cluster } from './load/cluster.load.ts';
import { engineVerify } from './load/engine-verify.load.ts';
import { frontEnds } from './load/front-ends.load.ts';
import { httpVerify } from './load/http-verify.load.ts';
import { isolation } from './load/isolation.load.ts';
import { library } from './load/library.load.ts';
import { nullifierCommits } from './load/nullifier-commits.load.ts';
import { polling } from './load/polling.load.ts';
import { postgres } from './load/postgres.load.ts';
import { refresh } from './load/refresh.load.ts';
import { signin } from './load/signin.load.ts';
import { start } from './load/start.load.ts';
import { httpWorldId4 } from './load/worldid4.load.ts';
import { eddsa } from './micro/eddsa.bench.ts';
import { groth16 } from './micro/groth16.bench.ts';
import { groth16Bad } from './micro/groth16-bad.bench.ts';
import { groth16WorldId4 } from './micro/groth16-worldid4.bench.ts';
import { poseidon } from './micro/poseidon.bench.ts';
import { poseidon2 } from './micro/poseidon2.bench.ts';
import type { Suite } from './suite.ts';

/** Every suite, in the order of a run. */
export const SUITES: readonly Suite[] = [
  groth16,
  groth16Bad,
  groth16WorldId4,
  library,
  poseidon2,
  poseidon,
  eddsa,
  engineVerify,
  httpVerify,
  frontEnds,
  httpWorldId4,
  polling,
  isolation,
  start,
  nullifierCommits,
  signin,
  refresh,
  cluster,
  postgres,
];
