// What is kept and who can still be looked up, in words; and what the kinds are called.

export const many = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;

// 1234567 as 1,234,567.
export const whole = value => String(value).replace(/(?=(\d{3})+$)(?!^)/g, ",");

const NAMES = {
  full: ({num_heads}) => `multi-head (MHA), ${many(num_heads, "head")}`,
  grouped: ({num_kv_heads}) => `grouped (GQA), ${many(num_kv_heads, "KV head")}`,
  latent: ({latent_dim, rope_dim}) => `latent (MLA), dim ${latent_dim} + RoPE dim ${rope_dim}`,
  window: ({window}) => `sliding window of ${window}`,
  sinks: ({window, sinks}) => `window of ${window} + ${many(sinks, "sink")}`,
  state: ({num_heads, head_dim}) =>
    `linear attention, ${many(num_heads, "head")} of ${head_dim} × ${head_dim}`,
};

export const nameOf = (kind, sizes) => NAMES[kind](sizes);

const pairs =
  heads =>
  ({head_dim, [heads]: count}) =>
    `keys and values: 2 · ${many(count, "head")} · head_dim ${head_dim}`;
const PARTS = {
  grouped: pairs("num_kv_heads"),
  latent: ({latent_dim, rope_dim}) =>
    `latent dim ${latent_dim} + RoPE dim ${rope_dim}, together ${latent_dim + rope_dim}`,
  state: ({num_heads, head_dim}) => `${many(num_heads, "head")} · ${head_dim} × ${head_dim}`,
};

// How the bytes of one word, or of a state, come about.
const product = (kind, sizes, each) =>
  `${(PARTS[kind] ?? pairs("num_heads"))(sizes)} · ${sizes.itemsize} bytes per element = ${whole(each)}`;

export function explain({read, kind}, {chosen, last}, {tokens, sizes}) {
  const {rows, each, bytes} = chosen;
  const what = product(kind, sizes, each);
  const asks = [[tokens[read - 1], "query"], [` is the query, token ${read}. `]];
  if (kind === "state") return [...asks, ...overlaid(read, what, bytes)];
  const gone = tokens.filter((_, j) => last[j] === "dropped");
  const reach = gone.length ? `No longer visible: ${gone.join(", ")}.` : "All of them are visible.";
  return [
    ...asks,
    [`Cached: ${rows} of ${many(read, "token")}`, "key"],
    [` × ${whole(each)} = ${whole(bytes)} bytes (${what}). ${reach}`],
  ];
}

function overlaid(read, what, bytes) {
  const whose = read === 1 ? "the token" : `all ${read} tokens`;
  return [
    [`State: ${whole(bytes)} bytes, however many tokens (${what}). `],
    [`The outer products of keys and values of ${whose} are summed into it`, "value"],
    [read === 1 ? "." : ": none can be looked up on its own."],
  ];
}
