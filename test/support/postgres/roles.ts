import type { PostgresServer } from './postgres-server.ts';

/** Password of every role that `createRole` makes. */
export const ROLE_PASSWORD = 'a password';

/** Makes a role without rights of its own, unless options such as `nologin` or `createdb` say otherwise. */
export async function createRole(server: PostgresServer, name: string, options = 'login'): Promise<void> {
  await server.query(`create role "${name}" ${options} password '${ROLE_PASSWORD}'`);
}

/** Returns the address of a database for a role. */
export function urlAs(server: PostgresServer, role: string, database: string): string {
  return `postgres://${role}:${encodeURIComponent(ROLE_PASSWORD)}@127.0.0.1:${server.port}/${database}`;
}
