// util/types: what a value is, as in Node.js. There are no values of other realms and no proxies to look through.
const { toString } = Object.prototype;
const tagged = (...names) => (v) => names.includes(toString.call(v).slice(8, -1));
const boxed = (of) => (v) => v instanceof of;

export const isDate = (v) => v instanceof Date;
export const isRegExp = (v) => v instanceof RegExp;
export const isMap = (v) => v instanceof Map;
export const isSet = (v) => v instanceof Set;
export const isWeakMap = (v) => v instanceof WeakMap;
export const isWeakSet = (v) => v instanceof WeakSet;
export const isPromise = (v) => v instanceof Promise;
export const isNativeError = (v) => Error.isError(v);
export const isArrayBuffer = (v) => v instanceof ArrayBuffer;
export const isAnyArrayBuffer = isArrayBuffer;
export const isArrayBufferView = (v) => ArrayBuffer.isView(v);
export const isDataView = (v) => v instanceof DataView;
export const isTypedArray = (v) => ArrayBuffer.isView(v) && !(v instanceof DataView);
export const isInt8Array = (v) => v instanceof Int8Array;
export const isUint8Array = (v) => v instanceof Uint8Array;
export const isUint8ClampedArray = (v) => v instanceof Uint8ClampedArray;
export const isInt16Array = (v) => v instanceof Int16Array;
export const isUint16Array = (v) => v instanceof Uint16Array;
export const isInt32Array = (v) => v instanceof Int32Array;
export const isUint32Array = (v) => v instanceof Uint32Array;
export const isFloat32Array = (v) => v instanceof Float32Array;
export const isFloat64Array = (v) => v instanceof Float64Array;
export const isBigInt64Array = (v) => v instanceof BigInt64Array;
export const isBigUint64Array = (v) => v instanceof BigUint64Array;
export const isAsyncFunction = (v) => typeof v === 'function' && tagged('AsyncFunction', 'AsyncGeneratorFunction')(v);
export const isGeneratorFunction = (v) => typeof v === 'function' && tagged('GeneratorFunction', 'AsyncGeneratorFunction')(v);
export const isGeneratorObject = tagged('Generator', 'AsyncGenerator');
export const isMapIterator = tagged('Map Iterator');
export const isSetIterator = tagged('Set Iterator');
export const isNumberObject = boxed(Number);
export const isStringObject = boxed(String);
export const isBooleanObject = boxed(Boolean);
export const isBigIntObject = boxed(BigInt);
export const isSymbolObject = boxed(Symbol);
export const isBoxedPrimitive = (v) => [Number, String, Boolean, BigInt, Symbol].some((of) => v instanceof of);

export default {
  isDate, isRegExp, isMap, isSet, isWeakMap, isWeakSet, isPromise, isNativeError, isArrayBuffer, isAnyArrayBuffer,
  isArrayBufferView, isDataView, isTypedArray, isInt8Array, isUint8Array, isUint8ClampedArray, isInt16Array,
  isUint16Array, isInt32Array, isUint32Array, isFloat32Array, isFloat64Array, isBigInt64Array, isBigUint64Array,
  isAsyncFunction, isGeneratorFunction, isGeneratorObject, isMapIterator, isSetIterator, isNumberObject,
  isStringObject, isBooleanObject, isBigIntObject, isSymbolObject, isBoxedPrimitive,
};
