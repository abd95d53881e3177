import type { PostgresServer } from '../../../test/support/postgres/postgres-server.ts';
import type { Case } from '../../report/types.ts';

const ROWS = 1_000_000;
/** Rows after a checkpoint: few enough that most find their index page untouched. */
const PROBE_ROWS = 1000;
const GROUP_ROWS = 64;

/** Log that some rows wrote: bytes in all, and the page images among them. */
interface Log {
  readonly bytes: number;
  readonly images: number;
}

async function log(server: PostgresServer): Promise<Log> {
  const [row] = await server.query(
    'select cast(wal_bytes as float8) as bytes, cast(wal_fpi as float8) as images from pg_stat_wal',
  );
  return { bytes: Number(row?.bytes), images: Number(row?.images) };
}

/** Adds rows with random keys by the statement of the store, in transactions of `groupRows`. */
async function addRows(
  server: PostgresServer,
  database: string,
  count: number,
  groupRows: number,
): Promise<void> {
  await server.query(
    `do $$ begin for at in 1..${Math.ceil(count / groupRows)} loop
       insert into nullifiers (environment, app_id, action, nullifier, created_at, request_id, row_id)
       select 'production', 'app_00000000000000000000000000000b0b', 'bench',
         sha256(cast(gen_random_uuid() as text)::bytea), 1790000000000 + at, cast(gen_random_uuid() as text),
         'AAAAAAAAAAAA.' || to_hex(at * ${groupRows} + n)
       from generate_series(1, least(${groupRows}, ${count} - (at - 1) * ${groupRows})) as n
       on conflict (nullifier, environment) do nothing;
       commit;
     end loop; end $$`,
    database,
  );
}

/** Log of `PROBE_ROWS` rows after a checkpoint with the given settings. */
async function probe(
  server: PostgresServer,
  database: string,
  settings: Readonly<Record<string, string>>,
): Promise<Log> {
  server.configure(settings);
  server.reload();
  await server.query('checkpoint');
  const before = await log(server);
  await addRows(server, database, PROBE_ROWS, GROUP_ROWS);
  const after = await log(server);
  return { bytes: after.bytes - before.bytes, images: after.images - before.images };
}

/**
 * Size of a nullifier in table and index, and in the log: with page images, with compressed ones, and without. A row
 * whose index page was not changed since the last checkpoint writes an image of that page.
 */
export async function nullifierTable(server: PostgresServer, database: string): Promise<Case> {
  await server.query('truncate nullifiers', database);
  const began = performance.now();
  await addRows(server, database, ROWS, 10_000);
  const seconds = (performance.now() - began) / 1000;
  const [size] = await server.query(
    `select cast(pg_relation_size('nullifiers') as float8) as heap,
     cast(pg_indexes_size('nullifiers') as float8) as index`,
    database,
  );
  const plain = await probe(server, database, { full_page_writes: 'off', wal_compression: 'off' });
  const images = await probe(server, database, { full_page_writes: 'on', wal_compression: 'off' });
  const compressed = await probe(server, database, { full_page_writes: 'on', wal_compression: 'lz4' });
  const imageBytes = ({ bytes, images: count }: Log): number => (bytes - plain.bytes) / count;
  const [heap, index] = [Number(size?.heap), Number(size?.index)];
  return {
    subject: 'nullifier.table',
    contender: 'postgres',
    parameters: { rows: ROWS },
    unit: 'mib',
    isPeer: false,
    samples: [(heap + index) / 2 ** 20],
    figures: {
      heap_bytes_per_row: heap / ROWS,
      index_bytes_per_row: index / ROWS,
      wal_bytes_per_row: plain.bytes / PROBE_ROWS,
      page_image_bytes: imageBytes(images),
      page_image_bytes_compressed: imageBytes(compressed),
      page_images_per_row: images.images / PROBE_ROWS,
      load_rows_per_s: ROWS / seconds,
    },
  };
}
