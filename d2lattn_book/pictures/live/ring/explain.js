// A round in words: parts of a sentence, each with the role it plays.
import {listed} from "../kit/words.js";

export const percent = share => `${Math.round(100 * share)} %`;

export const scoresOf = count => `${count} score${count === 1 ? "" : "s"}`;

const named = ranks => `rank${ranks.length > 1 ? "s" : ""} ${listed(ranks)}`;

const upper = text => text[0].toUpperCase() + text.slice(1);

export function explain({round}, {done, all}, {ranks}) {
  const {scores, blocks} = done[round];
  const opening = round
    ? "each block of keys and values has moved on to the next rank"
    : "each rank has its own block";
  const said = [[`Round ${round}: ${opening}.`]];
  for (const size of [...new Set(scores)].sort((a, b) => b - a)) {
    said.push(...told(size, scores, blocks));
  }
  const time = `${all.time} time units, ${percent(all.waiting)} idle.`;
  if (round < ranks - 1) return [...said, [` So far: ${time}`]];
  said.push([` All rounds, merged: ${all.scores} scores in ${time}`]);
  return said;
}

// What the ranks do that compute so many scores.
function told(size, scores, blocks) {
  const who = scores.map((_, rank) => rank).filter(rank => scores[rank] === size);
  const one = who.length === 1;
  const name = ` ${upper(named(who))} `;
  if (!size) {
    const whose = `come after all of ${one ? "its" : "their"} tokens.`;
    const keys = named(who.map(rank => blocks[rank]).sort());
    return [[`${name}${one ? "skips" : "skip"}: the keys of `], [keys, "key"], [` ${whose}`]];
  }
  const waits = size < Math.max(...scores) ? `, and ${one ? "is" : "are"} then idle` : "";
  const end = `${one ? "" : " each"}${waits}.`;
  return [[`${name}${one ? "computes" : "compute"} `], [scoresOf(size), "weight"], [end]];
}
