// JSON has no infinity, so it goes by name: "-inf" on the way in, String's on the way out.

export const read = (_, value) => (value === "-inf" ? -Infinity : value);

export function written(_, value) {
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return ArrayBuffer.isView(value) ? Array.from(value) : value;
}
