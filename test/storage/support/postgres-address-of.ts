import {
  type PostgresAddress,
  parsePostgresAddress,
} from '../../../src/storage/drivers/postgres/postgres-address.ts';

/** Parses an address that must be valid. */
export function addressOf(url: string): PostgresAddress {
  const address = parsePostgresAddress(url);
  if (typeof address === 'string') throw new Error(address);
  return address;
}
