import type { DevelopmentTree } from '../../pages.ts';
import type { SqlRow, SqlValue, Statement } from '../drivers/driver.ts';
import type { PersonRow, TreeNode, TreePosition } from '../model/store-development.ts';
import type { Bytes32 } from '../model/values.ts';
import { rowsTemplate } from '../sql.ts';
import { bytesColumn, integerColumn, optionalIntegerColumn, textColumn } from './columns.ts';

const NODE_COLUMNS = 'tree, level, idx, hash';
const PERSON_COLUMNS = 'person_id, trapdoor, nullifier, commitment, created_at';

const putNodeRows = rowsTemplate(
  4,
  (list) =>
    `insert into development_nodes (${NODE_COLUMNS}) values ${list} on conflict (tree, level, idx) do update set hash = excluded.hash`,
);

/** Selects the index of the last leaf of a tree: one row, null while the tree is empty. */
export function lastLeaf(tree: DevelopmentTree): Statement {
  return { sql: 'select max(idx) from development_nodes where tree = $1 and level = 0', params: [tree] };
}

/** Selects the index of the leaf with this hash. */
export function leafByHash(tree: DevelopmentTree, hash: Bytes32): Statement {
  return {
    sql: 'select idx from development_nodes where tree = $1 and level = 0 and hash = $2',
    params: [tree, hash],
  };
}

/** Selects the nodes at these positions, at least one, from one snapshot. */
export function nodesAt(tree: DevelopmentTree, positions: readonly TreePosition[]): Statement {
  // Every term names the tree, so that each is one lookup in the primary key.
  const terms = positions.map(
    (_, index) => `(tree = $1 and level = $${2 * index + 2} and idx = $${2 * index + 3})`,
  );
  return {
    sql: `select level, idx, hash from development_nodes where ${terms.join(' or ')}`,
    params: [tree, ...positions.flatMap(({ level, index }): SqlValue[] => [level, index])],
  };
}

/** Adds a leaf; returns no row if its index or its hash is taken. */
export function insertLeaf(tree: DevelopmentTree, leaf: TreeNode): Statement {
  return {
    sql: `insert into development_nodes (${NODE_COLUMNS}) values ($1,0,$2,$3) on conflict do nothing returning idx`,
    params: [tree, leaf.index, leaf.hash],
  };
}

/** Adds nodes or overwrites them. */
export function putNodes(tree: DevelopmentTree, nodes: readonly TreeNode[]): Statement[] {
  return putNodeRows(nodes.map(({ level, index, hash }) => [tree, level, index, hash]));
}

/** Parses the index in a row of `lastLeaf` or `leafByHash`; undefined if there is none. */
export function toLeafIndex(row: SqlRow | undefined): number | undefined {
  return optionalIntegerColumn(row?.[0] ?? null) ?? undefined;
}

/** Parses a row of `nodesAt`. */
export function toTreeNode(row: SqlRow): TreeNode {
  return { level: integerColumn(row[0]), index: integerColumn(row[1]), hash: bytesColumn(row[2]) };
}

/** Adds a person if the id is free. */
export function insertPerson(person: PersonRow): Statement {
  return {
    sql: `insert into development_persons (${PERSON_COLUMNS}) values ($1,$2,$3,$4,$5) on conflict (person_id) do nothing`,
    params: [person.personId, person.trapdoor, person.nullifier, person.commitment, person.createdAt],
  };
}

/** Selects the person with this id. */
export function personById(personId: string): Statement {
  return {
    sql: `select ${PERSON_COLUMNS} from development_persons where person_id = $1`,
    params: [personId],
  };
}

/** Selects all persons, the latest first. */
export function allPersons(): Statement {
  return {
    sql: `select ${PERSON_COLUMNS} from development_persons order by created_at desc, person_id`,
    params: [],
  };
}

/** Parses a row of the statements about persons. */
export function toPersonRow(row: SqlRow): PersonRow {
  return {
    personId: textColumn(row[0]),
    trapdoor: bytesColumn(row[1]),
    nullifier: bytesColumn(row[2]),
    commitment: bytesColumn(row[3]),
    createdAt: integerColumn(row[4]),
  };
}
