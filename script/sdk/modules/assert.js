// assert: failed expectations are AssertionErrors. Deep comparisons are strict throughout.
import { equal as same } from 'internal:equal';
import { inspect } from 'internal:util';

export class AssertionError extends Error {
  constructor({ message, actual, expected, operator } = {}) {
    super(message ?? `${inspect(actual)} ${operator ?? 'fails'} ${inspect(expected)}`);
    this.name = 'AssertionError';
    this.code = 'ERR_ASSERTION';
    this.actual = actual;
    this.expected = expected;
    this.operator = operator;
  }
}
const must = (holds, message, actual, expected, operator) => {
  if (holds) return;
  if (message instanceof Error) throw message;
  throw new AssertionError({ message, actual, expected, operator });
};

const assert = (value, message = 'The expression evaluated to a falsy value') => must(value, message, value, true, '==');
export const ok = assert;
export const equal = (a, b, message) => must(Object.is(a, b), message, a, b, 'is not');
export const notEqual = (a, b, message) => must(!Object.is(a, b), message, a, b, 'is');
export const deepEqual = (a, b, message) => must(same(a, b), message, a, b, 'does not equal');
export const notDeepEqual = (a, b, message) => must(!same(a, b), message, a, b, 'equals');
export const strictEqual = equal;
export const notStrictEqual = notEqual;
export const deepStrictEqual = deepEqual;
export const notDeepStrictEqual = notDeepEqual;
export const match = (text, pattern, message) => must(pattern.test(text), message, text, pattern, 'does not match');
export const doesNotMatch = (text, pattern, message) => must(!pattern.test(text), message, text, pattern, 'matches');
export const fail = (message = 'Failed') => must(false, message, undefined, undefined, 'fail');
export const ifError = (value) => {
  if (value !== null && value !== undefined)
    throw value instanceof Error ? value : new AssertionError({ message: `ifError got ${inspect(value)}` });
};

const fits = (error, expected) => {
  if (expected === undefined) return true;
  if (expected instanceof RegExp) return expected.test(String(error));
  if (typeof expected === 'function') {
    if (expected.prototype !== undefined && error instanceof expected) return true;
    return Error.isPrototypeOf(expected) ? false : expected(error) === true;
  }
  return Object.keys(expected).every((key) =>
    expected[key] instanceof RegExp ? expected[key].test(error?.[key]) : same(error?.[key], expected[key]),
  );
};
export const throws = (f, expected, message) => {
  try {
    f();
  } catch (error) {
    if (typeof expected === 'string' || fits(error, expected)) return;
    throw error;
  }
  must(false, typeof expected === 'string' ? expected : message ?? 'Missing expected exception.');
};
export const doesNotThrow = (f) => f();
export const rejects = async (promise, expected, message) => {
  try {
    await (typeof promise === 'function' ? promise() : promise);
  } catch (error) {
    if (typeof expected === 'string' || fits(error, expected)) return;
    throw error;
  }
  must(false, typeof expected === 'string' ? expected : message ?? 'Missing expected rejection.');
};
export const doesNotReject = async (promise) => {
  await (typeof promise === 'function' ? promise() : promise);
};
export { assert as strict };

Object.assign(assert, {
  AssertionError, ok, equal, notEqual, deepEqual, notDeepEqual, strictEqual, notStrictEqual, deepStrictEqual,
  notDeepStrictEqual, match, doesNotMatch, fail, ifError, throws, doesNotThrow, rejects, doesNotReject, strict: assert,
});
export default assert;
