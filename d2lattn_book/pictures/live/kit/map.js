// A map of attention weights: a row for each query, a column for each key.
import {add, set} from "./nodes.js";
import {cut} from "./numbers.js";

// "#a1b2c3" as [red, green, blue].
export const rgb = colour => colour.match(/\w\w/g).map(part => parseInt(part, 16));

// One pixel for each value, `width` in a row, enlarged by the browser: the k-th has the colour
// `tint(k)` and as much of it as `opacity(value, k)` says.
export function paint(canvas, values, width, tint, opacity) {
  const height = values.length / width;
  if (canvas.width !== width || canvas.height !== height) set(canvas, {width, height});
  const picture = new ImageData(width, height);
  const pixels = picture.data;
  values.forEach((value, k) => {
    const [red, green, blue] = tint(k);
    pixels[4 * k] = red;
    pixels[4 * k + 1] = green;
    pixels[4 * k + 2] = blue;
    pixels[4 * k + 3] = 255 * opacity(value, k);
  });
  canvas.getContext("2d").putImageData(picture, 0, 0);
}

// The names of rows, to the left, and of columns, above: slanted, or upright where columns are
// narrow, so that each has room. `x`, `y` and `cell` are the map's; letters are `size` pixels.
export function nameMap(svg, {x, y, cell, rows, columns, size = 14}) {
  const turn = cell.width < 1.56 * size ? -90 : -45;
  const style = `font-size:${size}px`;
  const down = Math.round(0.34 * size); // from the middle of a letter to its foot
  rows.forEach((word, i) => {
    const at = {x: x - 8, y: y + (i + 0.5) * cell.height + down};
    add(svg, "text", {class: "e", style, ...at}, cut(word, 8));
  });
  columns.forEach((word, j) => {
    const right = x + (j + 0.5) * cell.width + down - 1;
    const transform = `translate(${right},${y - 7})rotate(${turn})`;
    add(svg, "text", {style, transform}, cut(word, 8));
  });
}
