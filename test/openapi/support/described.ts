import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** A response as the document describes it, references resolved. */
export interface DescribedResponse {
  readonly description: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}

/** An operation as the document describes it. */
export interface DescribedOperation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: 'path' | 'query' | 'header';
    readonly example?: string | number;
  }[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<
        string,
        { readonly schema: object; readonly examples: Readonly<Record<string, { value: unknown }>> }
      >
    >;
  };
  readonly responses: Readonly<Record<string, object>>;
}

/** The members of a document that tests read. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, DescribedResponse>> };
}

/** Reads a document and checks answers with it. */
export interface DocumentReader {
  /** All operations, with method and path. */
  readonly operations: readonly (readonly [method: string, path: string, DescribedOperation])[];
  /** Returns the operation of a request; undefined if the document has none. */
  find(method: string, path: string): DescribedOperation | undefined;
  /** Returns the response of an operation with a status. */
  response(operation: DescribedOperation, status: number): DescribedResponse | undefined;
  /** Returns why JSON does not fit a response; empty if it fits. */
  faults(response: DescribedResponse, body: unknown): readonly unknown[];
}

/** Creates a reader of a document. */
export function readDocument(document: OpenApiDocument): DocumentReader {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv, ['date-time', 'uri']);
  ajv.addSchema(document, 'openapi');
  const validators = new Map<object, ValidateFunction>();
  const operations = Object.entries(document.paths).flatMap(([path, place]) =>
    Object.entries(place).map(([method, operation]) => [method.toUpperCase(), path, operation] as const),
  );
  return {
    operations,
    find(method, path) {
      const fits = operations.filter(
        ([own, pattern]) => own === method && new RegExp(`^${escaped(pattern)}$`).test(path),
      );
      // A path without parameters is preferred, as by the router.
      return fits.sort(([, one], [, other]) => one.split('{').length - other.split('{').length)[0]?.[2];
    },
    response(operation, status) {
      const response = operation.responses[status] as (DescribedResponse & { $ref?: string }) | undefined;
      const name = response?.$ref?.split('/').at(-1);
      return name === undefined ? response : document.components.responses[name];
    },
    faults(response, body) {
      const schema = response.content?.['application/json']?.schema;
      if (schema === undefined) return [`no JSON is described for ${response.description}`];
      const validate =
        validators.get(schema) ??
        ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')) as object);
      validators.set(schema, validate);
      return validate(body) ? [] : (validate.errors ?? []);
    },
  };
}

function escaped(pattern: string): string {
  return pattern.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+');
}
