import type { ErrorObject } from 'ajv';
import { ServiceError } from '../../errors/service-error.ts';
import { isObject, type JsonObject } from '../../json.ts';
import { fieldMessages, type MessageTable, objectMessage } from './field-messages.ts';
import { RULE_MESSAGES } from './request-messages.ts';
import { TEXT_LIMIT_BYTES } from './request-schema.ts';
import type { RequestBase } from './request-types.ts';

const UNPAIRED_SURROGATE = /\p{Surrogate}/u;

/** Rules by which the faults of a body are reported (spec/verification.md#order-of-reporting, steps 3 and 4). */
export interface ReportRules {
  /** Returns the errors of the top level; items are checked one by one. */
  readonly bodyErrors: (body: JsonObject) => readonly ErrorObject[];
  readonly bodyMessages: MessageTable;
  /** Fields of the top level in the order of reporting. */
  readonly fieldOrder: readonly string[];
  /** Checks the `integrity_bundle`, after `responses`; absent: any value passes. */
  readonly readBundle: ((value: unknown) => unknown) | undefined;
  /** Returns the messages of one item; empty if it fits. */
  readonly itemMessages: (item: JsonObject) => readonly string[];
}

/** Creates the refusal of a body with the detail and attribute of the answer. */
export function refusal(message: string, attribute: string): ServiceError {
  return new ServiceError('verify.schema', message, { path: attribute });
}

/**
 * Throws the first error of a body, in the order of the rules.
 *
 * @throws ServiceError `verify.schema`
 */
export function reportFaults(body: JsonObject, rules: ReportRules): void {
  const errors = rules.bodyErrors(body);
  const report = (field: string): void => {
    const [message] = fieldMessages(rules.bodyMessages, errors, field, body);
    if (message !== undefined) throw refusal(message, field);
  };
  const { responses } = body;
  if (Array.isArray(responses) && responses.length > 0) {
    report('responses');
    report('protocol_version');
    for (const [index, item] of responses.entries()) {
      const attribute = `responses[${index}]`;
      if (!isObject(item)) throw refusal(objectMessage(item), attribute);
      const messages = rules.itemMessages(item);
      if (messages.length > 0) throw refusal(messages.join(', '), attribute);
    }
  }
  if (errors.length > 0) report('responses');
  rules.readBundle?.(body.integrity_bundle);
  if (errors.length > 0) rules.fieldOrder.forEach(report);
}

/** Applies the text rules of `spec/verification.md#order-of-reporting`: sizes first, then characters. */
export function checkTexts({ action, actionDescription }: RequestBase, nonce: string): void {
  checkSize('action_description', actionDescription);
  checkSize('action', action);
  checkSize('nonce', nonce);
  checkCharacters('action_description', actionDescription);
  checkCharacters('action', action);
}

function checkSize(field: string, text: string): void {
  // a UTF-16 unit has at most three bytes in UTF-8
  if (text.length * 3 > TEXT_LIMIT_BYTES && Buffer.byteLength(text) > TEXT_LIMIT_BYTES) {
    throw refusal(RULE_MESSAGES.tooLong(field, TEXT_LIMIT_BYTES), field);
  }
}

function checkCharacters(field: string, text: string): void {
  if (text.includes('\0') || UNPAIRED_SURROGATE.test(text))
    throw refusal(RULE_MESSAGES.badText(field), field);
}
