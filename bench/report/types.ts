/** Unit of a case's samples. */
export type Unit = 'us_per_op' | 'ops_per_s' | 'ms' | 'mib';

/** One measured case: a subject (what is done), a contender (who does it) and the parameters of the run. */
export interface Case {
  /** `groth16.verify`, `http.verify`, … */
  readonly subject: string;
  /** `native`, `wasm`, `snarkjs`, … */
  readonly contender: string;
  readonly parameters: Readonly<Record<string, string | number>>;
  readonly unit: Unit;
  /** Whether the contender is another library, with which ours are compared. */
  readonly isPeer: boolean;
  /** Raw samples in `unit`, in the order of measurement if the tool keeps it. */
  readonly samples: readonly number[];
  /** Further figures of the run; the unit is part of the key (`p99_ms`). */
  readonly figures?: Readonly<Record<string, number>>;
  /** Note shown with the figures: durability, work that differs from the peers'. */
  readonly note?: string;
}

/** A performance target and its measurement in this run. */
export interface Target {
  readonly name: string;
  readonly required: string;
  readonly measured: string;
  readonly isMet: boolean;
  /** The next, more ambitious target, and whether it is met already. */
  readonly next?: { readonly required: string; readonly isMet: boolean };
}

/** Properties of the machine that matter for the figures; nothing that identifies it. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly flags: readonly string[];
  readonly memoryGib: number;
  readonly kernel: string;
  /** Type of the file system of the run's databases. */
  readonly fileSystem: string;
  /** One-minute load average before the run, which shows other work on the machine. */
  readonly loadBefore: number;
}

/** Complete record of one run; tables and plots are made from it alone. */
export interface RunRecord {
  readonly schema: 1;
  readonly date: string;
  readonly commit: string;
  /** Whether files differed from the commit. */
  readonly isDirty: boolean;
  readonly mode: 'smoke' | 'quick' | 'full';
  readonly machine: Machine;
  readonly versions: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string | number>>;
  readonly durationSeconds: number;
  /** Arithmetic that a service chooses: `native-ifma`, `wasm-relaxed`, … Absent in older files. */
  readonly chosen?: Readonly<Partial<Record<'native' | 'wasm', string>>>;
  /** Contenders that this machine could not measure, and why. Absent in older files. */
  readonly notMeasured?: Readonly<Record<string, string>>;
  readonly cases: readonly Case[];
  readonly targets: readonly Target[];
}
