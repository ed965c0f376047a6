// A computer player in another language, which needs no library: docs/engine-protocol.md describes its lines.
//
//     python -m perudo_core.agents arena "engine:node perudo_core/examples/odds_engine.js" regular --games 200
"use strict";

/** The chance that at least `need` of `dice` dice count, each with the chance `each`. */
function atLeast(need, dice, each) {
  let term = (1 - each) ** dice; // no die counts
  let below = 0;
  for (let count = 0; count < need; count += 1) {
    below += term;
    term *= ((dice - count) / (count + 1)) * (each / (1 - each));
  }
  return need > dice ? 0 : 1 - below;
}

/** The chance that a bid holds, for the player who sees this observation. */
function holds(seen, quantity, face) {
  const wild = seen.ones_are_wild && face !== 1;
  const own = seen.dice.filter((die) => die === face || (wild && die === 1)).length;
  const unknown = seen.dice_counts.reduce((sum, count) => sum + count, 0) - seen.dice.length;
  return quantity <= own ? 1 : atLeast(quantity - own, unknown, wild ? 1 / 3 : 1 / 6);
}

/** Doubt an improbable bid; else make the lowest bid of the face that most probably holds. */
function choose(seen) {
  const last = seen.bids.at(-1);
  const bids = seen.legal_calls.bids.map(([face, lowest]) => ({ call: `${lowest}x${face}`, chance: holds(seen, lowest, face) }));
  const best = bids.reduce((one, other) => (other.chance > one.chance ? other : one), { call: "dudo", chance: -1 });
  const now = last ? holds(seen, last.quantity, last.face) : 1;
  return now < options.doubt_below ? { call: "dudo", reason: `a chance of ${Math.round(100 * now)} %` } : { call: best.call };
}

const options = { doubt_below: 0.35 };
const methods = {
  hello: () => ({ protocol: "perudo-player/1", name: "Node", options, interrupts: false }),
  set: (params) => Object.assign(options, params.options),
  choose: (params) => choose(params.observation),
};

require("node:readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    const answer = Object.hasOwn(methods, method) ? { id, result: methods[method](params) } : { id, unsupported: true };
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  });
