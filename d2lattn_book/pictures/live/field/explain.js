// What a unit sees in words: parts of a sentence, each with the role it plays.

export function explain({k, at: [level, unit]}, {found, dilations, width}) {
  if (!level) return [[`Input ${unit} sees itself. Choose a unit above it.`]];
  const inputs = found[0].length;
  const spread = level > 1 ? `(${dilations.join(" + ")})` : dilations[0];
  const field = `Its receptive field is 1 + (${k} − 1) · ${spread} = ${width} positions wide`;
  const missing = inputs < width ? "; not all of them are taps inside the row" : "";
  return [
    [`Unit ${unit} of layer ${level}`, "output"],
    [" sees "],
    [`${inputs} input${inputs > 1 ? "s" : ""}`, "value"],
    [`. ${field}${missing}.`],
  ];
}

// 25165824 as 2.5 × 10⁷; what is short stays whole.
export function count(value) {
  if (value === Infinity) return "never";
  if (value < 1e6) return String(value).replace(/(?=(\d{3})+$)(?!^)/g, " ");
  const power = Math.floor(Math.log10(value) + 1e-12);
  const raised = [...String(power)].map(digit => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("");
  return `${(value / 10 ** power).toFixed(1)} × 10${raised}`;
}
