// JSON has no infinity and no NaN, so they go by name, both ways.

const NAMED = {Infinity, "-Infinity": -Infinity, NaN};

export const read = (_, value) =>
  typeof value === "string" && Object.hasOwn(NAMED, value) ? NAMED[value] : value;

export function written(_, value) {
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return ArrayBuffer.isView(value) ? Array.from(value) : value;
}
