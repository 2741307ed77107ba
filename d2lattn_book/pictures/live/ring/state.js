// The ring: who holds whose block in which round, and how much there is to compute. No page here.
import {clamp, sum} from "../kit/numbers.js";

const each = (count, make) => Array.from({length: count}, (_, k) => make(k));

// Blocks go from rank to rank: whose keys and values a rank holds in a round, and by the same
// count the round in which it holds those of a rank.
export const blockOf = (rank, round, ranks) => (rank - round + ranks) % ranks;

// The places in the text of the words of a rank.
export function placesOf(rank, striped, {ranks, block_size: size}) {
  return each(size, k => (striped ? rank + k * ranks : rank * size + k));
}

// Which of these queries see which of these keys.
export const seenBy = (queries, keys, causal) => queries.map(i => keys.map(j => !causal || j <= i));

const count = rows => sum(rows.flat().map(Number));

// `rank` is the row of the table in which Tab arrives.
export const begin = ({step, striped, causal}) => ({round: step, rank: 0, striped, causal});

export const go = (state, round, {ranks}) => ({...state, round: clamp(round, 0, ranks - 1)});

// `seen` and `work` belong to a rank and a block; `done` to a round and a rank: what it computes,
// how long it waits for the slowest, and whose block it holds.
// To pick a block is to go to its round.
export function pick(state, rank, block, data) {
  return {...state, rank, round: blockOf(rank, block, data.ranks)};
}

export function compute({round, striped, causal}, data) {
  const {ranks, block_size: size} = data;
  const places = each(ranks, rank => placesOf(rank, striped, data));
  const seen = places.map(queries => places.map(keys => seenBy(queries, keys, causal)));
  const work = seen.map(row => row.map(count));
  const done = each(ranks, r => {
    const blocks = each(ranks, rank => blockOf(rank, r, ranks));
    const scores = blocks.map((block, rank) => work[rank][block]);
    const time = Math.max(...scores);
    return {blocks, scores, time, waits: scores.map(one => time - one)};
  });
  const past = done.slice(0, round + 1);
  const time = sum(past.map(one => one.time));
  const waits = each(ranks, rank => sum(past.map(one => one.waits[rank])) / time);
  const total = sum(past.flatMap(one => one.scores));
  const all = {time, waits, scores: total, waiting: 1 - total / (ranks * time)};
  return {places, seen, work, done, all, longest: ranks * size * size};
}
