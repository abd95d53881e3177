import type { Driver } from '../../../src/storage/drivers/driver.ts';

/** Wraps a driver in an object whose methods a test can replace. */
export function boundDriver(driver: Driver): Driver {
  return {
    traits: driver.traits,
    tables: () => driver.tables(),
    define: (sql) => driver.define(sql),
    countRows: (table) => driver.countRows(table),
    read: (statement) => driver.read(statement),
    scan: (statement) => driver.scan(statement),
    write: (statements) => driver.write(statements),
    size: () => driver.size(),
    time: () => driver.time(),
    health: () => driver.health(),
    probe: () => driver.probe(),
    close: () => driver.close(),
  };
}
